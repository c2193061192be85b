"""Items as pages and documents, and gold spans that survive cutting the corpus anew."""

from dataclasses import fields
from typing import Any

import pytest

from rag_eval_hooks.metrics import metric_classes, parse_metric
from rag_eval_hooks.metrics.levels import unit_of
from rag_eval_hooks.metrics.spans import character_range, covers
from rag_eval_hooks.record import Chunk, GoldSpan, RagRun, read_run
from rag_eval_hooks.record.item_keys import DOCUMENT_KEYS, PAGE_KEYS

LEVELS = ("chunk", "page", "document")


def run_of(contexts: list[dict[str, Any]], **gold: Any) -> RagRun:
    return read_run({"id": "r", "contexts": contexts, "answer": "x", "gold": gold, "judge": gold})


def paged(*places: tuple[str, str, int]) -> list[dict[str, Any]]:
    return [{"id": name, "metadata": {"source": source, "page": page}} for name, source, page in places]


def values(name: str, run: RagRun, **parameters: str) -> list[float | None]:
    stem, at, k = name.partition("@")
    more = "".join(f",{key}={value}" for key, value in parameters.items())
    return [parse_metric(f"{stem}(level={level}{more}){at}{k}").score(run).value for level in LEVELS]


class TestLevels:
    def test_a_right_document_with_a_wrong_page_shows(self) -> None:
        run = run_of(paged(("c1", "a.pdf", 4), ("c2", "b.pdf", 1)), relevant_ids=["a.pdf#page=3"])
        assert values("R", run) == [0, 0, 1]
        assert values("EvidenceRecall", run) == [0, 0, 1]

    def test_a_right_page_with_a_wrong_chunk_shows(self) -> None:
        """c9 was retrieved once and then dropped, so the run says where it stands."""
        run = run_of(paged(("c1", "a.pdf", 3), ("c9", "a.pdf", 3)), relevant_ids=["c9"])
        assert values("Hit@1", run) == [0, 1, 1]
        assert values("CompleteEvidence@1", run) == [0, 1, 1]

    def test_k_counts_chunks_and_a_second_chunk_of_a_document_is_a_repeat(self) -> None:
        run = run_of(paged(("c1", "a.pdf", 1), ("c2", "a.pdf", 2), ("c3", "b.pdf", 1)), relevant_ids=["c1", "c2"])
        assert values("P@3", run) == [2 / 3, 2 / 3, 1 / 3]
        assert values("R@1", run) == [1 / 2, 1 / 2, 1 / 1]
        assert values("RR", run) == [1, 1, 1]

    def test_a_document_has_the_best_grade_of_its_chunks(self) -> None:
        places = paged(("c1", "a.pdf", 1), ("c2", "b.pdf", 1), ("c3", "a.pdf", 2))
        run = run_of(places, relevance={"c1": 0, "c2": 1, "c3": 3})
        assert values("nDCG@1", run)[2] == 1  # a.pdf has grade 3
        assert values("nDCG@1", run_of(places, relevance={"c3": 3, "c2": 1, "c1": 0}))[2] == 1
        assert values("Judged", run) == [1, 1, 2 / 3]

    def test_ids_of_one_set_that_become_one_unit_are_one_item(self) -> None:
        places = paged(("c1", "a.pdf", 1), ("c2", "a.pdf", 2), ("c3", "b.pdf", 1))
        run = run_of(places, evidence_sets=[["c1", "c2", "c3"]])
        assert values("EvidenceRecall@1", run) == [1 / 3, 1 / 3, 1 / 2]

    def test_a_repeated_id_with_two_pages_is_relevant_on_both(self) -> None:
        contexts = [{"id": "doc", "text": f"p{page}", "metadata": {"source": "a.pdf", "page": page}} for page in (1, 2)]
        assert values("R", run_of(contexts, relevant_ids=["doc"])) == [1, 1, 1]

    def test_what_names_no_document_keeps_its_id(self) -> None:
        run = run_of([{"id": "c1"}, {"id": "c2", "metadata": {"source": "a.pdf"}}], relevant_ids=["c1", "c2"])
        assert values("R", run) == [1, 1, 1]
        assert unit_of(run.chunks[1], "page") == "c2"

    def test_what_was_used_is_rolled_up_too(self) -> None:
        run = run_of(paged(("c1", "b.pdf", 1), ("c2", "a.pdf", 2)), used=["c2"])
        assert values("RR", run, labels="used") == [1 / 2, 1 / 2, 1 / 2]

    @pytest.mark.parametrize("position", range(len(DOCUMENT_KEYS)))
    def test_document_keys_are_tried_in_order(self, position: int) -> None:
        later = {key: f"by {key}" for key in DOCUMENT_KEYS[position:]}
        earlier: dict[str, Any] = dict.fromkeys(DOCUMENT_KEYS[:position], " ")
        assert unit_of(Chunk(id="c", metadata=earlier | later), "document") == f"by {DOCUMENT_KEYS[position]}"

    @pytest.mark.parametrize("key", PAGE_KEYS)
    @pytest.mark.parametrize("page", [0, "0", 0.0])
    def test_page_numbers_compare_as_text(self, key: str, page: object) -> None:
        assert unit_of(Chunk(id="c", metadata={"doc_id": 7, key: page}), "page") == "7#page=0"

    @pytest.mark.parametrize("value", [None, "", True, [], {"a": 1}])
    def test_what_is_no_id_names_nothing(self, value: object) -> None:
        assert unit_of(Chunk(id="c", metadata={"source": value}), "document") == "c"

    def test_every_measure_of_a_list_or_of_evidence_takes_a_level(self) -> None:
        with_level = {name for name, cls in metric_classes().items() if "level" in {one.name for one in fields(cls)}}
        assert with_level >= set(
            "P R Hit F RR AP nDCG Judged T Fe UDCG Distraction AnyEvidence CompleteEvidence EvidenceRecall".split()
        )


