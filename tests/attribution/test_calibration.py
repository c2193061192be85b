"""Probabilities fitted to labels: the laws of the map, what few labels may do, and what reaches an evaluation."""

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks import Attributor, Evaluation, RagEvalHooksError, RagRun, evaluate, read_run
from rag_eval_hooks.attribution import Calibration, Scaling, prior_shift, recalibrate
from rag_eval_hooks.attribution.calibration import expected_calibration_error
from rag_eval_hooks.attribution.log_odds import log_odds
from rag_eval_hooks.attribution.recalibrate import ContradictingLabels, fit_head, fit_scaling

PROBABILITY = st.floats(0, 1)
SHARE = st.floats(0.02, 0.98)


def sigmoid(score: float) -> float:
    return 1 / (1 + math.exp(-score))


# The map ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slope", "intercept", "before", "after"),
    [
        pytest.param(1, 0, 0.123456789, 0.123456789, id="the identity changes nothing"),
        pytest.param(1, 0, 1.0, 1.0, id="not even at the end"),
        pytest.param(1, math.log(3), 0.5, 0.75, id="odds of 1 to 1 times 3"),
        pytest.param(2, 0, 0.75, 0.9, id="odds of 3 to 1 squared"),
    ],
)
def test_the_map(slope: float, intercept: float, before: float, after: float) -> None:
    assert Scaling(slope, intercept).apply(before) == pytest.approx(after)
    assert Scaling(slope, intercept).undo(after) == pytest.approx(before, abs=1e-4)


@given(st.floats(0.1, 5), st.floats(-5, 5), PROBABILITY, PROBABILITY)
def test_the_map_keeps_order_and_bounds(slope: float, intercept: float, one: float, other: float) -> None:
    scaling = Scaling(slope, intercept)
    low, high = scaling.apply(min(one, other)), scaling.apply(max(one, other))
    assert 0 <= low <= high <= 1


@pytest.mark.parametrize("slope", [0, -1, math.nan, math.inf, 0.009, 20.1, 1e9])
def test_a_slope_that_no_labels_give_is_refused(slope: float) -> None:
    with pytest.raises(RagEvalHooksError, match=r"^slope: expected a number from 0\.01 to 20, got"):
        Scaling(slope, 0)


@pytest.mark.parametrize("intercept", [math.nan, math.inf, -math.inf, 100.1, -1e9])
def test_an_intercept_that_no_labels_give_is_refused(intercept: float) -> None:
    with pytest.raises(RagEvalHooksError, match=r"^intercept: expected a number from -100 to 100, got"):
        Scaling(1, intercept)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        pytest.param([], 0.0, id="nothing"),
        pytest.param([(1.0, True), (0.0, False)], 0.0, id="both ends right"),
        pytest.param([(0.95, True), (0.95, False)], 0.45, id="one bin: 0.95 said, 0.5 true"),
        pytest.param([(0.05, True), (0.95, True)], (0.95 + 0.05) / 2, id="two bins weigh alike"),
        pytest.param([(0.61, True), (0.69, False), (0.2, False)], (0.3 + 0.2) / 3, id="1.30 said, 1 true; 0.2 said"),
    ],
)
def test_expected_calibration_error(pairs: list[tuple[float, bool]], expected: float) -> None:
    assert expected_calibration_error(pairs) == pytest.approx(expected)


# Fitting ---------------------------------------------------------------------------------------------------------


def simulated(count: int, slope: float, intercept: float, seed: int = 0) -> list[tuple[float, bool]]:
    """Probabilities whose true log-odds are `slope` times theirs plus `intercept`."""
    chance = random.Random(seed)  # noqa: S311
    scores = [chance.gauss(0, 2) for _ in range(count)]
    return [(sigmoid(score), chance.random() < sigmoid(slope * score + intercept)) for score in scores]


def test_many_labels_give_the_map_back() -> None:
    slope, intercept = fit_scaling(simulated(20_000, 0.6, -0.8), with_slope=True)
    assert slope == pytest.approx(0.6, abs=0.03)
    assert intercept == pytest.approx(-0.8, abs=0.05)


