"""How common a term is: the document frequencies behind idf, fixed or learned from what a pipeline retrieves."""

import hashlib
import heapq
import math
import os
import threading
import weakref
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from rag_eval_hooks.attribution.evidence import fold_text
from rag_eval_hooks.attribution.files import number, read_settings, settings_text, write_text
from rag_eval_hooks.attribution.terms import SPACELESS_FROM, plain_terms
from rag_eval_hooks.errors import ConfigError

__all__ = ["RAREST", "Background", "RollingBackground"]

RAREST = 1 / 1_000
"""Share of passages at and below which a term is as rare as can be: idf 1."""
LOG_RAREST = -math.log(RAREST)
START_PASSAGES = 500
"""How many passages what a rolling background starts from is worth."""
KEPT = 0.8
"""Share of `max_terms` that is left when there are too many."""
FORGOTTEN = 0.1
"""A count that halving brings below this is dropped."""

_rolling: "weakref.WeakSet[RollingBackground]" = weakref.WeakSet()


class Background:
    """Document frequencies of terms, as `plain_terms` gives them; immutable.

    Words and the bigrams of scripts without blanks are counted apart: each term's share is of the passages that hold
    any term of its kind, so that a background of two languages serves a pipeline of one.

    Args:
        counts: In how many passages each term occurs.
        words: Passages that hold a word.
        bigrams: Passages that hold a bigram.
    """

    def __init__(self, counts: Mapping[str, float], *, words: float, bigrams: float) -> None:
        self._counts = dict(counts)
        self._words = words
        self._bigrams = bigrams
        self._digest: str | None = None

    @staticmethod
    def default() -> "Background":
        """Returns the frozen background that comes with the package; loaded on first use, then shared.

        What it was made from, and when, is its `card` in `background.json` in this folder.
        """
        return _default()

    @staticmethod
    def rolling(start: "Background | None" = None) -> "RollingBackground":
        """Returns a background that learns from what it is shown, beginning with `start` (the package's).

        `Hooks` shows it each run's chunks after their evaluation.
        """
        return RollingBackground(Background.default() if start is None else start)

    def idf(self, term: str) -> float:
        """Returns how much a term tells, in [0, 1]: 0 for one in every passage, 1 for one that is rare or unknown.

        idf(t) = min(1, ln(N / n_t) / ln(1 / RAREST)), with n_t of N passages holding t: the inverse document frequency
        of K. Spärck Jones (1972), "A statistical interpretation of term specificity and its application in retrieval",
        see also S. Robertson (2004), "Understanding inverse document frequency"; on a scale that does not depend on N.

        >>> background = Background({"the": 1000, "mast": 10}, words=1000, bigrams=0)
        >>> [round(background.idf(term), 2) for term in ("the", "mast", "gaff")]
        [0.0, 0.67, 1.0]
        """
        count = self._counts.get(term, 0.0)
        passages = self._bigrams if term[:1] >= SPACELESS_FROM else self._words
        if count <= 0.0 or passages <= count:
            return 1.0 if count <= 0.0 else 0.0
        return min(1.0, math.log(passages / count) / LOG_RAREST)

    def freeze(self) -> "Background":
        """Returns a background that does not change any more: this one."""
        return self

    @property
    def digest(self) -> str | None:
        """Eight hexadecimal digits that differ where the frequencies differ; None where they change."""
        if self._digest is None:
            self._digest = hashlib.sha256(self.to_json().encode("utf-8")).hexdigest()[:8]
        return self._digest

    def to_json(self, card: Mapping[str, Any] | None = None) -> str:
        """Returns what `save` writes: the terms by their count, the commonest first.

        Args:
            card: What to say about the data.
        """
        by_count: dict[float, tuple[list[str], list[str]]] = {}
        for term, count in sorted(self._counts.items(), key=lambda item: (-item[1], item[0])):
            by_count.setdefault(count, ([], []))[term >= SPACELESS_FROM].append(term)
        kinds = [
            {str(_plain(count)): " ".join(found[kind]) for count, found in by_count.items() if found[kind]}
            for kind in (False, True)
        ]
        data = {
            "words": {"passages": _plain(self._words), "terms": kinds[0]},
            "bigrams": {"passages": _plain(self._bigrams), "terms": kinds[1]},
        }
        return settings_text("background", {"card": card, **data} if card else data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the frequencies as JSON; they hold single terms of the texts, and no text.

        Raises:
            ConfigError: If the file cannot be written.
        """
        write_text(path, self.to_json())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Background":
        """Reads what `save` wrote.

        Raises:
            ConfigError: If it cannot be read or is no background.
        """
        data = read_settings(path, "background")
        counts: dict[str, float] = {}
        passages: list[float] = []
        for kind in ("words", "bigrams"):
            part = data.get(kind)
            terms = part.get("terms") if isinstance(part, dict) else None
            if not isinstance(part, dict) or not isinstance(terms, dict):
                raise ConfigError(f"{os.fspath(path)}: {kind} must be an object with passages and terms")
            passages.append(number(part.get("passages"), f"{kind}.passages", path))
            for count, found in terms.items():
                if not isinstance(found, str):
                    raise ConfigError(f"{os.fspath(path)}: {kind}.terms must hold texts, terms with blanks between")
                try:
                    value = number(float(count), f"a count in {kind}.terms", path)
                except ValueError as error:  # ConfigError is one, too
                    raise ConfigError(f"{os.fspath(path)}: {count!r:.40} in {kind}.terms is no count") from error
                counts.update(dict.fromkeys(found.split(), value))
        return Background(counts, words=passages[0], bigrams=passages[1])


class RollingBackground(Background):
    """A background that learns from the passages it is shown; old ones fade, and memory is bounded.

    A text counts once while it is remembered. When more than `window` passages were counted, all counts are halved and
    the texts are forgotten: what is retrieved again counts again, what is not fades. Of more than `max_terms` terms the
    rarest are dropped. May be used from any thread; after a fork, parent and child learn apart.

    Args:
        start: Where to begin; it is worth at most `start_passages` passages.
        window: Passages after which counts are halved.
        max_terms: Most terms that are kept.
        start_passages: How much the beginning weighs.

    Raises:
        ConfigError: If a number is out of range.
    """

    def __init__(
        self,
        start: Background,
        *,
        window: int = 20_000,
        max_terms: int = 50_000,
        start_passages: int = START_PASSAGES,
    ) -> None:
        for name, value, low in (
            ("window", window, 1),
            ("max_terms", max_terms, 1),
            ("start_passages", start_passages, 0),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ConfigError(f"{name}: expected a whole number from {low}, got {value!r}")
        start = start.freeze()
        words = min(1.0, start_passages / start._words) if start._words else 0.0
        bigrams = min(1.0, start_passages / start._bigrams) if start._bigrams else 0.0
        super().__init__(
            {term: count * (bigrams if term >= SPACELESS_FROM else words) for term, count in start._counts.items()},
            words=start._words * words,
            bigrams=start._bigrams * bigrams,
        )
        self._window = window
        self._max_terms = max_terms
        self._seen: set[int] = set()
        self._lock = threading.Lock()
        _rolling.add(self)
        self._prune()

    @property
    def digest(self) -> None:
        """None: it changes."""
        return None

    def observe(self, texts: Iterable[str]) -> None:
        """Counts the terms of passages that were not counted lately, of each in its first 200,000 characters."""
        for text in texts:
            key = hash(text)
            if key in self._seen:
                continue
            folded = fold_text(text).text
            found = set(plain_terms(folded, 0, len(folded)))
            with self._lock:
                self._count(key, found)

    def _count(self, key: int, found: set[str]) -> None:
        if key in self._seen:  # another thread was quicker
            return
        self._seen.add(key)
        spaceless = sum(term >= SPACELESS_FROM for term in found)
        self._bigrams += spaceless > 0
        self._words += len(found) > spaceless
        for term in found:
            self._counts[term] = self._counts.get(term, 0.0) + 1.0
        if len(self._seen) > self._window:
            self._fade()
        self._prune()

    def _fade(self) -> None:
        self._seen.clear()
        self._words /= 2
        self._bigrams /= 2
        self._counts = {term: count / 2 for term, count in self._counts.items() if count / 2 >= FORGOTTEN}

    def _prune(self) -> None:
        if len(self._counts) > self._max_terms:
            kept = heapq.nsmallest(
                max(1, int(KEPT * self._max_terms)), self._counts.items(), key=lambda item: (-item[1], item[0])
            )
            self._counts = dict(kept)

    def freeze(self) -> Background:
        """Returns a copy that does not change any more, its counts rounded to what a file holds."""
        with self._lock:
            counts, words, bigrams = dict(self._counts), self._words, self._bigrams
        return Background(
            {term: rounded for term, count in counts.items() if (rounded := round(count, 2)) > 0},
            words=round(words, 2),
            bigrams=round(bigrams, 2),
        )

    def to_json(self, card: Mapping[str, Any] | None = None) -> str:
        """Returns what `save` writes: the frequencies as they are now."""
        return self.freeze().to_json(card)

    def __getstate__(self) -> dict[str, Any]:
        # A lock cannot be copied, and texts have other hashes in another process.
        with self._lock:
            return {**self.__dict__, "_lock": None, "_seen": set(), "_counts": dict(self._counts)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        _rolling.add(self)


def _plain(count: float) -> float:
    return int(count) if count == int(count) else count


@cache
def _default() -> Background:
    with resources.as_file(resources.files(__package__).joinpath("background.json")) as path:
        return Background.load(path)


def _after_fork() -> None:
    """A child process starts with locks that nobody holds."""
    for background in list(_rolling):
        background._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
