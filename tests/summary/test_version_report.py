"""The report of one version: what it counts, what it says it does not know, and that no text becomes markup."""

import re
from typing import Any

import pytest

from rag_eval_hooks import evaluate
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.metrics import P, R, parse_metric
from rag_eval_hooks.record import Evaluation, Finding, Gold, RagRun, Stage, StageItem
from rag_eval_hooks.reports.overview import Overview
from rag_eval_hooks.summary import VersionReport, version_report
from rag_eval_hooks.summary.version import WANTED
from rag_eval_hooks.summary.version_text import version_markdown
from rag_eval_hooks.testing import make_run

EVIL = "<script>alert(1)</script> | [x](javascript:1) `*_#"


def pair(
    number: int = 0, findings: tuple[str, ...] = (), cause: str | None = None, **more: Any
) -> tuple[RagRun, Evaluation]:
    """A run whose evaluation has findings of these kinds, those of one kind marked as the first cause."""
    run = make_run(
        more.pop("retrieved", "ab"), question=more.pop("question", f"question {number}"), run_id=f"r{number}", **more
    )
    kinds = tuple(
        Finding(kind=kind, stage="answer", confidence=1, why="because", first_cause=kind == cause)  # type: ignore[arg-type]
        for kind in findings
    )
    return run, evaluate(run).model_copy(update={"findings": kinds})


def measures(report: VersionReport) -> dict[str, Any]:
    return {one.metric: one for one in report.measures}


def test_every_wanted_measure_is_there_with_what_it_rests_on() -> None:
    """P@2 of runs that retrieve a, b where b, both or nothing is relevant: (1/2 + 2/2 + 0/2) / 3."""
    report = version_report(pair(n, relevant=set(gold), k=2) for n, gold in enumerate(("b", "ab", "x")))
    found = measures(report)
    names = {name.partition("@")[0] for name in found}
    assert set(WANTED) <= names
    assert found["P@2"].mean == pytest.approx(1 / 2)
    assert found["P@2"].scored == 3
    assert found["UDCG@2"].mean is None
    assert found["UDCG@2"].not_scored == {"no_utility": 3}
    assert all(one.mean is None or one.interval.low is not None for one in report.measures)
    assert any("UDCG@2" in note for note in report.notes)
    assert report.retrieval.cutoffs == {"2": 3}


def test_the_page_says_in_words_why_there_is_no_value() -> None:
    page = version_markdown(version_report([pair(relevant={"a"}), pair(1)]))
    row = next(line for line in page.splitlines() if line.startswith("| UDCG "))
    assert "1 × no gold labels were given; 1 × a retrieved item has no utility label" in row
    row = next(line for line in page.splitlines() if line.startswith("| RR "))
    assert "1 × no gold labels were given" in row
    assert "no_gold" not in page.replace("\\", "")


def test_a_stored_measure_is_not_computed_again_with_another_cutoff() -> None:
    run = make_run("abc", relevant={"c"}, question="q")
    report = version_report([(run, evaluate(run, [R(k=1)]))])
    assert [name for name in measures(report) if name.startswith("R") and not name.startswith("RR")] == ["R@1"]
    more = version_report([(run, evaluate(run, [R(k=1)]))], metrics=[parse_metric("R@3")])
    assert (measures(more)["R@1"].mean, measures(more)["R@3"].mean) == (0.0, 1.0)


def test_a_measure_over_other_labels_does_not_stand_in_for_the_plain_one() -> None:
    run = make_run("ab", relevant={"b"}, used=["a", "b"], question="q")
    report = version_report([(run, evaluate(run, [P(labels="used")]))])
    found = measures(report)
    assert (found["P(labels=used)"].mean, found["P"].mean) == (1.0, 0.5)


def test_evaluations_alone_say_what_they_cannot() -> None:
    _, evaluation = pair(relevant={"b"})
    report = version_report([(None, evaluation.model_copy(update={"results": evaluation.results[:1]}))])
    assert report.retrieval.unit is None
    assert "1 of 1 runs are stored as evaluations only" in report.notes[0]
    assert "not to be computed without the runs: P, R, RR" in report.notes[1]
    assert "No run holds its chunks." in version_markdown(report)