def test_the_fit_has_no_better_neighbour() -> None:
    """At the optimum the penalised likelihood falls in each direction: its gradient by hand is 0."""
    pairs = simulated(80, 0.5, 1.0)
    slope, intercept = fit_scaling(pairs, with_slope=True)
    left = [(sigmoid(slope * log_odds(p) + intercept) - label, log_odds(p)) for p, label in pairs]
    assert sum(rest * x for rest, x in left) + (slope - 1) / 0.2**2 == pytest.approx(0, abs=1e-6)
    assert sum(rest for rest, _ in left) + intercept == pytest.approx(0, abs=1e-6)


def test_labels_that_agree_leave_the_map_near_the_identity() -> None:
    slope, intercept = fit_scaling(simulated(60, 1, 0), with_slope=True)
    assert (slope, intercept) == (pytest.approx(1, abs=0.25), pytest.approx(0, abs=0.7))


def test_labels_that_contradict_the_scores_do_not_turn_the_order() -> None:
    slope, _ = fit_scaling(simulated(5_000, -1, 0), with_slope=True)
    assert slope == 0.1


@pytest.mark.parametrize("sure", [0.0, 1.0])
@pytest.mark.parametrize("label", [False, True])
def test_certain_probabilities_stay_finite(sure: float, label: bool) -> None:
    slope, intercept = fit_scaling([(sure, label)] * 60, with_slope=True)
    assert slope > 0
    assert math.isfinite(intercept)


@pytest.mark.parametrize(
    ("count", "positive", "slope"),
    [
        pytest.param(19, 9, None, id="19 labels are refused"),
        pytest.param(20, 10, "one", id="20 give an intercept"),
        pytest.param(20, 20, None, id="of one kind only"),
        pytest.param(49, 20, "one", id="49, too"),
        pytest.param(50, 9, "one", id="9 of a kind say nothing of the slope"),
        pytest.param(50, 10, "fitted", id="50 with 10 of each give a slope"),
    ],
)
def test_how_much_is_fitted_depends_on_the_labels(count: int, positive: int, slope: str | None) -> None:
    pairs = [(0.6 + number / 200, number < positive) for number in range(count)]
    fit = fit_head("use", [pairs[at : at + 3] for at in range(0, count, 3)])
    assert (None if fit is None else "one" if fit.scaling.slope == 1 else "fitted") == slope
    if fit is not None:
        assert (fit.scaling.labels, fit.scaling.share) == (count, round(positive / count, 4))


def test_the_error_after_is_not_from_the_labels_fitted() -> None:
    """One run holds all positives: a fit to the others cannot know of them."""
    groups = [[(0.5, True)] * 10] + [[(0.5, False)] * 10 for _ in range(4)]
    fit = fit_head("use", groups)
    assert fit is not None
    assert fit.after.ece > 0.1
    assert fit.scaling.apply(0.5) == pytest.approx(0.2, abs=0.08)


# Prior shift -----------------------------------------------------------------------------------------------------


@given(SHARE, st.integers(1, 50))
def test_where_the_mean_is_the_prior_nothing_shifts(prior: float, count: int) -> None:
    assert prior_shift([prior] * count, prior) == pytest.approx(prior, abs=0.5 / count + 1e-6)
    assert prior_shift([prior / 2, (1 + prior) / 2, prior], prior) is not None


@given(st.lists(st.floats(0.01, 0.99), min_size=5, max_size=30), SHARE)
def test_higher_probabilities_give_no_lower_share(probabilities: list[float], prior: float) -> None:
    higher = [(1 + value) / 2 for value in probabilities]
    assert prior_shift(higher, prior) >= prior_shift(probabilities, prior) - 1e-3


