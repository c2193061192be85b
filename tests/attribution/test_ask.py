"""A support model is asked about uncertain claims only, and its failure costs nothing but its answer."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from rag_eval_hooks import Attributor, Evaluation, RagRun, evaluate, read_run
from rag_eval_hooks.attribution import ask
from rag_eval_hooks.attribution.attribute import UNSUPPORTED_BELOW
from rag_eval_hooks.capture import Items
from rag_eval_hooks.capture.guard import caught_counts, record_caught
from rag_eval_hooks.hooks import Hooks
from rag_eval_hooks.record import Claim
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM
from rag_eval_hooks.replay import replay
from rag_eval_hooks.sinks import MemorySink

Pairs = Sequence[tuple[str, str]]
FACTS = (
    "harbour lighthouse granite keeper lantern village fishermen storm anchor barrel candle window rope sail".split()
)
OTHERS = "airport banana carpet dentist elephant fiddle gravel helmet island jacket kettle lemon magnet needle".split()


def ladder() -> RagRun:
    """One claim for each number of words that the context knows, from all to none: some are in the abstain band."""
    lines = ["Hello there!"]
    for known in range(len(FACTS), -1, -1):
        words = FACTS[:known] + OTHERS[known:]
        lines += [f"There: {', '.join(words)}.", f"Look: {' and '.join(words)}."]
    told = f"They saw {', '.join(FACTS)}."
    contexts = [{"id": "c1", "text": f"Nothing of note. {told}"}, {"id": "c2", "text": "The sea is blue."}]
    return read_run({"id": "r", "question": "What?", "contexts": contexts, "answer": "\n\n".join(lines)})


class Fake:
    """Gives each pair the same score, and keeps what it was asked."""

    name = "fake"

    def __init__(self, score: Any = 0.9) -> None:
        self.asked: list[tuple[str, str]] = []
        self._score = score

    def score(self, pairs: Pairs) -> list[float]:
        self.asked += pairs
        return [self._score] * len(pairs)


class Odd:
    """Does with the pairs what it is given to do; has no name."""

    def __init__(self, does: Callable[[Pairs], Any]) -> None:
        self._does = does

    def score(self, pairs: Pairs) -> Any:
        return self._does(pairs)


@pytest.fixture
def caught() -> Iterator[list[Exception]]:
    errors: list[Exception] = []
    record_caught(errors)
    yield errors
    record_caught(None)


def uncertain(evaluation: Evaluation) -> list[Claim]:
    found = [claim for claim in evaluation.claims if claim.verdict == "uncertain"]
    assert found, "the ladder must have claims in the abstain band, or it proves nothing"
    return found


def without_claims(evaluation: Evaluation) -> dict[str, Any]:
    """All that a support model must leave alone; what is derived from the claims is left out."""
    return evaluation.model_dump(exclude={"claims", "results", "findings", "made_by"})


@pytest.mark.parametrize(
    ("score", "verdict"),
    [
        pytest.param(SUPPORTED_FROM, "supported", id="the upper threshold belongs to supported"),
        pytest.param((SUPPORTED_FROM + UNSUPPORTED_BELOW) / 2, "uncertain", id="it may be unsure as well"),
        pytest.param(math.nextafter(UNSUPPORTED_BELOW, 0), "unsupported", id="just below the lower threshold"),
        pytest.param(0, "unsupported", id="0"),
        pytest.param(1, "supported", id="1"),
    ],
)
def test_only_uncertain_claims_change_and_follow_the_thresholds(score: float, verdict: str) -> None:
    run, model = ladder(), Fake(score)
    plain, asked = evaluate(run), evaluate(run, attributor=Attributor(support_model=model))
    band = {claim.index for claim in uncertain(plain)}
    assert without_claims(asked) == without_claims(plain)
    for before, after in zip(plain.claims, asked.claims, strict=True):
        if before.index not in band:
            assert after == before
            continue
        assert (after.verdict, after.probability) == (verdict, score)
        assert [one.id for one in after.supported_by] == (["c1"] if verdict == "supported" else [])
        assert all(one.probability == score for one in after.supported_by)
    assert [hypothesis for _, hypothesis in model.asked] == [plain.claims[index].text for index in sorted(band)]
    assert all(premise == f"They saw {', '.join(FACTS)}." for premise, _ in model.asked)
    assert (asked.made_by.attributor, asked.made_by.attributor_version.rpartition("+")[2]) == ("tier0+model", "fake")
    assert evaluate(run, attributor=Attributor(support_model=model)) == asked


def test_nothing_is_asked_where_nothing_is_uncertain() -> None:
    def fail(_: Pairs) -> Any:
        raise AssertionError

    attributor = Attributor(support_model=Odd(fail))
    for answer, contexts in (("The sea is blue.", ["The sea is blue."]), ("The sea is blue.", None), ("", ["x"])):
        run = read_run({"question": "?", "answer": answer, **({} if contexts is None else {"contexts": contexts})})
        plain, asked = evaluate(run), evaluate(run, attributor=attributor)
        assert asked.model_dump(exclude={"made_by"}) == plain.model_dump(exclude={"made_by"})
        assert asked.made_by.attributor == "tier0+model"


def fails(_: Pairs) -> Any:
    raise RuntimeError("no memory")


def breaks_off(pairs: Pairs) -> Iterator[float]:
    yield from [0.9] * (len(pairs) - 1)
    raise RuntimeError("broke off")


@pytest.mark.parametrize(
    ("does", "errors"),
    [
        pytest.param(fails, 1, id="raises"),
        pytest.param(breaks_off, 1, id="raises in between"),
        pytest.param(lambda pairs: [math.nan] * len(pairs), 0, id="NaN"),
        pytest.param(lambda pairs: [math.inf] * len(pairs), 0, id="infinite"),
        pytest.param(lambda pairs: [1.0001] * len(pairs), 0, id="no probability"),
        pytest.param(lambda pairs: [], 0, id="nothing"),
        pytest.param(lambda pairs: None, 1, id="None"),
        pytest.param(lambda pairs: ["likely"] * len(pairs), 1, id="words"),
        pytest.param(lambda pairs: [0.9] * (len(pairs) + 1), 1, id="more than asked"),
        pytest.param(lambda pairs: iter(lambda: 0.9, 0), 1, id="without end"),
    ],
)
def test_where_the_model_does_not_answer_tier_0_stands(
    does: Callable[[Pairs], Any], errors: int, caught: list[Exception]
) -> None:
    run = ladder()
    plain = evaluate(run)
    counted = caught_counts().get("support_model.score", 0)
    asked = evaluate(run, attributor=Attributor(support_model=Odd(does)))
    assert uncertain(asked) == uncertain(plain)
    assert asked.model_dump(exclude={"made_by"}) == plain.model_dump(exclude={"made_by"})
    assert asked.made_by.attributor == "tier0+model:incomplete"
    assert len(caught) == errors == caught_counts().get("support_model.score", 0) - counted


def test_a_signal_to_stop_is_no_failure_of_the_model() -> None:
    def stops(_: Pairs) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(ladder(), attributor=Attributor(support_model=Odd(stops)))


@pytest.mark.parametrize("answered", [lambda pairs: [0.9], lambda pairs: [0.9] + [math.nan] * (len(pairs) - 1)])
def test_a_model_that_answers_in_part_is_taken_for_that_part(answered: Callable[[Pairs], Any]) -> None:
    run = ladder()
    first, *rest = uncertain(evaluate(run))
    assert rest
    asked = evaluate(run, attributor=Attributor(support_model=Odd(answered)))
    assert (asked.claims[first.index].verdict, asked.claims[first.index].probability) == ("supported", 0.9)
    assert uncertain(asked) == rest
    assert asked.made_by.attributor == "tier0+model:incomplete"


def test_an_answer_has_a_bounded_number_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "MAX_PAIRS", 1)
    run, model = ladder(), Fake()
    asked = evaluate(run, attributor=Attributor(support_model=model))
    assert len(model.asked) == 1
    assert uncertain(asked) == uncertain(evaluate(run))[1:]
    assert asked.made_by.attributor == "tier0+model:incomplete"


def test_premises_and_hypotheses_are_bounded() -> None:
    run = ladder()
    claim = uncertain(evaluate(run))[0]
    model = Fake()
    long = run.model_copy(update={"answer": f"{claim.text[:-1]}, " * 60})
    evaluate(long, attributor=Attributor(support_model=model))
    evaluate(run, attributor=Attributor(support_model=model))
    assert max(len(text) for pair in model.asked for text in pair) == ask.MAX_TEXT


def test_the_best_of_several_texts_counts_and_a_repeated_chunk_is_asked_about_once() -> None:
    run = ladder()
    claim = uncertain(evaluate(run))[0]
    text = run.chunks[0].text
    contexts = [text, f"Also: {text.replace('storm', 'gale')}", text]
    three = read_run({"question": "What?", "contexts": contexts, "answer": claim.text})
    model = Odd(lambda pairs: [0.7 if "gale" in premise else 0.8 for premise, _ in pairs])
    (only,) = evaluate(three, attributor=Attributor(support_model=model)).claims
    assert (only.verdict, only.probability) == ("supported", 0.8)
    assert [(one.rank, one.probability) for one in only.supported_by] == [(1, 0.8), (3, 0.8), (2, 0.7)]


def test_a_citation_agrees_with_the_claim_it_stands_at() -> None:
    run = ladder()
    claim = uncertain(evaluate(run))[0]
    cited = run.model_copy(update={"answer": f"{claim.text[:-1]} [1]."})
    for score, supported in ((0.9, True), (0.1, False)):
        evaluation = evaluate(cited, attributor=Attributor(support_model=Fake(score)))
        (citation,) = evaluation.citations
        assert (citation.target, citation.supported) == ("c1", supported), score


def test_a_service_counts_evaluations_with_claims_left_open(caught: list[Exception]) -> None:
    run = ladder()
    assert run.answer is not None
    with Hooks(attributor=Attributor(support_model=Odd(fails))) as hooks:
        collector = hooks.collector("test 1")
        for number, answer in enumerate(("Yes.", run.answer)):
            root = f"q{number}"
            collector.start(root, None, "chain", "chain", "What?")
            collector.start(root + "r", root, "retriever", "search", "What?")
            collector.end(root + "r", Items([("c1", run.chunks[0].text, {}, None)]))
            collector.end(root, answer)
        assert hooks.flush(60) == 0
        assert {word: hooks.stats()[word] for word in ("evaluated", "failed_evaluation", "model_incomplete")} == {
            "evaluated": 2,
            "failed_evaluation": 0,
            "model_incomplete": 1,
        }
    assert len(caught) == 1


def test_replay_counts_evaluations_with_claims_left_open(tmp_path: Path, caught: list[Exception]) -> None:
    run = ladder()
    log, out = tmp_path / "log.jsonl", tmp_path / "out.jsonl"
    log.write_text(run.model_dump_json() + "\n" + json.dumps({"answer": "Yes."}) + "\n", "utf-8")
    sink = MemorySink()
    summary = replay(log, out, attributor=Attributor(support_model=Odd(fails)), sink=sink)
    assert (summary.evaluated, summary.model_incomplete) == (2, 1)
    assert replay(log, out, attributor=Attributor(support_model=Fake())).model_incomplete == 0
