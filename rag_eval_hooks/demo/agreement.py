"""Whether two pipelines that do the same were evaluated alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag_eval_hooks.record import Evaluation

__all__ = ["Difference", "differences"]


@dataclass(frozen=True)
class Difference:
    """A question whose two evaluations differ."""

    question: str
    """What was asked."""
    fields: tuple[str, ...]
    """The evaluation's fields that differ; none where one of the two is missing."""


def differences(first: Sequence[Evaluation], second: Iterable[Evaluation]) -> tuple[Difference, ...]:
    """Returns the questions whose evaluations differ in anything but the run's id, in the order of the first ones.

    >>> from rag_eval_hooks import evaluate
    >>> from rag_eval_hooks.testing import make_run
    >>> one, other = (evaluate(make_run("a", question="Who?", answer=text)) for text in ("Ada.", "Bob."))
    >>> differences([one], [one.model_copy(update={"run_id": "another"})])
    ()
    >>> "answer" in differences([one], [other])[0].fields
    True

    Args:
        first: One pipeline's evaluations; no question twice.
        second: The other's.
    """
    others = {one.question: one for one in second}
    found: list[Difference] = []
    for one in first:
        other = others.pop(one.question, None)
        fields = () if other is None else _fields_that_differ(one, other)
        if other is None or fields:
            found.append(Difference(one.question or "", fields))
    return (*found, *(Difference(question or "", ()) for question in others))


def _fields_that_differ(one: Evaluation, other: Evaluation) -> tuple[str, ...]:
    names = [name for name in type(one).model_fields if name != "run_id"]
    return tuple(name for name in names if getattr(one, name) != getattr(other, name))
