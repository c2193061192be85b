"""F, Fe, T, UDCG and Distraction."""

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.metrics import F, Fe, P, T, parse_metric
from rag_eval_hooks.record import Gold, RagRun, read_run
from rag_eval_hooks.testing import make_attribution, make_run


def value(name: str, run: RagRun) -> float | None:
    return parse_metric(name).score(run).value


@pytest.mark.parametrize(
    ("name", "retrieved", "relevant", "expected"),
    [
        pytest.param("F@5", "abxyc", "abcd", 2 * (3 / 5) * (3 / 4) / (3 / 5 + 3 / 4), id="F: P = 3/5, R = 3/4"),
        pytest.param("F(beta=2)@5", "abxyc", "abcd", 5 * (3 / 5) * (3 / 4) / (4 * 3 / 5 + 3 / 4), id="F2"),
        pytest.param("F(beta=0)@5", "abxyc", "abcd", 3 / 5, id="F0 is P"),
        pytest.param("F@5", "ab", "ab", 2 * (2 / 5) * 1 / (2 / 5 + 1), id="F: P divides by k"),
        pytest.param("F", "ab", "ab", 1, id="F: without k by n"),
        pytest.param("F@2", "xya", "a", 0, id="F: P = R = 0"),
        pytest.param("F", "", "a", 0, id="F: nothing retrieved"),
        pytest.param("F@2", "aab", "ab", 2 * (1 / 2) * (1 / 2) / (1 / 2 + 1 / 2), id="F: a repeat counts once"),
        pytest.param("Fe@2", "abcx", "abcdefgh", 2 * (2 / 2) * (2 / 3) / (2 / 2 + 2 / 3), id="Fe: 3 in the top 4"),
        pytest.param("Fe@2", "xyab", "ab", 0, id="Fe: none in the top k"),
        pytest.param("Fe@2", "ax", "ab", 2 * (1 / 2) * 1 / (1 / 2 + 1), id="Fe: fewer than 2k returned"),
        pytest.param("Fe", "ax", "ab", 2 * (1 / 2) * 1 / (1 / 2 + 1), id="Fe: without k the list is the pool"),
    ],
)
def test_f(name: str, retrieved: str, relevant: str, expected: float) -> None:
    assert value(name, make_run(retrieved, relevant=set(relevant))) == pytest.approx(expected, abs=1e-12)


@given(
    st.text(alphabet="abcdefgh", max_size=10),
    st.sets(st.sampled_from("abcdefgh"), min_size=1),
    st.integers(1, 6),
    st.floats(0, 10),
)
def test_fe_is_never_below_f(retrieved: str, relevant: set[str], k: int, beta: float) -> None:
    run = make_run(retrieved, relevant=relevant)
    estimated, known = Fe(k=k, beta=beta).score(run).value, F(k=k, beta=beta).score(run).value
    assert estimated is not None
    assert known is not None
    assert estimated >= known - 1e-12


@pytest.mark.parametrize(("retrieved", "k", "expected"), [("abcd", 2, False), ("abc", 2, True), ("", 1, True)])
def test_fe_says_where_its_pool_was_cut(retrieved: str, k: int, expected: bool) -> None:
    assert Fe(k=k).pool_truncated(make_run(retrieved, relevant={"a"})) is expected
    assert Fe(k=k).score(make_run(retrieved, relevant={"a"})).value is not None


class TestT:
    @pytest.mark.parametrize(
        ("name", "retrieved", "expected"),
        [
            pytest.param("T@5", "abcuv", (0.5 * 2 - 0.5 * 1) / 5, id="two positive, one negative, two unknown"),
            pytest.param("T(alpha=0.2)@5", "abcuv", (0.8 * 2 - 0.2 * 1) / 5, id="alpha"),
            pytest.param("T(alpha=0)@5", "abcuv", 2 / 5, id="alpha 0 is P"),
            pytest.param("T(alpha=1)@5", "abcuv", -1 / 5, id="alpha 1 is the share of negatives"),
            pytest.param("T@5", "ac", (0.5 * 1 - 0.5 * 1) / 2, id="K is min(k, n)"),
            pytest.param("T@1", "ca", -0.5 * 1 / 1, id="below the cut-off"),
            pytest.param("T", "aac", (0.5 * 1 - 0.5 * 1) / 3, id="a repeat counts once and keeps its rank"),
            pytest.param("T", "uv", 0, id="nothing labelled in the list"),
            pytest.param("T", "", 0, id="nothing retrieved"),
        ],
    )
    def test_gold(self, name: str, retrieved: str, expected: float) -> None:
        run = make_run(retrieved, relevance={"a": 3, "b": 1, "c": 0, "d": -1})
        assert value(name, run) == pytest.approx(expected, abs=1e-12)

    def test_negatives_alone_have_a_value(self) -> None:
        assert value("T", make_run("ab", relevance={"a": 0, "b": 0})) == -0.5
        assert parse_metric("T").score(make_run("ab")).reason == "no_gold"
        assert parse_metric("T(labels=judge)").score(make_run("ab")).reason == "no_judge"

    @given(st.text(alphabet="abcdefgh", min_size=1, max_size=8, ).map(lambda text: "".join(dict.fromkeys(text))),
           st.sets(st.sampled_from("abcdefgh"), min_size=1), st.integers(1, 9), st.floats(0, 1))  # fmt: skip
    def test_with_every_item_labelled_it_is_p_less_alpha(
        self, retrieved: str, relevant: set[str], k: int, alpha: float
    ) -> None:
        run = make_run(retrieved, relevance={name: float(name in relevant) for name in "abcdefgh"})
        precision = P(k=k, denominator="returned").score(run).value
        assert precision is not None
        assert T(k=k, alpha=alpha).score(run).value == pytest.approx(precision - alpha, abs=1e-12)

    def test_used_has_three_states(self) -> None:
        """1 and 4 used; 2 unused and contradicting; 3 unused; 5 uncertain and contradicting."""
        run = make_run("abcde")
        found = make_attribution(run, used=[1, 4], uncertain=[5], conflict=[2, 4, 5])
        result = parse_metric("T(labels=used)@5").score(run, found)
        assert (result.value, result.labels) == (pytest.approx((0.5 * 2 - 0.5 * 1) / 5), "used")

    def test_a_person_says_what_was_used_and_attribution_what_contradicts(self) -> None:
        run = make_run("abcd", used="a")
        assert value("T(labels=used)", run) == 0.5 * 1 / 4
        found = make_attribution(run, used=[2], conflict=[1, 2])
        assert parse_metric("T(labels=used)").score(run, found).value == (0.5 * 1 - 0.5 * 1) / 4

    def test_an_answer_that_used_nothing_is_worth_nothing(self) -> None:
        run = make_run("abcd")
        assert parse_metric("T(labels=used)").score(run, make_attribution(run)).value == 0
        assert parse_metric("T(labels=used)").score(run, make_attribution(run, kind="refusal")).reason == "refusal"


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


