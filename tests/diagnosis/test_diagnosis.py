"""Findings: one small situation for each, and one beside it in which it must not be said."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.attribution import Attributor, Calibration, attribute
from rag_eval_hooks.attribution.calibration import Scaling
from rag_eval_hooks.diagnosis import diagnose
from rag_eval_hooks.diagnosis.rules import RULES
from rag_eval_hooks.record import Attribution, Chunk, ContextItem, Finding, Gold, GoldSpan, RagRun, Stage, StageItem
from rag_eval_hooks.record.evaluation import FindingKind
from rag_eval_hooks.testing import make_attribution, make_run


def kinds(run: RagRun, found: Attribution | None = None) -> list[str]:
    return [finding.kind for finding in diagnose(run, found or make_attribution(run))]


def only(run: RagRun, found: Attribution, kind: str) -> Finding:
    (finding,) = [one for one in diagnose(run, found) if one.kind == kind]
    return finding


class TestRetrieval:
    @pytest.mark.parametrize(
        ("retrieved", "gold", "expected"),
        [
            pytest.param("xy", {"relevant": {"a"}}, "zero_recall", id="no relevant id"),
            pytest.param("", {"relevant": {"a"}}, "zero_recall", id="nothing at all"),
            pytest.param("xy", {"evidence_sets": ["ab", "c"]}, "zero_recall", id="no id of any set"),
            pytest.param("r", {"relevant": {"r"}, "evidence_sets": ["ab"]}, "missed_evidence", id="relevant, no set"),
            pytest.param(
                "a", {"relevant": {"r"}, "evidence_sets": ["ab"]}, "incomplete_evidence", id="sets are relevant"
            ),
            pytest.param("ax", {"evidence_sets": ["ab", "cde"]}, "incomplete_evidence", id="half a set"),
            pytest.param("ax", {"relevant": {"a", "b"}}, "incomplete_evidence", id="half of the relevant"),
            pytest.param("c", {"evidence_sets": ["ab", "c"]}, None, id="one set suffices"),
            pytest.param("ab", {"relevant": {"a", "b"}}, None, id="all relevant"),
            pytest.param("x", {}, None, id="no gold, nothing said"),
            pytest.param("x", {"relevance": {"a": 0}}, None, id="nothing relevant, nothing missed"),
        ],
    )
    def test_kind(self, retrieved: str, gold: dict[str, Any], expected: str | None) -> None:
        run = make_run(retrieved, **gold)
        said = [finding for finding in diagnose(run, make_attribution(run)) if finding.stage == "retrieval"]
        assert [finding.kind for finding in said] == ([expected] if expected else [])

    def test_sets_are_certain_and_relevance_is_not(self) -> None:
        by_sets, by_ids = make_run("xa", evidence_sets=["ab"]), make_run("xa", relevant={"a", "b"})
        certain = only(by_sets, make_attribution(by_sets), "incomplete_evidence")
        unsure = only(by_ids, make_attribution(by_ids), "incomplete_evidence")
        assert (certain.confidence, unsure.confidence) == (1.0, 0.5)
        assert certain.refs == {"chunks": (2,)}
        assert "1 of 2 ids" in certain.why

    @pytest.mark.parametrize("status", ["error", "abandoned", "evicted"])
    def test_is_judged_however_the_run_ended(self, status: str) -> None:
        assert "zero_recall" in kinds(make_run("x", relevant={"a"}, status=status, answer=None))

    def test_a_run_that_ended_before_retrieval_says_nothing_of_it(self) -> None:
        assert kinds(make_run("", relevant={"a"}, status="error", answer=None)) == []


class TestPacking:
    def test_a_relevant_chunk_left_out_of_the_prompt(self) -> None:
        run = make_run("xab", context="x", evidence_sets=["ab"])
        finding = only(run, make_attribution(run), "lost_before_prompt")
        assert (finding.stage, finding.confidence, finding.refs) == ("packing", 1.0, {"chunks": (2, 3)})
        assert "2 of 2 retrieved relevant ids" in finding.why

    def test_a_reranker_that_dropped_it_is_packing_and_not_retrieval(self) -> None:
        run = make_run("xa", context="x", evidence_sets=["a"])
        inner = Stage(items=(StageItem(chunk=0), StageItem(chunk=1)), final=False)
        outer = Stage(kind="rerank", items=(StageItem(chunk=0),))
        assert kinds(run.model_copy(update={"stages": (inner, outer)})) == ["lost_before_prompt"]

    def test_an_assumed_context_is_less_certain(self) -> None:
        run = make_run("xa", context="x", evidence_sets=["a"], context_source="last_stage")
        assert only(run, make_attribution(run), "lost_before_prompt").confidence == 0.7

    @pytest.mark.parametrize(
        "more",
        [
            pytest.param({"context": "a", "evidence_sets": ["ab", "a"]}, id="a whole set is in the prompt"),
            pytest.param(
                {"context": "", "evidence_sets": ["ab"], "status": "error", "answer": None}, id="no prompt yet"
            ),
        ],
    )
    def test_not_lost(self, more: dict[str, Any]) -> None:
        assert "lost_before_prompt" not in kinds(make_run("ab", **more))

    def test_a_cut_chunk_is_not_lost(self) -> None:
        run = make_run("a", context="", relevant={"a"})
        cut = Chunk(id="a#0", text="Pass", derived_from="a")
        packed = run.model_copy(update={"chunks": (*run.chunks, cut), "context": (ContextItem(chunk=1),)})
        assert "lost_before_prompt" not in kinds(packed)

    def test_without_gold_it_is_a_guess_and_only_where_a_claim_is_bare(self) -> None:
        run = make_run("ab", context="a", context_source="prompt")
        finding = only(run, make_attribution(run, claims=["+1", "-"]), "lost_before_prompt")
        assert (finding.confidence, finding.refs) == (0.3, {"chunks": (2,), "claims": (1,)})
        assert kinds(run, make_attribution(run, claims=["+1", "?"])) == []
        assumed = run.model_copy(update={"context_source": "last_stage"})
        assert "lost_before_prompt" not in kinds(assumed, make_attribution(run, claims=["-"]))

    @pytest.mark.parametrize(
        ("coverage", "match", "confidence"),
        [(0.5, "head", 0.95), (0.5, "shingle", 0.7), (0.0, "exact", 1.0), (0.9, "head", None), (1.0, "exact", None)],
    )
    @pytest.mark.parametrize(("claim", "harm"), [("+1", 0.4), ("-", 1.0)])
    def test_truncated(self, coverage: float, match: str, confidence: float | None, claim: str, harm: float) -> None:
        """It matters less where all claims are backed nevertheless."""
        item = ContextItem(chunk=1, match=match, coverage=coverage)  # type: ignore[arg-type]
        run = make_run("ab", context_source="prompt")
        run = run.model_copy(update={"context": (ContextItem(chunk=0), item)})
        found = [one for one in diagnose(run, make_attribution(run, claims=[claim])) if one.stage == "packing"]
        assert [(one.kind, one.confidence, one.refs) for one in found] == (
            [] if confidence is None else [("truncated", pytest.approx(confidence * harm), {"chunks": (2,)})]
        )

    def test_what_was_cut_off_backs_nothing(self) -> None:
        """Attribution reads of a chunk what reached the prompt."""
        text = "The tower was opened in 1931 by the mayor.  It stands 31 metres tall today."
        run = make_run([("a", text)], question="How tall is it?", answer="It stands 31 metres tall today.")
        share = len("The tower was opened in 1931 by the mayor.") / len(" ".join(text.split()))
        cut = run.model_copy(update={"context": (ContextItem(chunk=0, match="head", coverage=share),)})
        assert [claim.verdict for claim in attribute(run).claims] == ["supported"]
        assert [claim.verdict for claim in attribute(cut).claims] == ["unsupported"]
        assert [chunk.text for chunk in cut.context_chunks()] == ["The tower was opened in 1931 by the mayor."]


class TestUse:
    def test_relevant_and_not_used(self) -> None:
        run = make_run("xab", evidence_sets=["ab"])
        finding = only(run, make_attribution(run, used=[1, 2]), "unused_evidence")
        assert (finding.stage, finding.refs) == ("use", {"chunks": (3,)})
        assert finding.confidence == pytest.approx(1 - 0.1)

    @pytest.mark.parametrize(
        ("gold", "used", "confidence"),
        [
            pytest.param({"evidence_sets": ["ab"]}, [1], 0.9, id="the set needs both"),
            pytest.param({"relevant": {"a", "b"}}, [], 0.9, id="no relevant chunk was used"),
            pytest.param({"relevant": {"a", "b"}}, [1], 0.9 * 0.45, id="another relevant one was"),
            pytest.param({"evidence_sets": ["ab"], "gold_answer": "answer"}, [1], 0.9 * 0.45, id="the answer is right"),
            pytest.param({"evidence_sets": ["ab", "a"]}, [1], None, id="one set was used wholly"),
            pytest.param({"relevant": {"a"}}, [1], None, id="it was used"),
            pytest.param({}, [], None, id="no gold"),
        ],
    )
    def test_confidence(self, gold: dict[str, Any], used: list[int], confidence: float | None) -> None:
        run = make_run("ab", **gold)
        said = [one.confidence for one in diagnose(run, make_attribution(run, used=used)) if one.stage == "use"]
        assert said == ([] if confidence is None else [pytest.approx(confidence)])

    def test_a_persons_labels_decide(self) -> None:
        run = make_run("ab", evidence_sets=["ab"], used="a")
        finding = only(run, make_attribution(run, used=[1, 2]), "unused_evidence")
        assert (finding.confidence, finding.refs) == (1.0, {"chunks": (2,)})

    def test_doubt_is_no_finding(self) -> None:
        run = make_run("a", relevant={"a"})
        assert kinds(run, make_attribution(run, uncertain=[1])) == []

    @pytest.mark.parametrize("more", [{"kind": "refusal"}, {"kind": "empty"}])
    def test_no_answer_no_use(self, more: dict[str, Any]) -> None:
        run = make_run("a", relevant={"a"})
        assert "unused_evidence" not in kinds(run, make_attribution(run, **more))


class TestDistracted:
    def test_an_answer_from_a_near_miss(self) -> None:
        """The corpus has the warranty of kettles only; the answer takes it for the toaster's."""
        kettle = ("kettles", "The warranty on kettles is 24 months.")
        run = make_run(
            [kettle, ("delivery", "Delivery takes two days.")],
            question="How long is the warranty on toasters?",
            answer="The warranty on toasters is 24 months.",
            relevance={"kettles": 0, "delivery": 0},
        )
        finding = only(run, make_attribution(run, used=[1], claims=["+1"]), "distracted")
        assert (finding.stage, finding.confidence) == ("use", 0.9)
        assert finding.refs == {"claims": (0,), "chunks": (1,)}
        assert finding.why == (
            "The answer makes 1 claim, from the chunks at ranks 1, although gold says that the question cannot be "
            "answered."
        )

    @pytest.mark.parametrize(
        ("gold", "claims", "expected"),
        [
            pytest.param(Gold(relevance={}), ["+1"], True, id="gold names nothing"),
            pytest.param(Gold(relevance={"a": 0, "b": -1}), ["-"], True, id="no positive grade"),
            pytest.param(Gold(answer=" "), ["+1"], True, id="gold has no answer"),
            pytest.param(Gold(sufficient=False), ["+1"], True, id="the context does not suffice"),
            pytest.param(Gold(relevance={"a": 0}, answer="42"), ["+1"], False, id="an answer exists"),
            pytest.param(Gold(relevance={"a": 1}), ["+1"], False, id="something is relevant"),
            pytest.param(Gold(relevance={}, evidence_sets=(("z",),)), ["+1"], False, id="evidence is named"),
            pytest.param(Gold(relevance={}), ["~"], False, id="it states nothing"),
            pytest.param(None, ["+1"], False, id="no labels"),
        ],
    )
    def test_when(self, gold: Gold | None, claims: list[str], expected: bool) -> None:
        run = make_run("ab", gold=gold)
        assert ("distracted" in kinds(run, make_attribution(run, claims=claims))) is expected
        refusal = make_attribution(run, claims=claims, kind="refusal")
        assert "distracted" not in kinds(run, refusal)

    def test_a_claim_that_the_evidence_alone_does_not_back(self) -> None:
        """The evidence says 31, another chunk 45, and the answer follows the other."""
        right = ("a", "The tower in Lune is 31 metres tall.")
        wrong = ("b", "The tower in Lune is 45 metres tall.")
        run = make_run(
            [right, wrong],
            question="How tall is the tower in Lune?",
            answer="The tower in Lune is 45 metres tall.",
            evidence_sets=["a"],
        )
        finding = only(run, attribute(run), "distracted")
        assert (finding.stage, finding.confidence, finding.first_cause) == ("use", 0.85, True)
        assert finding.refs == {"claims": (0,), "chunks": (2,)}
        assert finding.why == (
            "The prompt held the evidence, but 1 claim of the answer follows other chunks (ranks 2), and the evidence "
            "alone does not back it."
        )
        followed = make_run([right, wrong], question=run.question, answer=right[1], evidence_sets=["a"])
        assert kinds(followed, attribute(followed)) == []

    @pytest.mark.parametrize("cited", ["rules.pdf\n\n{}", "{}\n\nrules.pdf", "See rules.pdf: {}", "[2] {}", "{} [2]"])
    def test_citations_of_other_chunks_are_no_words_against_the_evidence(self, cited: str) -> None:
        """Both say the same; without the cited chunk its id would be a sentence that no text backs."""
        said = "The tower in Lune is 31 metres tall."
        answer = cited.format(said)
        run = make_run([("a", f"Note: {said}"), ("rules.pdf", said)], answer=answer, evidence_sets=["a"])
        assert "distracted" not in kinds(run, attribute(run))
        other = make_run([("a", "The tower is old."), ("rules.pdf", said)], answer=answer, evidence_sets=["a"])
        assert "distracted" in kinds(other, attribute(other))

    def test_the_evidence_alone_is_judged_with_the_same_calibration(self) -> None:
        said = "Guests enter the lobby of the house at seven in the morning."
        run = make_run([("a", "The lobby has a fine carpet."), ("b", said)], answer=said, evidence_sets=["a"])
        lenient = Attributor(calibration=Calibration(support=Scaling(intercept=3.0)))
        for attributor, expected in ((None, True), (lenient, False)):
            said_kinds = [one.kind for one in diagnose(run, attribute(run, attributor), attributor)]
            assert ("distracted" in said_kinds) is expected

    def test_right_answers_of_any_size_are_looked_for_in_bounded_work(self) -> None:
        """Quadratic or unbounded work would take minutes here."""
        numbers = "12.5, 13.7 and 2001, " * 50_000
        aliases = tuple(f"{number} Foo Street" for number in range(100_000))
        run = make_run("a", answer=numbers, gold=Gold(relevance={"z": 1}, answer=numbers, aliases=aliases))
        assert "zero_recall" in kinds(run, make_attribution(run))