@pytest.mark.parametrize("true", [0.05, 0.2, 0.5, 0.8])
def test_a_known_shift_is_recovered(true: float) -> None:
    """Scores of two normal distributions; the classifier is right where half are positive (Saerens et al., 2002)."""
    chance = random.Random(1)  # noqa: S311
    scores = [chance.gauss(1 if chance.random() < true else -1, 1) for _ in range(5_000)]
    probabilities = [sigmoid(2 * score) for score in scores]  # Bayes for these two and equal shares
    estimated = prior_shift(probabilities, 0.5)
    assert estimated == pytest.approx(true, abs=0.03)
    adjusted = Calibration().with_prior(estimated, fitted_at=0.5).use
    assert adjusted is not None
    right = [sigmoid(2 * score + log_odds(true)) for score in scores]
    assert max(abs(adjusted.apply(p) - r) for p, r in zip(probabilities, right, strict=True)) < 0.05


@pytest.mark.parametrize("shares", [(0.3, 0.3), (0.71, 0.71)])
def test_the_same_prior_is_the_identity(shares: tuple[float, float]) -> None:
    scaling = Scaling(1.5, -0.2, labels=60, share=shares[1])
    assert Calibration(support=scaling).with_prior(shares[0], head="support") == Calibration(support=scaling)


@given(SHARE, SHARE, SHARE, PROBABILITY)
def test_a_higher_share_raises_probabilities(fitted: float, one: float, other: float, probability: float) -> None:
    low, high = (Calibration().with_prior(s, fitted_at=fitted).use for s in sorted((one, other)))
    assert low is not None
    assert high is not None
    assert low.apply(probability) <= high.apply(probability) + 1e-4  # the identity leaves the ends as they are


@pytest.mark.parametrize(
    "call",
    [
        lambda: prior_shift([], 0.5),
        lambda: prior_shift([0.5], 0.0),
        lambda: prior_shift([0.5], 1.0),
        lambda: Calibration().with_prior(0.5),
        lambda: Calibration().with_prior(1.0, fitted_at=0.5),
        lambda: Calibration().with_prior(0.5, fitted_at=0.0),
    ],
)
def test_shares_that_cannot_be_are_refused(call: Any) -> None:
    with pytest.raises(RagEvalHooksError):
        call()


# Runs ------------------------------------------------------------------------------------------------------------


def labelled(number: int, gold: dict[str, Any] | None) -> RagRun:
    contexts = [
        {"id": "a", "text": f"The mast of ship {number} is {30 + number} metres tall."},
        {"id": "b", "text": "The harbour serves tea and has a small tower beside the mast."},
    ]
    answer = f"The mast of ship {number} is {30 + number} metres tall. It has a small tower."
    return read_run({"id": f"r{number}", "contexts": contexts, "answer": answer, "gold": gold})


def test_runs_with_labels_give_a_calibration() -> None:
    """People say that the second chunk was never used: what the head says of it falls."""
    runs = [labelled(number, {"used": ["a"]}) for number in range(30)]
    found = recalibrate(iter(runs))
    assert found.support is None
    assert found.use is not None
    assert (found.use.labels, found.use.share) == (60, 0.5)
    before = evaluate(runs[3]).chunks[1].use_probability
    after = evaluate(runs[3], attributor=Attributor(calibration=found)).chunks[1].use_probability
    assert before is not None
    assert after is not None
    assert after < before
    again = recalibrate(runs, Attributor(calibration=found))
    assert again.use == found.use, "a calibration is fitted to what the heads say without one"


def test_claims_have_labels_of_their_own() -> None:
    runs = [labelled(number, {"supported": [True, number % 3 == 0]}) for number in range(30)]
    found = recalibrate(runs).support
    assert found is not None
    assert (found.labels, found.share) == (60, round(40 / 60, 4))
    some = [labelled(number, {"supported": [None, number % 2 == 0]}) for number in range(30)]
    counted = recalibrate(some).support
    assert counted is not None
    assert counted.labels == 30


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        pytest.param(None, "found: use none, support none", id="no labels"),
        pytest.param({"used": ["a"]}, r"found: use 10 \(5 positive\), support none", id="too few"),
        pytest.param({"supported": [True]}, "has 1 verdicts, the answer 2 claims", id="claims that are not there"),
    ],
)
def test_labels_that_do_not_suffice_are_refused(gold: dict[str, Any] | None, message: str) -> None:
    with pytest.raises(RagEvalHooksError, match=message):
        recalibrate([labelled(number, gold) for number in range(5)])


