"""Which slices a run belongs to: by metadata, by tag, and by what is known of question, context and answer."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.metrics.labels import evidence_sets
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.summary.models import Slice

__all__ = ["DERIVED", "NONE", "OTHER", "check_slice_key", "metadata_keys", "script", "slices_of"]

NONE = "(none)"
"""The value of runs that say nothing about the key."""
OTHER = "(other)"
"""The value that stands for all beyond the first values of a key."""
MAX_SAMPLE = 400
METADATA = "metadata."
TABLE_LINE = re.compile(r"\|.*\||\t.*\t|^\s*</?(?:table|tr|td|th)\b", re.IGNORECASE)
KANA = ("HIRAGANA", "KATAKANA")


def check_slice_key(key: str) -> str:
    """Returns the key if runs can be cut by it.

    Raises:
        ConfigError: If it is none of `metadata.<key>`, `tag` and the derived ones.
    """
    if key in DERIVED or key == "tag" or (key.startswith(METADATA) and len(key) > len(METADATA)):
        return key
    raise ConfigError(f"cannot cut by {one_line(key)!r}; give metadata.KEY, tag, {', '.join(DERIVED)}")


def slices_of(key: str, run: RagRun | None, evaluation: Evaluation) -> tuple[Slice, ...]:
    """Returns the slices a run belongs to by one key: one, or for `tag` and lists in metadata one for each entry."""
    if key in DERIVED:
        values: tuple[str, ...] = (DERIVED[key](run, evaluation),)
    elif key == "tag":
        values = tuple(run.tags) if run is not None else ()
    else:
        values = _metadata_values(run.metadata if run is not None else {}, key.removeprefix(METADATA))
    shown = dict.fromkeys(one_line(value, 80) or "(empty)" for value in values)
    return tuple(Slice(key=key, value=value) for value in shown or (NONE,))


def metadata_keys(run: RagRun | None) -> tuple[str, ...]:
    """Returns the slice keys for the run's metadata that hold a plain value, at most 50."""
    if run is None:
        return ()
    keys = [key for key, value in run.metadata.items() if isinstance(value, (str, bool, int))]
    return tuple(METADATA + key for key in keys[:50])


def _metadata_values(metadata: Mapping[str, Any], path: str) -> tuple[str, ...]:
    """The value at a key, or at a dotted path into objects."""
    value: Any = metadata
    if path in metadata:
        value = metadata[path]
    else:
        for part in path.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    entries = value if isinstance(value, list) else [value]
    return tuple(_plain(entry) for entry in entries if entry is not None and not isinstance(entry, (list, Mapping)))


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def script(text: str | None) -> str:
    """Returns the script most letters of a text are written in; Japanese and Korean by their own letters.

    >>> script("How tall?"), script("Как высоко?"), script("高さはいくらですか"), script("塔有多高"), script("42?")
    ('latin', 'cyrillic', 'japanese', 'han', '(none)')
    """
    letters = Counter(_script_of(letter) for letter in (text or "")[:MAX_SAMPLE] if letter.isalpha())
    if not letters:
        return NONE
    if letters["japanese"] and letters["japanese"] + letters["han"] >= letters.most_common(1)[0][1]:
        return "japanese"  # kanji are Han letters; a Chinese text has no kana
    return min(letters, key=lambda name: (-letters[name], name))


@lru_cache(maxsize=4_096)
def _script_of(letter: str) -> str:
    first = unicodedata.name(letter, "unknown").partition(" ")[0].removesuffix("-")
    if first in KANA or first.startswith("KATAKANA-HIRAGANA"):
        return "japanese"
    if first == "CJK":
        return "han"
    return "latin" if first in ("FULLWIDTH", "FEMININE", "MASCULINE") else first.lower()


def _script(run: RagRun | None, evaluation: Evaluation) -> str:
    return script(run.question if run is not None else evaluation.question)


def _gold_items(run: RagRun | None, _: Evaluation) -> str:
    """Size of the smallest evidence set that suffices; spans where evidence is given so."""
    if run is None or run.gold is None:
        return NONE
    sets = evidence_sets(run.gold)
    if sets:
        return _bucket(min(len(one) for one in sets))
    if run.gold.spans:
        return _bucket(len(run.gold.spans))
    return "0" if run.gold.relevance is not None or run.gold.evidence_sets is not None else NONE


def _context_kind(run: RagRun | None, _: Evaluation) -> str:
    if run is None:
        return NONE
    tables = [_is_table(chunk.text, chunk.metadata) for chunk in run.context_chunks()]
    if not tables:
        return "no_context"
    return "table" if all(tables) else "mixed" if any(tables) else "text"


def _is_table(text: str, metadata: Mapping[str, Any]) -> bool:
    if str(metadata.get("type", "")).lower() == "table":
        return True
    return sum(1 for line in text[:20_000].splitlines() if TABLE_LINE.search(line[:2_000])) >= 2


def _chunks(run: RagRun | None, evaluation: Evaluation) -> str:
    return _bucket(len(run.context) if run is not None else sum(chunk.in_prompt for chunk in evaluation.chunks))


def _bucket(count: int) -> str:
    if count <= 3:
        return str(count)
    return "4-5" if count <= 5 else "6-10" if count <= 10 else "11-20" if count <= 20 else "21+"


DERIVED: Mapping[str, Callable[[RagRun | None, Evaluation], str]] = {
    "answer_kind": lambda _, evaluation: evaluation.answer_kind,
    "status": lambda _, evaluation: evaluation.status,
    "gold_items": _gold_items,
    "script": _script,
    "context_kind": _context_kind,
    "chunks": _chunks,
}
"""Keys that need no metadata: how the answer and the run ended, gold items needed, script of the question, whether
the context is tables or text, and chunks in the prompt."""