class TestUDCG:
    GOLD = Gold(relevance={"a": 2, "b": 0}, utility={"a": 0.9, "b": 0.6, "c": 0.3})

    @pytest.mark.parametrize(
        ("name", "retrieved", "expected"),
        [
            pytest.param("UDCG", "a", sigmoid(0.9), id="one relevant"),
            pytest.param("UDCG", "ab", sigmoid((0.9 - 0.333 * 0.6) / 2), id="and one judged irrelevant"),
            pytest.param("UDCG", "ba", sigmoid((0.9 - 0.333 * 0.6) / 2), id="in any order"),
            pytest.param("UDCG", "abc", sigmoid((0.9 - 0.333 * 0.6 - 0.333 * 0.3) / 3), id="unjudged is not relevant"),
            pytest.param("UDCG@2", "abc", sigmoid((0.9 - 0.333 * 0.6) / 2), id="cut off"),
            pytest.param("UDCG@9", "ab", sigmoid((0.9 - 0.333 * 0.6) / 2), id="K is min(k, n)"),
            pytest.param("UDCG", "aa", sigmoid(0.9 / 2), id="a repeat counts once and takes its place"),
            pytest.param("UDCG", "", 0, id="nothing retrieved"),
        ],
    )
    def test_value(self, name: str, retrieved: str, expected: float) -> None:
        assert value(name, make_run(retrieved, gold=self.GOLD)) == pytest.approx(expected, abs=1e-12)
        judged = parse_metric(name.replace("UDCG", "UDCG(labels=judge)")).score(make_run(retrieved, judge=self.GOLD))
        assert (judged.value, judged.labels) == (pytest.approx(expected, abs=1e-12), "judge")

    def test_a_document_has_the_best_utility_of_its_chunks(self) -> None:
        """d holds a and b, so it is relevant, with utility 0.9, and its second chunk is a repeat."""
        contexts = [{"id": name, "metadata": {"source": "d"}} for name in "ba"]
        for names in ("ab", "ba"):
            gold = {"relevance": {"a": 2, "b": 0}, "utility": {name: self.GOLD.utility[name] for name in names}}  # type: ignore[index]
            run = read_run({"contexts": contexts, "answer": "x", "gold": gold})
            assert value("UDCG(level=document)", run) == pytest.approx(sigmoid(0.9 / 2))

    @pytest.mark.parametrize(
        ("gold", "reason"),
        [
            (None, "no_gold"),
            (Gold(utility={"a": 1.0}), "no_gold"),
            (Gold(relevance={"a": 1}), "no_utility"),
            (Gold(relevance={"a": 1}, utility={}), "no_utility"),
            (Gold(relevance={"a": 1}, utility={"a": 1.0}), "no_utility"),
        ],
    )
    def test_a_missing_utility_is_not_zero(self, gold: Gold | None, reason: str) -> None:
        assert parse_metric("UDCG").score(make_run("ab", gold=gold)).reason == reason
        assert parse_metric("UDCG(labels=judge)").score(make_run("ab")).reason == "no_judge"


class TestDistraction:
    def test_what_contradicts_and_was_not_used(self) -> None:
        run = make_run("abcde")
        found = make_attribution(run, used=[1], uncertain=[3], conflict=[1, 2, 3])
        assert [parse_metric(name).score(run, found).value for name in ("Distraction", "Distraction@1")] == [1 / 5, 0]

    def test_what_was_used_and_is_not_gold(self) -> None:
        run = make_run("abcd", relevant={"a"})
        assert parse_metric("Distraction").score(run, make_attribution(run, used=[1, 2, 3])).value == 2 / 4

    def test_evidence_sets_are_gold_too(self) -> None:
        run = make_run("abcd", relevance={"a": 1}, evidence_sets=["ab"])
        assert parse_metric("Distraction").score(run, make_attribution(run, used=[1, 2, 3])).value == 1 / 4

    def test_gold_without_anything_relevant_says_nothing(self) -> None:
        run = make_run("abcd", relevance={"a": 0})
        assert parse_metric("Distraction").score(run, make_attribution(run, used=[1, 2])).value == 0

    def test_a_person_says_what_was_used(self) -> None:
        run = make_run("abcd", used="a")
        assert parse_metric("Distraction").score(run, make_attribution(run, used=[2], conflict=[1, 2])).value == 1 / 4

    def test_a_repeat_counts_once(self) -> None:
        run = make_run("aab")
        assert parse_metric("Distraction").score(run, make_attribution(run, conflict=[1, 2])).value == 1 / 3

    @pytest.mark.parametrize(
        ("more", "kind", "reason"),
        [
            ({}, "refusal", "refusal"),
            ({}, "empty", "no_answer"),
            ({"status": "error"}, "answer", "incomplete_run"),
            ({"context": ""}, "answer", "no_context"),
        ],
    )
    def test_unknown(self, more: dict[str, str], kind: str, reason: str) -> None:
        run = make_run("ab", **more)  # type: ignore[arg-type]
        assert parse_metric("Distraction").score(run, make_attribution(run, kind=kind)).reason == reason  # type: ignore[arg-type]
        assert parse_metric("Distraction").score(make_run("ab")).reason == "no_attribution"
