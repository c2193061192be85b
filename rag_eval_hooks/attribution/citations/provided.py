"""Turns the citations that a provider gave beside the text into marks, or into what marks of the text mean."""

import bisect
from collections.abc import Sequence

from rag_eval_hooks.attribution.citations.mark import Mark, Ranks, Span
from rag_eval_hooks.attribution.citations.sources import Sources
from rag_eval_hooks.attribution.claims import Statement
from rag_eval_hooks.record.limits import MAX_MARKS
from rag_eval_hooks.record.run import ProvidedCitation

__all__ = ["with_provided"]


def with_provided(
    answer: str,
    marks: Sequence[Mark],
    provided: Sequence[ProvidedCitation],
    sources: Sources,
    statements: Sequence[Statement],
) -> tuple[list[Mark], bool]:
    """Returns the marks together with those that the provider gave, in order, and whether any of these was cut.

    One that covers nothing but marks of the text (`【4:0†source】`) says what those mean. Any other stands, without a
    mark, behind the words that it covers, once for each statement. Places beyond the answer are cut to it; what is left
    without any words, or ends before it begins, is left out. One without a place is about the whole answer; a numbered
    source is none.

    Args:
        answer: The answer's text.
        marks: Its own marks, in order.
        provided: What the provider gave.
        sources: What can be cited.
        statements: The statements of the answer, in order.
    """
    found = list(marks)
    added: list[Mark] = []
    was_cut = False
    starts = [mark.start for mark in marks]
    for one in provided[:MAX_MARKS]:
        if one.label is not None and one.start is None:
            continue
        span, is_cut = _span(one, len(answer))
        was_cut = was_cut or is_cut
        if span is None or len(added) >= MAX_MARKS:
            continue
        ranks = _ranks(one, sources)
        first, last = (bisect.bisect_left(starts, place) for place in span)
        inside = [place for place in range(first, last) if found[place].end <= span[1]]
        if not _has_words(answer, span, [found[place] for place in inside]):
            for place in inside:
                if ranks and len(found[place].targets) == 1:
                    found[place] = found[place]._replace(targets=(ranks,))
        else:
            added += [
                Mark("", end, end, (ranks,), "provider", (), (start, end)) for start, end in _cut(span, statements)
            ]
    return sorted([*found, *added], key=lambda mark: mark.start), was_cut


def _cut(span: Span, statements: Sequence[Statement]) -> list[Span]:
    """Returns the parts of a span in each statement; the span itself where it lies in none."""
    place = max(bisect.bisect_right(statements, span[0], key=lambda one: one.start) - 1, 0)
    parts: list[Span] = []
    while place < len(statements) and statements[place].start < span[1]:
        start, end = max(span[0], statements[place].start), min(span[1], statements[place].end)
        if start < end:
            parts.append((start, end))
        place += 1
    return parts or [span]


def _span(one: ProvidedCitation, length: int) -> tuple[Span | None, bool]:
    if one.start is None and one.end is None:
        return (0, length), False
    start, end = one.start or 0, length if one.end is None else one.end
    span = min(max(start, 0), length), min(max(end, 0), length)
    return (span if span[0] < span[1] else None), span != (start, end) or start >= end


def _has_words(answer: str, span: Span, marks: Sequence[Mark]) -> bool:
    at = span[0]
    for mark in marks:
        if any(map(str.isalnum, answer[at : mark.start])):
            return True
        at = mark.hidden_until
    return any(map(str.isalnum, answer[at : span[1]]))


def _ranks(one: ProvidedCitation, sources: Sources) -> Ranks:
    """Returns the items that are meant: by id, address or title, then by the quoted words and the place among them."""
    named: Ranks = ()
    for name in (one.id, one.url, one.title):
        named = named or (sources.named(name) if name else ())
    numbered = one.index + 1 if one.index is not None and 0 <= one.index < sources.size else None
    quoted = sources.quoting(one.cited_text, named) if one.cited_text else ()
    if numbered is not None and numbered in (quoted or named or (numbered,)):
        return (numbered,)
    return quoted or named