def test_no_runs_at_all_give_a_page_without_numbers() -> None:
    report = version_report([])
    page = version_markdown(report)
    assert (report.runs, report.measures, report.times) == (0, (), ())
    assert "Queries: 0 runs of 0 different questions" in page
    assert "nan" not in page.lower()


def test_zero_recall_is_told_by_gold_or_by_a_finding() -> None:
    pairs = [
        pair(0, relevant={"x"}),
        pair(1, relevant={"a"}),
        pair(2),
        pair(3, ("zero_recall",)),
    ]
    found = version_report(pairs).zero_recall
    assert (found.runs, found.judged) == (2, 3)
    assert [one.run_id for one in found.listed] == ["r0", "r3"]


def test_zero_recall_lists_the_first_and_counts_all() -> None:
    report = version_report(pair(number, relevant={"x"}) for number in range(60))
    assert (report.zero_recall.runs, len(report.zero_recall.listed)) == (60, 50)
    assert "60 of 60 runs that can be told; the first 50 are:" in version_markdown(report)


def test_faults_are_counted_by_run_and_weighted() -> None:
    """Found in two of three runs, one of which stands for ten: (10 + 1) / 12; the first cause in the other: 1 / 12."""
    pairs = [
        pair(0, ("distracted", "distracted"), inclusion_probability=0.1),
        pair(1, ("distracted", "right_refusal"), cause="distracted"),
        pair(2),
    ]
    report = version_report(pairs)
    assert [(one.kind, one.first_cause_runs, one.runs, one.fault) for one in report.findings] == [
        ("distracted", 1, 2, True),
        ("right_refusal", 0, 1, False),
    ]
    assert report.findings[0].share.mean == pytest.approx(11 / 12)
    assert report.findings[0].first_cause_share.mean == pytest.approx(1 / 12)
    assert report.represented == pytest.approx(12)
    assert any("sampled" in note for note in report.notes)


def test_first_causes_go_before_what_is_found_more_often() -> None:
    """`unsupported_claim` follows from `zero_recall` twice and is found once more, never as the first cause."""
    followed = ("zero_recall", "unsupported_claim")
    pairs = [pair(0, followed, cause="zero_recall"), pair(1, followed, cause="zero_recall"), pair(2, followed[1:])]
    report = version_report(pairs)
    found = [(one.kind, one.first_cause_runs, one.runs) for one in report.findings]
    assert found == [("zero_recall", 2, 2), ("unsupported_claim", 0, 3)]
    assert report.outcomes == {"cause": 2, "unmarked": 1}
    page = version_markdown(report)
    assert "Of 3 runs: 2 with a first cause, 1 with findings of which none is marked as the first." in page
    (row,) = (line for line in page.splitlines() if "`zero_recall`" in line)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert (cells[3], cells[6]) == ("2", "2")


def test_first_causes_are_counted_as_the_page_counts_them() -> None:
    pairs = [
        pair(0, ("zero_recall", "distracted"), cause="zero_recall"),
        pair(1, ("distracted",), cause="distracted"),
        pair(2, ("right_refusal",)),
        pair(3),
    ]
    page = Overview()
    for run, evaluation in pairs:
        page.add(run, evaluation, None)
    report = version_report(pairs)
    assert report.outcomes == page.outcomes
    causes = {one.kind: one.first_cause_runs for one in report.findings if one.first_cause_runs}
    assert causes == {kind: count for (_, kind), count in page.causes.items()}


def test_sufficiency_is_as_known_as_its_labels() -> None:
    def labelled(number: int, gold: bool | None, judge: bool | None) -> tuple[RagRun, Evaluation]:
        run, evaluation = pair(number)
        return run.model_copy(update={"gold": Gold(sufficient=gold), "judge": Gold(sufficient=judge)}), evaluation

    report = version_report([labelled(0, True, None), labelled(1, False, None), labelled(2, None, True)])
    assert [(one.labels, one.share.mean, one.share.scored, one.unlabelled) for one in report.sufficiency] == [
        ("gold", 0.5, 2, 1),
        ("judge", 1.0, 1, 2),
    ]
    unlabelled = version_report([pair()])
    assert unlabelled.sufficiency == ()
    assert any("nobody labelled" in note for note in unlabelled.notes)


