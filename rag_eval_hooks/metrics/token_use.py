"""TokenUse: how much of the prompt's text the answer rests on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Need, register
from rag_eval_hooks.metrics.share import ShareMetric
from rag_eval_hooks.record import Attribution, RagRun

__all__ = ["TokenUse"]


@register
@dataclass(frozen=True, kw_only=True)
class TokenUse(ShareMetric):
    """Share of the context's characters that back what the answer states.

    TokenUse = characters in the union of the supporting spans / characters of the context

    Spans count where the claim they back has the verdict `supported`; where they overlap, once. Of an item that was
    cut, the characters that reached the prompt count. Characters stand for tokens, whose number depends on the model.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run([("a", "0123456789"), ("b", "0123456789")])  # made-up support is one character long
    >>> TokenUse().score(run, make_attribution(run, claims=["+1", "+1", "-"])).value == 1 / 20
    True
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "claims"})
    nothing: ClassVar[str] = "no_context"
    use_when: ClassVar[str] = (
        "Prompts are long and cost money: how much of the text was of use, whatever the chunk size."
    )
    avoid_when: ClassVar[str] = "As a goal: the sentences around the evidence help a model to read it."

    def judge(self, run: RagRun, attribution: Attribution) -> tuple[float, float] | str:
        """Returns the characters that back what is stated, and those of the context; that none do is a true 0."""
        if not attribution.claims:
            return "no_claims"
        sizes = [len(run.chunks[item.chunk].text) * item.coverage for item in run.context]
        total = sum(sizes)
        spans: dict[int, list[tuple[int, int]]] = {}
        for claim in attribution.claims:
            if claim.verdict == "supported":
                for support in claim.supported_by:
                    if support.rank <= len(sizes):
                        spans.setdefault(support.rank, []).extend(support.spans)
        backing = sum(min(float(_covered(places)), sizes[rank - 1]) for rank, places in spans.items())
        return min(backing, total), total


def _covered(spans: Iterable[tuple[int, int]]) -> int:
    """The number of characters in the union of half-open spans."""
    covered = reached = 0
    for start, end in sorted(spans):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered
