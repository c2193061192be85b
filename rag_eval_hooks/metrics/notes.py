"""What a reader of the values should know about the labels they rest on."""

from collections.abc import Iterable, Sequence

from rag_eval_hooks.metrics.base import Metric
from rag_eval_hooks.metrics.f_measure import Fe
from rag_eval_hooks.metrics.labels import JudgedSource, given_labels
from rag_eval_hooks.metrics.levels import document_of
from rag_eval_hooks.metrics.spans import span_items, span_name
from rag_eval_hooks.record import GoldSpan, RagRun
from rag_eval_hooks.record.item_keys import DOCUMENT_KEYS

__all__ = ["notes", "unmatched_labels"]

SOURCES: tuple[JudgedSource, ...] = ("gold", "judge")


def notes(run: RagRun, metrics: Iterable[Metric] = ()) -> tuple[str, ...]:
    """Returns sentences about what is unusual in a run's labels; they hold counts and no text of the run.

    They say how many labelled ids name no item of the run (they count as missed), how many retrieved items no label
    judges (they count as not relevant), how many are repeats (they count once), and which of `metrics` rest on a list
    that was too short or on metadata that is not there.

    >>> from rag_eval_hooks.testing import make_run
    >>> notes(make_run("aab", relevance={"a": 1, "z": 1}), [Fe(k=2)])
    ... # doctest: +NORMALIZE_WHITESPACE
    ('gold: 1 of 2 labelled ids names no item of this run and counts as missed',
     'gold: 1 of 2 retrieved ids is not judged and counts as not relevant',
     '1 of 3 retrieved items repeats an id and counts once',
     'Fe@2: fewer than 2k items were returned (pool_truncated)')
    """
    said: list[str] = []
    retrieved = run.retrieved_ids
    distinct = set(retrieved)
    for source in SOURCES:
        given = given_labels(run, source)
        labelled = _labelled(run, source)
        if given is None:
            continue
        if given.spans:
            said.append(_about_spans(run, source, given.spans))
        if not labelled:
            continue
        missing = len(unmatched_labels(run, source))
        if missing:
            names = "names" if missing == 1 else "name"
            said.append(
                f"{source}: {missing} of {len(labelled)} labelled ids {names} no item of this run "
                f"and {_verb(missing)} as missed"
            )
        unjudged = len(distinct - labelled)
        if unjudged and (given.relevance or given.evidence_sets):
            said.append(
                f"{source}: {unjudged} of {len(distinct)} retrieved ids {'is' if unjudged == 1 else 'are'} not judged "
                f"and {_verb(unjudged)} as not relevant"
            )
    repeats = len(retrieved) - len(distinct)
    if repeats:
        said.append(
            f"{repeats} of {len(retrieved)} retrieved items {'repeats' if repeats == 1 else 'repeat'} an id "
            f"and {_verb(repeats)} once"
        )
    nameless = sum(document_of(chunk) is None for chunk in run.chunks)
    for metric in metrics:
        if isinstance(metric, Fe) and metric.pool_truncated(run):
            said.append(f"{metric}: fewer than 2k items were returned (pool_truncated)")
        if getattr(metric, "level", "chunk") != "chunk" and nameless:
            said.append(
                f"{metric}: {nameless} of {len(run.chunks)} chunks {'names' if nameless == 1 else 'name'} no document "
                f"({', '.join(DOCUMENT_KEYS)}) and {'keeps its own id' if nameless == 1 else 'keep their own ids'}"
            )
    return tuple(filter(None, said))


def unmatched_labels(run: RagRun, labels: JudgedSource = "gold") -> frozenset[str]:
    """Returns the labelled ids that no chunk of the run carries: missed by retrieval, or misspelt.

    Args:
        run: The run.
        labels: `gold` or `judge`.
    """
    return _labelled(run, labels) - {chunk.id for chunk in run.chunks}


def _labelled(run: RagRun, labels: JudgedSource) -> frozenset[str]:
    given = given_labels(run, labels)
    if given is None:
        return frozenset()
    return frozenset(given.relevance or ()).union(*(given.evidence_sets or ()))


def _about_spans(run: RagRun, source: str, spans: Sequence[GoldSpan]) -> str:
    items, reason = span_items(run, spans, "chunk")
    if reason is not None:
        return f"{source}: chunks do not say their character range, so nothing is known about the {len(spans)} spans"
    missed = sum(span_name(span) in item for span, item in zip(spans, items, strict=True))
    verb = "is" if missed == 1 else "are"
    return f"{source}: {missed} of {len(spans)} spans {verb} covered by no chunk of this run" if missed else ""


def _verb(number: int) -> str:
    return "counts" if number == 1 else "count"
