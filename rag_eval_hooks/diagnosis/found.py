"""What a rule says when it holds."""

from typing import NamedTuple

__all__ = ["Found"]


class Found(NamedTuple):
    """One rule's finding; its kind and stage stand in the table of rules."""

    confidence: float
    """How sure, in [0, 1]."""
    why: str
    """The evidence in one sentence."""
    claims: tuple[int, ...] = ()
    """Indices of the claims it is about."""
    citations: tuple[int, ...] = ()
    """Indices of the citations it is about."""
    chunks: tuple[int, ...] = ()
    """Ranks of the chunks it is about."""

    def refs(self) -> dict[str, tuple[int, ...]]:
        """Returns what it is about, as `Finding.refs` has it; empty ones left out."""
        named = {"claims": self.claims, "citations": self.citations, "chunks": self.chunks}
        return {name: indices for name, indices in named.items() if indices}
