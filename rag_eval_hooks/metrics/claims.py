"""Groundedness and EvidenceCompleteness: how much of what the answer states the context backs."""

from collections.abc import Container
from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Need, register
from rag_eval_hooks.metrics.share import ShareMetric
from rag_eval_hooks.record import Attribution, Claim, RagRun
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM

__all__ = ["EvidenceCompleteness", "Groundedness", "backed_by"]


@register
@dataclass(frozen=True, kw_only=True)
class Groundedness(ShareMetric):
    """Share of the answer's claims that the context backs.

    Groundedness = claims with verdict `supported` / claims that need evidence

    An uncertain verdict does not count as backed. Greetings, questions and refusals need no evidence and are on
    neither side, and so are claims that were not judged (probability null: beyond attribution's limits); an answer of
    these alone has no value (`no_claims`).

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("ab")
    >>> Groundedness().score(run, make_attribution(run, claims=["+1", "-", "+2", "~", "!"])).value
    0.5
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "claims"})
    use_when: ClassVar[str] = "Every answer, live: what share of it the context backs, without gold."
    avoid_when: ClassVar[str] = (
        "The question is whether the answer is right: a wrong source grounds a wrong answer; `AnswerMatch` needs gold."
    )

    def judge(self, run: RagRun, attribution: Attribution) -> tuple[float, float]:  # noqa: ARG002
        """Returns the backed claims, and those that need evidence."""
        claims = [claim for claim in attribution.claims if claim.needs_evidence and claim.probability is not None]
        return sum(claim.verdict == "supported" for claim in claims), len(claims)


@register
@dataclass(frozen=True, kw_only=True)
class EvidenceCompleteness(ShareMetric):
    """Share of the answer's claims whose evidence is among the first `k` items of the context; needs no gold.

    EvidenceCompleteness@k = claims backed by the first k items / claims that need evidence

    A claim is backed by the first `k` items when its verdict is `supported` and one of them backs it alone, or all
    the items that back it together are among them. Without `k` it equals `Groundedness`.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("abc")
    >>> found = make_attribution(run, claims=["+1|3", "+1,3", "-", "+2"])
    >>> [EvidenceCompleteness(k=k).score(run, found).value for k in (1, 2, None)]
    [0.25, 0.5, 0.75]
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "claims"})
    use_when: ClassVar[str] = "There is no gold, and you want to know how many items the answer's evidence needs."
    avoid_when: ClassVar[str] = (
        "Gold names the evidence: it looks at what the answer said, not at what it left out; take `EvidenceRecall`."
    )

    k: int | None = None
    """How many items of the context to look at, from the top; None looks at all."""

    def judge(self, run: RagRun, attribution: Attribution) -> tuple[float, float]:
        """Returns the claims that the first items back, and those that need evidence."""
        claims = [claim for claim in attribution.claims if claim.needs_evidence and claim.probability is not None]
        top = range(1, (len(attribution.chunks) if self.k is None else self.k) + 1)
        return sum(backed_by(run, claim, top) for claim in claims), len(claims)


def backed_by(run: RagRun, claim: Claim, ranks: Container[int]) -> bool:
    """Returns whether the chunks at these ranks back a claim: one of them alone, or all that do so together.

    Where equal chunks stand at several ranks, one of them is enough.
    """
    if claim.verdict != "supported":
        return False
    alone = [support for support in claim.supported_by if support.probability >= SUPPORTED_FROM]
    if alone:
        return any(support.rank in ranks for support in alone)
    ledger = run.ledger
    parts: dict[str, bool] = {}
    for support in claim.supported_by:
        text = run.chunks[ledger[support.rank - 1]].text
        parts[text] = parts.get(text, False) or support.rank in ranks
    return bool(parts) and all(parts.values())