@pytest.mark.parametrize("supported", [1, "yes", [1], ["true"], [0.5], {"a": True}])
def test_a_verdict_is_true_false_or_null(supported: Any) -> None:
    with pytest.raises(RagEvalHooksError, match=r"gold\.supported: expected"):
        labelled(1, {"supported": supported})


def test_a_verdict_is_stored_with_the_run() -> None:
    run = labelled(1, {"supported": [True, None]})
    assert run.flags == ()
    assert RagRun.model_validate_json(run.model_dump_json()) == run == read_run(json.loads(run.model_dump_json()))


def judged(scaling: Scaling, run: RagRun) -> Evaluation:
    return evaluate(run, attributor=Attributor(calibration=Calibration(use=scaling, support=scaling)))


def test_all_probabilities_of_an_evaluation_are_calibrated() -> None:
    run = labelled(1, None)
    scaling = Scaling(0.8, -0.3)
    plain, fitted = evaluate(run), judged(scaling, run)
    for before, after in zip(plain.chunks, fitted.chunks, strict=True):
        assert before.use_probability is not None
        assert after.use_probability == scaling.apply(before.use_probability)
    for was, now in zip(plain.claims, fitted.claims, strict=True):
        assert was.probability is not None
        assert now.probability == scaling.apply(was.probability)
    assert [one.probability for one in fitted.claims[0].supported_by] == [
        scaling.apply(one.probability) for one in plain.claims[0].supported_by
    ]


def test_verdicts_and_citations_follow_at_the_published_thresholds() -> None:
    run = read_run(
        {
            "contexts": [{"id": "a", "text": "The mast is 31 metres tall."}, {"id": "b", "text": "Tea is served."}],
            "answer": "The mast is 31 metres tall [1].",
        }
    )
    harsh, mild = judged(Scaling(1, -30), run), judged(Scaling(1, 30), run)
    assert [chunk.use for chunk in evaluate(run).chunks] == ["used", "unused"]
    assert [chunk.use for chunk in harsh.chunks] == ["unused", "unused"]
    assert [chunk.use for chunk in mild.chunks] == ["used", "used"]
    assert (harsh.claims[0].verdict, harsh.claims[0].supported_by, harsh.citations[0].supported) == (
        "unsupported",
        (),
        False,
    )
    assert (mild.claims[0].verdict, mild.citations[0].supported) == ("supported", True)


@given(st.floats(0.2, 3), st.floats(-4, 4))
def test_a_supported_claim_says_by_what(slope: float, intercept: float) -> None:
    contexts = ["Odd Lund designed the tower.", "Odd Lund was born in Narvik.", "The inn serves soup at the tower."]
    answer = "The architect of the tower, Odd Lund, was born in Narvik. The tower has an inn and soup in summer."
    for claim in judged(Scaling(slope, intercept), read_run({"contexts": contexts, "answer": answer})).claims:
        assert bool(claim.supported_by) == (claim.verdict == "supported")


def test_a_chunk_that_was_not_in_the_prompt_stays_unused() -> None:
    from rag_eval_hooks.record import Chunk, ContextItem, Stage, StageItem

    run = RagRun(
        run_id="r",
        answer="The mast is 31 metres tall.",
        chunks=(Chunk(id="a", text="The mast is 31 metres tall."), Chunk(id="b", text="The mast is 31 metres tall!")),
        stages=(Stage(kind="retrieve", items=(StageItem(chunk=0), StageItem(chunk=1))),),
        context=(ContextItem(chunk=0),),
    )
    assert [one.use_probability for one in judged(Scaling(1, 30), run).chunks][1] == 0.0


# Files -----------------------------------------------------------------------------------------------------------


