"""Says which values stand in the same place of a sentence, and which only say what the sentence is about."""

from collections.abc import Sequence

from rag_eval_hooks.attribution.anchors import Anchor

__all__ = ["is_designation", "is_within", "is_year", "same_slot"]

DESIGNATIONS = frozenset(["day", "month", "quarter", "half", "version", "code"])


def same_slot(claimed: Anchor, source: Anchor) -> bool:
    """Whether two anchors are values of the same kind, so that one stands where the other is claimed."""
    if claimed.key is not None and source.key is not None:
        return claimed.key.split(":")[0] == source.key.split(":")[0]
    if claimed.key is not None or source.key is not None:
        return False
    if claimed.dimension or source.dimension:
        return claimed.dimension == source.dimension
    return is_year(claimed) == is_year(source)


def is_within(anchor: Anchor, given: Sequence[Anchor]) -> bool:
    """Whether a sentence's values have another between them, or name it apart: 2012 to 2018; 24 and 31 December."""
    if is_year(anchor):
        years = [other.values[0] for other in given if other.key is None and is_year(other)]
        return len(years) > 1 and min(years) < anchor.values[0] < max(years)
    if anchor.key is not None and anchor.key.startswith("day:"):
        month, day = anchor.key[len("day:") :].split("-")
        bare = any(other.key is None and float(day) in other.values for other in given)
        return bare and any(other.key == f"month:{month}" for other in given)
    return False


def is_designation(anchor: Anchor) -> bool:
    """Whether a value says which one is meant rather than how much: a year, a date, a period, a version, a code."""
    if anchor.key is not None:
        return anchor.key.split(":")[0] in DESIGNATIONS
    return is_year(anchor)


def is_year(anchor: Anchor) -> bool:
    """Whether a bare number of four digits may be a year."""
    return len(anchor.raw) == 4 and anchor.raw.isdecimal() and 1000 <= int(anchor.raw) <= 2199