def test_latency_by_quantiles_and_by_step() -> None:
    """Of 1 to 10 ms, 10 % do not exceed 1, 50 % not 5, 90 % not 9; two searches of a run add up."""

    def timed(number: int) -> tuple[RagRun, Evaluation]:
        run, evaluation = pair(number)
        stage = Stage(items=(StageItem(chunk=0),), duration_ms=2.0)
        again = stage.model_copy(update={"round": 2, "duration_ms": 3.0})
        return run.model_copy(update={"duration_ms": float(number), "stages": (stage, again)}), evaluation

    report = version_report([*(timed(number) for number in range(1, 11)), pair(11)])
    whole, search = report.times
    assert (whole.what, whole.unknown, search.what) == ("whole run", 1, "retrieve")
    assert (whole.milliseconds.p10, whole.milliseconds.p50, whole.milliseconds.p90, whole.p99_ms) == (1, 5, 9, 10)
    assert (search.milliseconds.p50, search.milliseconds.scored) == (5.0, 10)


def test_the_retrieval_unit_is_what_most_items_are() -> None:
    def placed(metadata: dict[str, Any]) -> VersionReport:
        run, evaluation = pair()
        chunks = tuple(chunk.model_copy(update={"metadata": metadata}) for chunk in run.chunks)
        return version_report([(run.model_copy(update={"chunks": chunks}), evaluation)])

    assert placed({"source": "a.pdf", "page": 3}).retrieval.unit == "chunk with place"
    assert placed({"source": "a.pdf"}).retrieval.unit == "chunk of a document"
    assert placed({"page": 3}).retrieval.unit == "chunk"
    found = placed({"source": "a.pdf"}).retrieval
    assert (found.documents.count, found.chunks.count, found.with_place) == (1, 2, 0.0)


def test_slices_are_found_and_ids_are_not_taken_for_slices() -> None:
    pairs = [
        pair(n, relevant={"a"}, metadata={"topic": "ab"[n % 2], "session": f"s{n}", "app": "one"}) for n in range(30)
    ]
    report = version_report(pairs)
    assert {one.slice.key for one in report.slices} == {"metadata.topic"}
    assert [(str(one.slice), one.runs) for one in report.slices] == [("metadata.topic=a", 15), ("metadata.topic=b", 15)]
    assert any("not cut by metadata.session" in note for note in report.notes)
    named = version_report(pairs, by=["metadata.session"])
    assert len(named.slices) == 30


def test_a_slice_key_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot cut by 'topic'"):
        version_report([], by=["topic"])


def test_the_worst_runs_are_named_and_good_ones_are_not() -> None:
    report = version_report(pair(n, relevant={"a"} if n else {"x"}) for n in range(8))
    assert [one.run_id for one in measures(report)["RR"].worst] == ["r0"]


def test_json_reads_back_and_is_the_same_each_time() -> None:
    def pairs() -> Any:
        return (pair(n, relevant={"ab"[n % 2]}, metadata={"topic": n % 3}) for n in range(25))

    report = version_report(pairs())
    text = report.model_dump_json()
    assert VersionReport.model_validate_json(text) == report
    assert version_report(pairs()).model_dump_json() == text
    schema = VersionReport.model_json_schema()
    assert all("description" in field for field in schema["properties"].values() if "const" not in field)


def test_no_text_of_a_run_becomes_markup() -> None:
    run, evaluation = pair(0, question=EVIL, relevant={"x"}, metadata={"topic": EVIL}, tags=(EVIL,))
    other, its = pair(1, relevant={"a"}, metadata={"topic": "b"}, tags=("c",))
    named = evaluation.model_copy(update={"run_id": EVIL})
    page = version_markdown(version_report([(run, named), (other, its)], title=EVIL))
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "](" not in page.replace("\\](", "").replace("\\]", "")
    # Every table row has as many unescaped bars as its header.
    for table in re.findall(r"(?:^\|.*\n)+", page, flags=re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


def test_unbounded_many_measures_are_cut_and_said() -> None:
    run, evaluation = pair()
    results = tuple(evaluation.results[0].model_copy(update={"metric": f"own{number}"}) for number in range(500))
    report = version_report([(run, evaluation.model_copy(update={"results": results}))])
    assert len(report.measures) == 200
    assert any("beyond the first 200" in note for note in report.notes)
