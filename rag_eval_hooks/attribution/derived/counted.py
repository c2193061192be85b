"""Candidates for a number that counts: the items of a list, the lines of a block, the rows of a table."""

from collections.abc import Collection, Iterator, Mapping

from rag_eval_hooks.attribution.derived.candidates import Candidate
from rag_eval_hooks.attribution.derived.counts import MAX_LISTS, Listed, bulleted, lists_in
from rag_eval_hooks.attribution.derived.operands import Operand, Operands, labels_of
from rag_eval_hooks.attribution.derived.tables import Table

__all__ = ["count_candidates"]

MAX_PLACES = 60
"""Sentences that are searched for lists for one number."""
NOUN_SCORE = 1.5


def count_candidates(
    nouns: Collection[str], words: Mapping[str, float], places: Collection[int], operands: Operands
) -> Iterator[Candidate]:
    """Yields the lengths of the lists that may be of what the claim counts.

    Args:
        nouns: The terms behind the number in the claim; a list needs one of them in or before it.
        words: What the claim speaks of, with weights.
        places: Sentences that share words with the claim, best first.
        operands: The numbers of the context, with its tables.
    """
    evidence = operands.evidence
    chunks: dict[int, int] = {}
    for place in list(places)[:MAX_PLACES]:
        chunk, start, end, is_question = evidence.sentences[place]
        text = evidence.texts[chunk].text
        chunks.setdefault(chunk, place)
        if is_question:
            continue
        terms = labels_of(text[start:end])
        if terms.isdisjoint(nouns):
            continue
        shared = sum(weight for term, weight in words.items() if term in terms)
        for number, listed in enumerate(lists_in(text, start, end)):
            if number >= MAX_LISTS:
                break
            lead = labels_of(text[slice(*listed.lead)])
            score = shared + NOUN_SCORE * (not lead.isdisjoint(nouns))
            yield _candidate(listed.items, chunk, place, score, terms, "listed")
    for chunk, place in list(chunks.items())[:MAX_LISTS]:
        text = evidence.texts[chunk].text
        for listed in bulleted(text) if "\n" in text else ():
            yield from _block(listed, text, chunk, place, nouns, words)
        for table in operands.tables.get(chunk, ())[:MAX_LISTS]:
            yield from _rows(table, text, chunk, place, nouns, words)


def _block(
    listed: Listed, text: str, chunk: int, place: int, nouns: Collection[str], words: Mapping[str, float]
) -> Iterator[Candidate]:
    lead = labels_of(text[slice(*listed.lead)])
    if lead.isdisjoint(nouns):
        return
    score = sum(weight for term, weight in words.items() if term in lead)
    yield _candidate(listed.items, chunk, place, score + NOUN_SCORE, lead)


def _rows(
    table: Table, text: str, chunk: int, place: int, nouns: Collection[str], words: Mapping[str, float]
) -> Iterator[Candidate]:
    if not table.has_header:
        return
    before = text[max(0, table.start - 200) : table.start]
    name = labels_of(text[table.rows[0][0].start : table.rows[0][0].end] + " ; " + before)
    if name.isdisjoint(nouns):
        return
    rows = [(row[0].start, row[-1].end) for row in table.rows[1:]]
    score = NOUN_SCORE + sum(weight for term, weight in words.items() if term in name)
    yield _candidate(tuple(rows), chunk, place, score, name)
    held = [labels_of(text[slice(*row)]) for row in rows]
    for term, weight in words.items():
        some = tuple(row for row, terms in zip(rows, held, strict=True) if term in terms)
        if 1 < len(some) < len(rows) and term not in name:
            yield _candidate(some, chunk, place, score + weight, name | {term}, "listed")


def _candidate(
    items: tuple[tuple[int, int], ...], chunk: int, place: int, score: float, terms: frozenset[str], cue: str = "count"
) -> Candidate:
    operands = tuple(
        Operand(chunk, place, start, end, (), None, 1.0, False, None, terms, frozenset(), frozenset(), (), False)
        for start, end in items
    )
    formula = f"count of {len(items)} items"
    return Candidate("count", cue, float(len(items)), None, (), formula, operands, score)
