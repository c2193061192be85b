"""`Distinct`: how many different texts pass by, in bounded memory."""

import hashlib
from heapq import heappush, heapreplace

__all__ = ["Distinct"]

KEPT = 4_096
SPACE = 2**64


class Distinct:
    """Counts different texts: exactly up to 4,096, then estimated from the smallest hashes (k minimum values).

    The estimate's standard error is about 1.6 % (Bar-Yossef et al. 2002); it depends on the texts alone.

    >>> seen = Distinct()
    >>> for text in ("a", "b", "a"):
    ...     seen.add(text)
    >>> seen.count, seen.exact
    (2, True)
    """

    def __init__(self) -> None:
        self._largest_first: list[int] = []
        self._kept: set[int] = set()
        self.exact = True
        """Whether `count` is the true number."""

    def add(self, text: str) -> None:
        """Counts one text."""
        number = int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")
        if number in self._kept:
            return
        if len(self._kept) < KEPT:
            heappush(self._largest_first, -number)
        else:
            self.exact = False
            if number >= -self._largest_first[0]:
                return
            self._kept.discard(-heapreplace(self._largest_first, -number))
        self._kept.add(number)

    @property
    def count(self) -> int:
        """How many different texts were added."""
        return len(self._kept) if self.exact else round((KEPT - 1) * SPACE / -self._largest_first[0])