class TestWrongEvidence:
    CHUNK = ("a", "In 2016 Acme earned 5 million euros.")

    def test_another_year_in_its_place(self) -> None:
        run = make_run(
            [self.CHUNK], question="What did Acme earn in 2017?", answer="In 2017 Acme earned 5 million euros."
        )
        finding = only(run, attribute(run), "wrong_evidence")
        assert (finding.stage, finding.confidence, finding.refs) == ("retrieval", 0.7, {"chunks": (1,)})
        assert finding.first_cause
        labelled = run.model_copy(update={"gold": Gold(relevance={"z": 1})})
        assert only(labelled, attribute(labelled), "wrong_evidence").confidence == 0.95
        assert only(labelled, attribute(labelled), "zero_recall").explained_by == "wrong_evidence"

    @pytest.mark.parametrize(
        ("question", "answer", "chunk", "found"),
        [
            pytest.param(
                "How long is the Ossel?", "The Ossel is 214 km long.", "The Fenna is 214 km long.", True, id="name"
            ),
            pytest.param(
                "How long is the Ossel?", "The Ossel is 214 km long.", "The Ossel is 214 km long.", False, id="same"
            ),
            pytest.param(
                "Does Quill 4.2 run on Linux?",
                "Quill 4.2 runs on Linux.",
                "Quill 3.6 runs on Linux.",
                True,
                id="version",
            ),
            pytest.param(
                "Wie lang ist die Ossel und der Kanal?",
                "Die Ossel ist 214 km lang.",
                "Die Fenna ist 214 km lang.",
                True,
                id="German: the answer repeats it",
            ),
            pytest.param(
                "Wie hoch ist die Vergütung und der Zuschlag?",
                "Das Gehalt ist 500 Euro hoch.",
                "Das Gehalt ist 500 Euro hoch.",
                False,
                id="German: a word the answer does not repeat",
            ),
            pytest.param(
                "澜海科技的收入是多少？", "澜海科技的收入是5亿元。", "北辰科技的收入是5亿元。", True, id="Chinese"
            ),
            pytest.param(
                "Did the Italian plant earn 5 million euros?",
                "The Italian plant earned 5 million euros.",
                "The plant in Italy earned 5 million euros.",
                False,
                id="derived word",
            ),
            pytest.param(
                "What did Nasolind cost?", "Nasolind costs 5 euros.", "Nasolynd costs 5 euros.", False, id="misspelt"
            ),
            pytest.param("Who wrote it after 3 years?", "Ada wrote it.", "Ada wrote it.", False, id="an amount"),
        ],
    )
    def test_what_no_chunk_has(self, question: str, answer: str, chunk: str, found: bool) -> None:
        run = make_run([("a", chunk)], question=question, answer=answer)
        assert ("wrong_evidence" in kinds(run, attribute(run))) is found

    def test_metadata_may_say_it(self) -> None:
        chunk = Chunk(id="a", text="Acme earned 5 million euros.", metadata={"source": "report_2017.pdf"})
        run = make_run(
            [("a", chunk.text)], question="What did Acme earn in 2017?", answer="Acme earned 5 million euros."
        )
        assert "wrong_evidence" in kinds(run, attribute(run))
        said = run.model_copy(update={"chunks": (chunk,)})
        assert "wrong_evidence" not in kinds(said, attribute(said))

    def test_labels_that_find_the_evidence_go_first(self) -> None:
        run = make_run(
            [self.CHUNK], question="What did Acme earn in 2017?", answer="In 2017 it was 5.", evidence_sets=["a"]
        )
        assert "wrong_evidence" not in kinds(run, attribute(run))


