"""What a citation mark is."""

from typing import Literal, NamedTuple

__all__ = ["Form", "Mark", "Ranks", "Span"]

Span = tuple[int, int]
Ranks = tuple[int, ...]

Form = Literal["number", "round", "superscript", "name", "author", "word", "link", "address", "tag", "provider"]


class Mark(NamedTuple):
    """One citation: where it stands and what it names."""

    text: str
    """The mark as it stands in the answer: `answer[start:end]`."""
    start: int
    """Where the mark begins in the answer."""
    end: int
    """Where the mark ends."""
    targets: tuple[Ranks, ...]
    """One entry per target: the ranks of the items that it may mean (chunks of one file share a name), none where there
    is no such item. A group or range has several."""
    form: Form
    """How it is written."""
    hidden: tuple[Span, ...] = ()
    """What is no part of the answer's words: the mark, a link's address, the `according to` before it."""
    about: Span | None = None
    """The stretch of the answer that it stands for, where the way of writing says so."""
    leads: bool = False
    """Whether it stands before what it backs (`According to [1], ...`), not behind."""
    is_cut: bool = False
    """Whether it names more items than are spelled out."""

    @property
    def hidden_until(self) -> int:
        """Where what it hides ends; where it hides nothing, where the mark ends."""
        return self.hidden[-1][1] if self.hidden else self.end
