"""The sign-flip test against enumeration, Holm's correction by hand, and who carries a change."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.summary import concentration, holm, randomisation, sign_flip


def enumerated(differences: list[float]) -> float:
    observed = abs(sum(differences))
    patterns = list(itertools.product((-1, 1), repeat=len(differences)))
    hits = sum(
        abs(sum(sign * one for sign, one in zip(signs, differences, strict=True))) >= observed - 1e-9
        for signs in patterns
    )
    return hits / len(patterns)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        pytest.param([], 1.0, id="no pair"),
        pytest.param([0.0, 0.0], 1.0, id="nothing changed"),
        pytest.param([0.5], 2 / 2, id="one pair: both signs are as far"),
        pytest.param([1.0] * 5, 2 / 32, id="five up: two of 32 patterns"),
        pytest.param([1.0, 1.0, 1.0, -1.0], 10 / 16, id="sums of 4 (2 patterns) and 2 (8 patterns)"),
        pytest.param([0.1, 0.2, -0.3], 1.0, id="a sum of 0, also in binary"),
        pytest.param([1.0] * 3 + [0.0] * 7, 2 / 8, id="zeros do not count"),
    ],
)
def test_sign_flip_by_hand(differences: list[float], p: float) -> None:
    found = sign_flip(differences)
    assert found.p_value == pytest.approx(p)
    assert found.method == "exact"


@given(st.lists(st.sampled_from([-1, -0.5, -1 / 3, -0.1, 0, 0.2, 1 / 3, 0.7, 1]), min_size=1, max_size=10))
def test_sign_flip_equals_enumeration(differences: list[float]) -> None:
    assert sign_flip(differences).p_value == pytest.approx(enumerated(differences))


@given(st.lists(st.floats(-1, 1).filter(lambda value: value == 0 or abs(value) > 1e-3), min_size=1, max_size=9))
def test_sign_flip_equals_enumeration_for_any_values(differences: list[float]) -> None:
    p_value = sign_flip(differences).p_value
    assert 0 < p_value <= 1
    # Ties closer than the grid may fall on either side; apart from those the two agree.
    assert p_value == pytest.approx(
        enumerated(differences), abs=4 / 2 ** len(differences) if len(differences) > 2 else 1
    )


def test_drawn_signs_agree_with_counted_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = random.Random(3)  # noqa: S311  seeded, no secret
    differences = [numbers.uniform(-0.5, 1) for _ in range(12)]
    exact = sign_flip(differences)
    monkeypatch.setattr(randomisation, "EXACT_WORK", 0)
    drawn = sign_flip(differences)
    assert (exact.method, drawn.method) == ("exact", "monte_carlo")
    assert drawn.p_value == pytest.approx(exact.p_value, rel=4 / 400**0.5)


def test_drawn_signs_are_the_same_each_time_and_never_zero() -> None:
    numbers = random.Random(4)  # noqa: S311  seeded, no secret
    differences = [numbers.uniform(0.1, 1) for _ in range(300)]
    found = sign_flip(differences)
    assert found == sign_flip(differences)
    assert (found.method, found.p_value) == ("monte_carlo", 1 / 20_001)


def test_a_sign_test_of_many_pairs_is_exact() -> None:
    """600 up, 400 down: far beyond chance, and yet counted."""
    found = sign_flip([1.0] * 600 + [-1.0] * 400)
    assert found.method == "exact"
    assert found.p_value == pytest.approx(2.73e-10, rel=0.01)  # scipy.stats.binomtest(600, 1000).pvalue


@pytest.mark.slow
def test_false_alarms_are_as_rare_as_promised() -> None:
    """No true difference: p at most 0.05 in about 5 % of 1,000 seeded rounds (standard error 0.7 %)."""
    numbers = random.Random(6)  # noqa: S311  seeded, no secret
    alarms = sum(
        sign_flip([numbers.choice([-0.5, -0.2, 0, 0.2, 0.5]) for _ in range(30)]).p_value <= 0.05 for _ in range(1_000)
    )
    assert 25 <= alarms <= 70


@pytest.mark.parametrize(
    ("given_values", "corrected"),
    [
        pytest.param([], (), id="none"),
        pytest.param([0.03], (0.03,), id="one"),
        pytest.param(
            [0.01, 0.04, 0.03, 0.005], (0.03, 0.06, 0.06, 0.02), id="4 x .005, 3 x .01, 2 x .03, 1 x .04 raised to .06"
        ),
        pytest.param([0.6, 0.7], (1.0, 1.0), id="never above 1"),
        pytest.param([0.02, 0.02], (0.04, 0.04), id="ties stay ties"),
    ],
)
def test_holm_by_hand(given_values: list[float], corrected: tuple[float, ...]) -> None:
    assert holm(given_values) == pytest.approx(corrected)


@given(st.lists(st.floats(0, 1), max_size=30))
def test_holm_keeps_order_and_lowers_nothing(values: list[float]) -> None:
    corrected = holm(values)
    assert all(value <= after <= 1 for value, after in zip(values, corrected, strict=True))
    for (one, after), (other, its) in itertools.combinations(zip(values, corrected, strict=True), 2):
        if one < other:
            assert after <= its


@pytest.mark.parametrize(
    ("changes", "tops", "gini"),
    [
        pytest.param([1.0] * 100, (1 / 100, 5 / 100, 10 / 100), 0.0, id="each by as much"),
        pytest.param([0.0] * 99 + [-1.0], (1, 1, 1), 99 / 100, id="one of a hundred"),
        pytest.param([0.0, 0.0, 1.0, -3.0], (3 / 4, 3 / 4, 3 / 4), (1 * 1 + 3 * 3) / (4 * 4), id="0 0 1 3"),
    ],
)
def test_concentration_by_hand(changes: list[float], tops: tuple[float, float, float], gini: float) -> None:
    found = concentration(changes)
    assert found is not None
    assert (found.top_1, found.top_5, found.top_10) == pytest.approx(tops)
    assert found.gini == pytest.approx(gini)


def test_no_change_has_no_concentration() -> None:
    assert concentration([0.0, 0.0]) is None
    assert concentration([]) is None