class TestLuckyGuess:
    @pytest.mark.parametrize(
        ("claims", "used", "gold", "text", "found"),
        [
            pytest.param(["-"], [], "Paris", "Lyon is on the Rhone.", True, id="nothing used, nothing states it"),
            pytest.param(["-"], [1], "Paris", "Lyon is on the Rhone.", False, id="a chunk was used"),
            pytest.param(["!"], [1], "Paris", "It is Lyon.", False, id="at odds, in a claim without the right answer"),
            pytest.param(["+1"], [1], "Paris", "Lyon is on the Rhone.", False, id="the claim is backed"),
            pytest.param(["?"], [], "Paris", "Lyon is on the Rhone.", False, id="doubt"),
            pytest.param(["-"], [], "Rome", "Lyon is on the Rhone.", False, id="the answer is wrong"),
            pytest.param(["-"], [], "Paris", "Paris is on the Seine.", False, id="the context states it"),
            pytest.param(["-"], [], None, "Lyon is on the Rhone.", False, id="no right answer is known"),
        ],
    )
    def test_when(self, claims: list[str], used: list[int], gold: str | None, text: str, found: bool) -> None:
        run = make_run([("a", text)], answer="It is Paris.", gold_answer=gold)
        said = make_attribution(run, claims=claims, used=used)
        assert ("lucky_guess" in kinds(run, said)) is found

    def test_the_context_says_otherwise(self) -> None:
        run = make_run(
            [("a", "The bridge was opened in 1931.")],
            question="When was the bridge opened?",
            answer="The bridge was opened in 1930.",
            gold_answer="1930",
        )
        said = [(one.kind, one.first_cause) for one in diagnose(run, attribute(run))]
        assert said == [("lucky_guess", True), ("conflicting_claim", False)]

    def test_words(self) -> None:
        run = make_run([("a", "Lyon is on the Rhone.")], answer="It is Paris.", gold_answer="Paris")
        finding = only(run, make_attribution(run, claims=["-"]), "lucky_guess")
        assert (finding.stage, finding.confidence, finding.refs) == ("answer", pytest.approx(0.9), {"claims": (0,)})
        assert finding.why == "The answer is right by gold, and the context neither states it nor backs 1 of 1 claim."


class TestWhoseLabels:
    def test_a_judge_is_less_certain_and_people_go_first(self) -> None:
        judged = make_run("xy", judge=Gold(relevance={"a": 1}))
        assert only(judged, make_attribution(judged), "zero_recall").confidence == pytest.approx(0.8)
        both = make_run("xy", relevance={"x": 1}, judge=Gold(relevance={"a": 1}))
        assert "zero_recall" not in kinds(both)
        refused = make_run("xy", judge=Gold(answer=""))
        finding = only(refused, make_attribution(refused, kind="refusal"), "right_refusal")
        assert finding.confidence == pytest.approx(0.8 * 0.95)
        assert finding.why == "The answer declines, and the judge says that the question cannot be answered."

    @pytest.mark.parametrize(
        ("spans", "expected"),
        [
            pytest.param([(0, 10)], [], id="retrieved"),
            pytest.param([(100, 110)], ["zero_recall"], id="covered by no chunk"),
            pytest.param([(0, 10), (100, 110)], ["incomplete_evidence"], id="one of two"),
        ],
    )
    def test_spans_of_documents_are_evidence(self, spans: list[tuple[int, int]], expected: list[str]) -> None:
        chunk = Chunk(id="a", text="0123456789", metadata={"source": "x.pdf", "start_index": 0})
        gold = Gold(spans=tuple(GoldSpan(document="x.pdf", start=start, end=end) for start, end in spans))
        run = make_run([("a", "0123456789")], gold=gold).model_copy(update={"chunks": (chunk,)})
        assert kinds(run, make_attribution(run, used=[1])) == expected

    def test_spans_that_cannot_be_placed_say_nothing(self) -> None:
        spans = (GoldSpan(document="x.pdf", start=0, end=10),)
        assert kinds(make_run("ab", gold=Gold(spans=spans))) == []
        beside = make_run("xy", gold=Gold(spans=spans, relevance={"a": 1}))
        assert kinds(beside) == ["zero_recall"]
        half = make_run("xa", gold=Gold(spans=spans, relevance={"a": 1, "b": 1}))
        assert kinds(half, make_attribution(half, used=[2])) == ["incomplete_evidence"]