def test_a_file_gives_the_same_back(tmp_path: Path) -> None:
    whole = Calibration(Scaling(1.2, -0.3, 64, 0.25, 0.1, 0.05), Scaling(0.7), "2025-01-31")
    for calibration in (whole, Calibration(), Calibration(support=Scaling(2.0, 1.0))):
        calibration.save(tmp_path / "c.json")
        loaded = Calibration.load(tmp_path / "c.json")
        assert (loaded, loaded.digest) == (calibration, calibration.digest)
    assert whole.digest != Calibration().digest


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    calibration = Calibration(Scaling(1.2, -0.3))
    (tmp_path / "c.json").write_text(calibration.to_json(), "utf-8-sig")
    assert Calibration.load(tmp_path / "c.json") == calibration


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(None, "cannot read the calibration file", id="no file"),
        pytest.param("?", "it is not JSON", id="not JSON"),
        pytest.param({"kind": "rag-eval-hooks background"}, "no calibration file", id="another kind"),
        pytest.param({"version": "1"}, "reads calibration files of version 1", id="another version"),
        pytest.param({"use": [1, 0]}, "use must be null or an object", id="no object"),
        pytest.param({"use": {"slope": 1}}, "use must be null or an object with slope", id="no intercept"),
        pytest.param({"use": {"slope": None, "intercept": 0}}, "use must be null or an object with slope", id="null"),
        pytest.param({"support": {"slope": "1", "intercept": 0}}, "support.slope must be a number", id="text"),
        pytest.param({"support": {"slope": 10**400, "intercept": 0}}, "support.slope must be a number", id="enormous"),
        pytest.param({"use": {"slope": 0, "intercept": 0}}, "use.slope: expected a number from", id="flat"),
        pytest.param(
            {"use": {"slope": 1e9, "intercept": 0}}, "use.slope: expected a number from 0.01 to 20, got 1e", id="steep"
        ),
        pytest.param(
            {"support": {"slope": -1, "intercept": 0}},
            "support.slope: expected a number from 0.01 to 20, got -1",
            id="falling",
        ),
        pytest.param(
            {"use": {"slope": 1, "intercept": -1e3}}, "use.intercept: expected a number from -100 to 100", id="far off"
        ),
        pytest.param({"use": {"slope": 1, "intercept": math.nan}}, "use.intercept must be a number", id="not a number"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "c.json"
    if isinstance(content, dict):
        content = json.dumps({"kind": "rag-eval-hooks calibration", "version": 1, "use": None} | content)
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(RagEvalHooksError) as caught:
        Calibration.load(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("golds", "count"),
    [
        pytest.param([{"used": ["c1"]}, {"used": ["c1"]}], 0, id="the same twice"),
        pytest.param([{"used": ["c1"]}, {"used": ["c2"]}], 2, id="both chunks the other way"),
        pytest.param([{"used": ["c1"]}, {"used": ["c1", "c2"]}], 1, id="one chunk the other way"),
        pytest.param([{"used": ["c1"]}, {"supported": [False, True]}], 0, id="labels of different heads"),
        pytest.param([{"supported": [True, None]}, {"supported": [None, True]}], 0, id="labels of different claims"),
        pytest.param([{"supported": [True, True]}, {"supported": [True, False]}], 1, id="one claim the other way"),
        pytest.param([{"used": []}, {"used": ["c1"]}, {"used": []}], 1, id="compared with the first"),
        pytest.param([None, {"used": ["c1"]}], 0, id="no labels"),
    ],
)
def test_labels_that_contradict_each_other_are_counted(golds: list[dict[str, Any] | None], count: int) -> None:
    contradicting = ContradictingLabels()
    for number, gold in enumerate(golds):
        contexts = [{"id": "c1", "text": "The mast is tall."}, {"id": "c2", "text": "Tea is at five."}]
        run = {"id": f"r{number}", "contexts": contexts, "answer": "The mast is tall. Tea is at five.", "gold": gold}
        contradicting.note(read_run(run))
    assert contradicting.count == count
    assert contradicting.first == ("r1" if count else None)
    assert (contradicting.warning is not None) == (count > 0)


def test_other_runs_with_other_labels_do_not_contradict() -> None:
    contradicting = ContradictingLabels()
    for answer, used in (("The mast is tall.", ["c1"]), ("Tea is at five.", [])):
        contradicting.note(
            read_run(
                {"contexts": [{"id": "c1", "text": "The mast is tall."}], "answer": answer, "gold": {"used": used}}
            )
        )
    assert contradicting.warning is None