def placed(*ranges: tuple[int, int], document: str = "a.pdf") -> list[dict[str, Any]]:
    return [
        {"id": f"c{number}", "metadata": {"source": document, "page": number, "position": list(place)}}
        for number, place in enumerate(ranges, 1)
    ]


def span(start: int, end: int, grade: float = 1, document: str = "a.pdf") -> dict[str, Any]:
    return {"document": document, "start": start, "end": end, "grade": grade}


class TestSpans:
    @pytest.mark.parametrize(
        ("place", "expected"),
        [
            pytest.param((100, 200), True, id="the span itself"),
            pytest.param((0, 1000), True, id="more than the span"),
            pytest.param((0, 150), True, id="its first half"),
            pytest.param((150, 300), True, id="its second half"),
            pytest.param((0, 149), False, id="49 of its 100 characters"),
            pytest.param((120, 169), False, id="49 in the middle"),
            pytest.param((200, 300), False, id="side by side"),
            pytest.param((300, 400), False, id="elsewhere"),
        ],
    )
    def test_a_chunk_covers_a_span_with_half_of_it(self, place: tuple[int, int], expected: bool) -> None:
        gold = GoldSpan(document="a.pdf", start=100, end=200)
        assert covers(Chunk(id="c", metadata={"source": "a.pdf", "position": list(place)}), gold) is expected
        assert not covers(Chunk(id="c", metadata={"source": "b.pdf", "position": list(place)}), gold)
        assert not covers(Chunk(id="c", metadata={"position": list(place)}), gold)

    @pytest.mark.parametrize(
        ("metadata", "expected"),
        [
            ({"start_index": 5}, (5, 8)),
            ({"start_index": 5, "end_index": 50}, (5, 50)),
            ({"char_start": "5", "char_end": "9"}, (5, 9)),
            ({"start": 5.0, "end": 6}, (5, 6)),
            ({"position": [5, 9]}, (5, 9)),
            ({"start": 7, "position": [5, 9]}, (7, 10)),
            ({"start_index": 9, "end_index": 5}, (9, 9)),
            ({"position": [5]}, None),
            ({"position": "5-9"}, None),
            ({"start_index": -1}, None),
            ({"start_index": True}, None),
            ({"start_index": 1.5}, None),
            ({"end_index": 5}, None),
            ({}, None),
        ],
    )
    def test_where_a_chunk_stands(self, metadata: dict[str, Any], expected: tuple[int, int] | None) -> None:
        assert character_range(Chunk(id="c", text="abc", metadata=metadata)) == expected

    @pytest.mark.parametrize("cut", [((0, 500),), ((0, 100), (100, 200)), ((50, 210), (0, 60))], ids=str)
    def test_they_survive_cutting_the_corpus_anew(self, cut: tuple[tuple[int, int], ...]) -> None:
        """The same gold, three cuts, other ids: the evidence is found each time."""
        run = run_of(placed(*cut), spans=[span(110, 190)])
        for name in ("Hit", "EvidenceRecall", "CompleteEvidence", "R"):
            assert parse_metric(name).score(run).value == 1

    def test_each_span_is_one_item(self) -> None:
        """c1 covers two of three spans; nothing covers the third."""
        run = run_of(placed((0, 100), (500, 600)), spans=[span(0, 10), span(20, 30), span(300, 310)])
        assert values("EvidenceRecall", run) == [2 / 3, 2 / 3, 3 / 3]
        assert values("CompleteEvidence", run) == [0, 0, 1]
        assert values("AnyEvidence@1", run) == [1, 1, 1]
        assert values("EvidenceRecall", run, labels="judge") == [2 / 3, 2 / 3, 3 / 3]

    def test_a_span_that_nothing_covers_counts_as_missed(self) -> None:
        run = run_of(placed((0, 100)), spans=[span(0, 10), span(300, 310)])
        assert parse_metric("R").score(run).value == 1 / 2

    def test_a_chunk_has_the_grade_of_the_best_span_it_covers(self) -> None:
        run = run_of(placed((0, 100), (100, 200)), spans=[span(20, 30, 3), span(0, 10, 1), span(110, 120, 2)])
        assert parse_metric("nDCG").score(run).value == 1  # grades 3, 2 in this order
        swapped = run_of(placed((100, 200), (0, 100)), spans=[span(0, 10, 1), span(20, 30, 3), span(110, 120, 2)])
        assert (parse_metric("nDCG@1").score(swapped).value or 0) == pytest.approx((2**2 - 1) / (2**3 - 1))

    def test_the_right_document_with_the_wrong_place_shows(self) -> None:
        run = run_of(placed((500, 600)), spans=[span(0, 10)])
        assert values("R", run) == [0, 0, 1]

    @pytest.mark.parametrize("name", ["R", "EvidenceRecall", "R(level=page)", "EvidenceRecall(labels=judge)"])
    def test_where_chunks_do_not_say_their_place_nothing_is_known(self, name: str) -> None:
        for metadata in ({"source": "a.pdf"}, {}, {"start_index": 0}):
            result = parse_metric(name).score(run_of([{"id": "c", "metadata": metadata}], spans=[span(0, 10)]))
            assert (result.value, result.reason) == (None, "no_position")

    def test_a_chunk_of_another_document_need_not_say_its_place(self) -> None:
        contexts = [*placed((0, 100)), {"id": "web", "metadata": {"source": "b.pdf"}}]
        assert parse_metric("R").score(run_of(contexts, spans=[span(0, 10)])).value == 1

    def test_nothing_retrieved_is_a_true_zero(self) -> None:
        assert parse_metric("R").score(run_of([], spans=[span(0, 10)])).value == 0

    def test_given_ids_go_before_spans(self) -> None:
        run = run_of(placed((0, 100), (100, 200)), spans=[span(0, 10)], relevance={"c2": 1})
        assert parse_metric("RR").score(run).value == 1 / 2
        assert parse_metric("EvidenceRecall@1").score(run).value == 1  # the span is the evidence, c2 is relevant
        sets = run_of(placed((0, 100), (100, 200)), spans=[span(0, 10)], evidence_sets=[["c2"]])
        assert parse_metric("EvidenceRecall@1").score(sets).value == 0