class TestRefusal:
    @pytest.mark.parametrize(
        ("gold", "expected"),
        [
            pytest.param({"evidence_sets": ["ab"]}, "wrong_refusal", id="the evidence was in the context"),
            pytest.param({"relevant": {"a"}}, "wrong_refusal", id="so was the relevant chunk"),
            pytest.param({"gold_answer": ""}, "right_refusal", id="gold has no answer"),
            pytest.param({"gold_answer": "", "relevant": {"a"}}, "right_refusal", id="that goes before relevance"),
            pytest.param({"relevance": {"a": 0}}, "right_refusal", id="gold calls nothing relevant"),
            pytest.param({"evidence_sets": []}, "right_refusal", id="gold names no evidence"),
            pytest.param({"evidence_sets": ["az"]}, None, id="part of the evidence was not there"),
            pytest.param({"gold_answer": "Yes."}, None, id="an answer exists, where is unknown"),
            pytest.param({}, None, id="no gold"),
        ],
    )
    def test_kind(self, gold: dict[str, Any], expected: str | None) -> None:
        run = make_run("ab", **gold)
        said = [one.kind for one in diagnose(run, make_attribution(run, kind="refusal")) if one.stage == "answer"]
        assert said == ([expected] if expected else [])

    def test_an_answer_is_no_refusal(self) -> None:
        assert kinds(make_run("a", gold_answer="")) == []

    def test_a_refusal_that_was_cut_off_is_not_judged(self) -> None:
        run = make_run("a", relevant={"a"}, status="abandoned")
        assert kinds(run, make_attribution(run, kind="refusal")) == []


