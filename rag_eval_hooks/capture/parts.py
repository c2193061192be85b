"""What of an item stands in several prompts together, among which it was split."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from rag_eval_hooks.capture.forms import SHINGLE, ItemForms, PromptForms

__all__ = ["Parts"]

MIN_PART = 12
"""Characters from which a part is no accident wherever it stands; a shorter one must begin or end a line."""


class Parts:
    """Prompts among which items were split, as refining does where they do not fit into one.

    Args:
        prompts: All text that each call got.
    """

    def __init__(self, prompts: Sequence[str]) -> None:
        self._texts = prompts
        self._prompts = [PromptForms(prompt) for prompt in prompts]

    @cached_property
    def _shingles(self) -> frozenset[int]:
        return frozenset().union(*(prompt.shingles for prompt in self._prompts))

    def share(self, item: ItemForms) -> float:
        """Returns the share of an item's characters that stand in any of the prompts.

        These are its runs of 8 words or more, and what is left between them and around them as far as the prompts hold
        it in parts one after the other: the cuts are anywhere.

        >>> item = ItemForms("The Rhine rises in the Alps and passes through Basel.")
        >>> Parts(["Text: The Rhine rises in the Alps and\\n", "Text: passes through Basel.\\n"]).share(item)
        1.0
        >>> Parts(["Text: The Rhine rises in the Andes.", "Basel."]).share(item)
        0.0

        Args:
            item: The item.
        """
        known = self._shingles
        seen = {
            piece
            for shingle, places in item.shingles.items()
            if shingle in known
            for place in places
            for piece in range(place, place + SHINGLE)
        }
        sizes = [len(piece) for piece in item.pieces]
        for start, end in _gaps(seen, len(sizes)):
            parts = list(self._parts(item, start, end))
            # With nothing else of it there, what two texts happen to begin with is no part of the item.
            if seen or (parts and parts[-1][1] == end):
                seen.update(*(range(*part) for part in parts))
        return sum(sizes[piece] for piece in seen) / sum(sizes) if sizes else 0.0

    def first(self, item: ItemForms) -> int:
        """Returns which of the prompts is the first that holds the item's beginning, as much of it as any does."""
        beginning = item.part(0, self._reach(item, 0, len(item.pieces)))
        return next((place for place, prompt in enumerate(self._prompts) if beginning in prompt.text), 0)

    def _parts(self, item: ItemForms, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yields, from a piece on to another, the longest parts that the prompts hold; stops where they hold none."""
        while start < end:
            reached = self._reach(item, start, end)
            part = item.part(start, reached)
            if not part or not (len(part) >= MIN_PART or self._is_edge(part)):
                return
            yield start, reached
            start = reached

    def _reach(self, item: ItemForms, start: int, end: int) -> int:
        """Returns up to which piece, from one on, a prompt holds the text; `start` if none does."""
        low, high = start, end
        while low < high:  # a text that is in a prompt is so with all its beginnings
            middle = (low + high + 1) // 2
            if self._hold(item.part(start, middle)):
                low = middle
            else:
                high = middle - 1
        return low

    def _hold(self, part: str) -> bool:
        return any(part in prompt.text for prompt in self._prompts)

    def _is_edge(self, part: str) -> bool:
        words = r"\s+".join(map(re.escape, part.split()))
        edge = re.compile(rf"^[ \t]*{words}(?!\w)|(?<!\w){words}[ \t]*$", re.M)
        return any(edge.search(text) for text in self._texts)


def _gaps(seen: set[int], size: int) -> list[tuple[int, int]]:
    """Returns the stretches of the numbers below `size` that were not seen.

    >>> _gaps({2, 3}, 6)
    [(0, 2), (4, 6)]
    """
    edges = [-1, *sorted(seen), size]
    return [(before + 1, after) for before, after in pairwise(edges) if after - before > 1]
