"""What holds for every run, list and cut-off."""

from dataclasses import fields
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_hooks.metrics import R, metric_classes, parse_metric
from rag_eval_hooks.metrics.base import MAX_K, Metric
from rag_eval_hooks.record import Attribution, RagRun
from rag_eval_hooks.testing import make_attribution, make_run

IDS = st.text(alphabet="abcdefgh", max_size=8)
GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0, 0, 1, 2, 3, -1, 0.5, 1e9]), max_size=8)
CUTOFFS = st.none() | st.integers(1, 12)


@st.composite
def metrics(draw: st.DrawFn) -> Metric:
    """Any registered measure with any parameters."""
    cls = draw(st.sampled_from(sorted(metric_classes().values(), key=lambda one: one.name)))
    hints = get_type_hints(cls)
    values: dict[str, Any] = {}
    for field in fields(cls):
        hint = hints[field.name]
        if field.name == "k":
            values["k"] = draw(CUTOFFS | st.integers(1, MAX_K))
        elif get_origin(hint) is Literal:
            values[field.name] = draw(st.sampled_from(get_args(hint)))
        elif field.name in cls.ranges:
            values[field.name] = draw(st.floats(*cls.ranges[field.name]))
        else:
            raise AssertionError(f"{cls.name}.{field.name}: teach this strategy about {hint}")
    return cls(**values)


@st.composite
def situations(draw: st.DrawFn) -> tuple[RagRun, Attribution]:
    """A run with any labels and an attribution that fits it."""
    run = make_run(
        draw(IDS),
        context=draw(st.none() | IDS),
        relevance=draw(st.none() | GRADES),
        evidence_sets=draw(st.none() | st.lists(IDS, max_size=3)),
        used=draw(st.none() | IDS),
        status=draw(st.sampled_from(["ok", "ok", "ok", "error", "abandoned"])),
    )
    ranks = st.integers(1, max(1, len(run.ledger)))
    claims = draw(st.lists(st.sampled_from("+-!?~"), max_size=5))
    if not run.ledger:
        claims = [code.replace("+", "-") for code in claims]
    claims = [code + ",".join(map(str, draw(st.lists(ranks, max_size=2)))) if code == "+" else code for code in claims]
    owner = st.none() | st.integers(0, len(claims) - 1) if claims else st.none()
    target = st.none() | ranks if run.ledger else st.none()
    citations = draw(st.lists(st.tuples(owner, target) | st.tuples(owner, target, st.just(False)), max_size=5))
    found = make_attribution(
        run,
        used=draw(st.sets(ranks, max_size=5)) if run.ledger else (),
        claims=claims,
        citations=citations,
        kind=draw(st.sampled_from(["answer", "answer", "answer", "refusal", "empty"])),
    )
    return run, found


@given(metrics())
def test_a_name_reads_back_as_the_same_measure(metric: Metric) -> None:
    assert parse_metric(str(metric)) == metric
    assert str(parse_metric(str(metric))) == str(metric)


@settings(max_examples=400)
@given(metrics(), situations())
def test_a_value_is_within_bounds_or_null_with_a_reason(metric: Metric, situation: tuple[RagRun, Attribution]) -> None:
    run, found = situation
    for result in (metric.score(run, found), metric.score(run)):
        assert result.metric == str(metric)
        assert (result.value is None) == bool(result.reason)
        if result.value is not None:
            assert metric.bounds[0] <= result.value <= metric.bounds[1]


@given(metrics(), situations())
def test_scoring_is_pure(metric: Metric, situation: tuple[RagRun, Attribution]) -> None:
    run, found = situation
    before = (run.model_dump_json(), found.model_dump_json())
    assert metric.score(run, found) == metric.score(run, found)
    assert (run.model_dump_json(), found.model_dump_json()) == before


@given(IDS, GRADES.filter(lambda grades: any(grade > 0 for grade in grades.values())))
def test_recall_never_falls_when_looking_further_down(retrieved: str, grades: dict[str, float]) -> None:
    run = make_run(retrieved, relevance=grades)
    values = [R(k=k).score(run).value for k in range(1, 10)]
    assert all(one is not None and two is not None and one <= two for one, two in pairwise(values))
    assert R().score(run).value == values[-1]


WITH_CUTOFF = sorted(name for name, cls in metric_classes().items() if "k" in {field.name for field in fields(cls)})


@given(
    st.sampled_from([name for name in WITH_CUTOFF if name not in {"EvidenceCompleteness", "Fe"}]),
    st.text(alphabet="abcdefgh", min_size=3, max_size=3),
    IDS,
    IDS,
    GRADES,
    IDS,
)
def test_what_follows_the_cut_off_changes_nothing(
    name: str, head: str, tail: str, other: str, grades: dict[str, float], used: str
) -> None:
    metric = parse_metric(f"{name}@3")
    one, two = (make_run(head + rest, relevance=grades, used=used) for rest in (tail, other))
    assert metric.score(one) == metric.score(two)


@given(st.sampled_from(["P@5", "R", "Hit", "RR", "AP", "nDCG@5"]), IDS, GRADES)
def test_appending_a_repeat_never_raises_a_value(name: str, retrieved: str, grades: dict[str, float]) -> None:
    metric = parse_metric(name)
    plain = metric.score(make_run(retrieved, relevance=grades)).value
    repeated = metric.score(make_run(retrieved + retrieved, relevance=grades)).value
    assert plain == repeated


@given(st.sampled_from(sorted(metric_classes())), IDS, GRADES, st.permutations("abcdefgh"))
def test_renaming_ids_changes_nothing(name: str, retrieved: str, grades: dict[str, float], names: list[str]) -> None:
    """No measure orders by id, so ties are not broken by what a document is called."""
    table = str.maketrans("abcdefgh", "".join(names))
    metric = parse_metric(name)
    one = make_run(retrieved, relevance=grades, used=retrieved[::2])
    two = make_run(
        retrieved.translate(table),
        relevance={identifier.translate(table): grade for identifier, grade in grades.items()},
        used=retrieved[::2].translate(table),
    )
    assert metric.score(one) == metric.score(two)