class TestClaims:
    def test_unsupported_and_conflicting(self) -> None:
        run = make_run("ab")
        found = make_attribution(run, claims=["+1", "-", "!", "-", "~", "?"], conflict=[2])
        bare, conflict = only(run, found, "unsupported_claim"), only(run, found, "conflicting_claim")
        assert (bare.refs, bare.confidence) == ({"claims": (1, 3)}, pytest.approx(0.8 * 0.9))
        assert bare.why == "The context does not back 2 of 5 claims."
        assert conflict.refs == {"claims": (2,), "chunks": (2,)}
        assert conflict.confidence == pytest.approx(0.75 * 0.9)
        assert conflict.why == "The context (chunks at ranks 2) contradicts 1 of 5 claims."

    @pytest.mark.parametrize("verdict", ["-", "?"])
    def test_where_nothing_was_seen_nothing_is_said(self, verdict: str) -> None:
        """A claim without a probability: there was no retrieval to back it."""
        run = make_run("")
        found = make_attribution(run, claims=[verdict], citations=[(0, None)])
        unseen = found.claims[0].model_copy(update={"probability": None})
        assert kinds(run, found.model_copy(update={"claims": (unseen,)})) == ["dangling_citation"]

    @pytest.mark.parametrize("status", ["error", "abandoned", "timeout"])
    def test_half_an_answer_is_not_judged(self, status: str) -> None:
        run = make_run("ab", status=status)
        assert kinds(run, make_attribution(run, claims=["-", "!"], citations=[(0, None)])) == []


class TestCitations:
    def test_each_problem(self) -> None:
        run = make_run("ab")
        found = make_attribution(
            run,
            claims=["+1", "-"],
            citations=[(0, 1), (0, None), (0, 2, False), (1, 2, False), (1, None)],
        )
        dangling = only(run, found, "dangling_citation")
        misplaced = only(run, found, "misplaced_citation")
        unsupported = only(run, found, "unsupported_citation")
        assert (dangling.refs, dangling.confidence) == ({"citations": (1, 4), "claims": (0, 1)}, 0.95)
        assert misplaced.refs == {"citations": (2,), "claims": (0,), "chunks": (2,)}
        assert misplaced.confidence == pytest.approx(0.9)  # chunk 1 backs claim 0 with 0.9
        assert unsupported.refs == {"citations": (3,), "claims": (1,), "chunks": (2,)}
        assert unsupported.confidence == pytest.approx(0.8 * (1 - 0.1))
        assert dangling.why == "Of 5 citations, 2 point to no item the generator got."

    def test_a_chunk_is_not_elsewhere_from_itself(self) -> None:
        run = make_run("ab")
        finding = only(run, make_attribution(run, claims=["+2"], citations=[(0, 2, False)]), "misplaced_citation")
        assert finding.confidence == 0.45

    def test_a_citation_outside_any_claim(self) -> None:
        run = make_run("ab")
        finding = only(run, make_attribution(run, claims=["+1"], citations=[(None, 2, False)]), "unsupported_citation")
        assert (finding.refs, finding.confidence) == ({"citations": (0,), "chunks": (2,)}, 0.8 * 0.5)

    @pytest.mark.parametrize(
        ("claims", "citations", "confidence"),
        [
            pytest.param(["+1", "+2"], [(1, 2)], 0.8, id="the next mark does not speak for it"),
            pytest.param(["+2", "+2"], [(1, 2)], 0.4, id="it does"),
        ],
    )
    def test_one_mark_for_several(self, claims: list[str], citations: list[Any], confidence: float) -> None:
        run = make_run("ab")
        finding = only(run, make_attribution(run, claims=claims, citations=citations), "missing_citation")
        assert (finding.confidence, finding.refs) == (pytest.approx(confidence), {"claims": (0,)})

    @pytest.mark.parametrize(
        ("claims", "citations", "missing"),
        [
            pytest.param(["+1", "+2"], [(0, 1)], (1,), id="one is cited, the other not"),
            pytest.param(["+1", "+2"], [], None, id="the answer cites nowhere: another style"),
            pytest.param(["+1", "-", "~"], [(0, 1)], None, id="only backed claims that need evidence"),
            pytest.param(["+1", "+2"], [(0, 1), (1, 2)], None, id="all cited"),
        ],
    )
    def test_missing(self, claims: list[str], citations: list[Any], missing: tuple[int, ...] | None) -> None:
        run = make_run("ab")
        found = diagnose(run, make_attribution(run, claims=claims, citations=citations))
        said = [one.refs["claims"] for one in found if one.kind == "missing_citation"]
        assert said == ([] if missing is None else [missing])


class TestFirstCause:
    def test_the_first_cause_comes_first_and_the_rest_by_certainty(self) -> None:
        run = make_run("xab", context="xa", evidence_sets=["ab"])
        found = make_attribution(run, used=[1], claims=["+1", "-", "+1"], citations=[(0, 1)])
        said = [(one.kind, one.first_cause, one.explained_by) for one in diagnose(run, found)]
        assert said == [
            ("lost_before_prompt", True, None),  # 1.0, by gold
            ("unused_evidence", False, "lost_before_prompt"),  # 0.9
            ("missing_citation", False, None),  # 0.8
            ("unsupported_claim", False, "lost_before_prompt"),  # 0.8 * 0.9
        ]

    def test_an_earlier_stage_goes_before_a_surer_finding(self) -> None:
        run = make_run("xa", relevant={"a", "b"})
        found = make_attribution(run, claims=["-"], citations=[(0, None)])
        said = [(one.kind, round(one.confidence, 2), one.first_cause) for one in diagnose(run, found)]
        assert said == [
            ("incomplete_evidence", 0.5, True),
            ("dangling_citation", 0.95, False),
            ("unused_evidence", 0.9, False),
            ("unsupported_claim", 0.72, False),
        ]

    def test_a_hint_is_no_cause_and_explains_nothing(self) -> None:
        run = make_run("ab", context="a", context_source="prompt")
        said = diagnose(run, make_attribution(run, claims=["-"]))
        assert [(one.kind, one.first_cause, one.explained_by) for one in said] == [
            ("unsupported_claim", True, None),
            ("lost_before_prompt", False, None),  # 0.3: a guess
        ]

    def test_what_went_well_is_no_cause(self) -> None:
        run = make_run("a", gold_answer="")
        (finding,) = diagnose(run, make_attribution(run, kind="refusal"))
        assert (finding.kind, finding.first_cause) == ("right_refusal", False)

    def test_the_table_names_every_kind_once_and_explains_later_kinds_only(self) -> None:
        order = [rule.kind for rule in RULES]
        assert sorted(order) == sorted(get_args(FindingKind))
        assert all(order.index(kind) > place for place, rule in enumerate(RULES) for kind in rule.explains)


@given(
    st.text(alphabet="abcd", max_size=6),
    st.none() | st.text(alphabet="abcd", max_size=6),
    st.none() | st.dictionaries(st.sampled_from("abcd"), st.integers(-1, 2)),
    st.none() | st.lists(st.text(alphabet="abcd", max_size=3), max_size=3),
    st.sampled_from([None, "", "42"]),
    st.lists(st.sampled_from("-!?~+"), max_size=4),
    st.sampled_from(["answer", "refusal", "empty"]),
    st.sampled_from(["ok", "partial", "error", "abandoned"]),
)
def test_laws(
    retrieved: str,
    context: str | None,
    relevance: dict[str, int] | None,
    sets: list[str] | None,
    answer: str | None,
    claims: list[str],
    kind: Any,
    status: str,
) -> None:
    """The first cause, then by confidence; one of a kind, references that exist, no text of the run."""
    gold = {"relevance": relevance, "evidence_sets": sets, "gold_answer": answer}
    run = make_run(retrieved, context=context, status=status, **gold)
    citations = [(place, None) for place in range(len(claims))]
    found = make_attribution(run, claims=claims, citations=citations, kind=kind)
    said = diagnose(run, found)
    rest = [one.confidence for one in said if not one.first_cause]
    assert rest == sorted(rest, reverse=True)
    assert [one.first_cause for one in said] == [place == 0 and said[0].first_cause for place in range(len(said))]
    assert any(one.first_cause for one in said) == any(
        one.confidence >= 0.5 and one.kind != "right_refusal" for one in said
    )
    assert {one.explained_by for one in said} - {None} <= {one.kind for one in said}
    assert len({one.kind for one in said}) == len(said)
    for one in said:
        assert one.why.endswith(".")
        assert "Passage" not in one.why
        assert "Claim 0." not in one.why
        assert all(number < len(found.claims) for number in one.refs.get("claims", ()))
        assert all(number < len(found.citations) for number in one.refs.get("citations", ()))
        assert all(1 <= rank <= len(found.chunks) for rank in one.refs.get("chunks", ()))
        assert one.stage in ("retrieval", "packing") or run.answer_is_whole
        assert one.stage != "retrieval" or run.gold is not None
