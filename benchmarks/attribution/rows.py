"""Rows to fit the heads on, from labels people gave and from swapped numbers.

A use row is a chunk: the features of its text, and whether the answer used it. A support row is a statement: the
features of the text nearest to it, whether the text backs it and whether it contradicts it. Where a label is of a whole
answer, its statements share it and `fit.py` picks the weakest.
"""

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from corpora import as_run, begin, dureader, fever, mtrag, quotesum, rows

from rag_eval_hooks.attribution.attribute import support_features_by_claim, use_features_by_position
from rag_eval_hooks.record import RagRun

NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,]|\.\d)")
SEED = 0
BEST_GRADE, LOW_GRADE = 4.0, 2.7


class UseRow(NamedTuple):
    """One chunk."""

    features: tuple[float, ...]
    used: bool
    group: str
    """`corpus:question`."""


class SupportRow(NamedTuple):
    """One statement against the text nearest to it."""

    features: tuple[float, ...]
    """Empty where no text shares anything with it."""
    supported: bool
    refuted: bool | None
    """None where it is not known."""
    corpus: str
    group: str
    """Rows from one question or document share it, whatever corpus they were made for."""
    answer: int
    """Rows of one answer share this number."""


Labelled = tuple[str, str, RagRun, bool, bool | None]


def use_rows() -> list[UseRow]:
    """Returns the rows of the corpora whose used chunks people named."""
    return [
        UseRow(features, used, f"{corpus}:{row.group}")
        for corpus, labelled in (("quotesum", quotesum()), ("dureader", dureader()))
        for row in labelled
        for features, used in zip(use_features_by_position(row.run), row.used, strict=True)
    ]


def texts_of(run: RagRun) -> list[str]:
    """Returns the texts of a run's context in order."""
    return [chunk.text for chunk in run.context_chunks()]


def support_rows() -> list[SupportRow]:
    """Returns the rows of all corpora whose answers people judged, and of those made from others."""
    return [
        SupportRow(features, supported, refuted, corpus, group, answer)
        for answer, (corpus, group, run, supported, refuted) in enumerate(_labelled())
        for features in support_features_by_claim(run)
    ]


def _labelled() -> Iterator[Labelled]:
    for row in begin():
        yield "begin", f"begin:{row.group}", row.run, bool(row.label), False if row.label else None
    for row in fever():
        yield "fever", f"fever:{row.group}", row.run, bool(row.label), not row.label
    for row in mtrag():  # what lies between the grades teaches little
        if row.label == BEST_GRADE or row.label <= LOW_GRADE:
            yield "mtrag", f"mtrag:{row.group}", row.run, row.label == BEST_GRADE, None
    yield from _written()
    yield from _bare()


def _written() -> Iterator[Labelled]:
    """Written answers against the sources they used, against those they did not use, and with a number changed."""
    chance = random.Random(SEED)
    for row in quotesum():
        texts = texts_of(row.run)
        used = [text for text, flag in zip(texts, row.used, strict=True) if flag]
        rest = [text for text, flag in zip(texts, row.used, strict=True) if not flag]
        answer, group = row.run.answer or "", f"quotesum:{row.group}"
        yield "quotesum", group, as_run(row.group, used, answer), True, False
        if rest:
            yield "quotesum", group, as_run(row.group, rest, answer), False, None
        swapped = swap_number(answer, chance)
        if swapped is not None:
            yield "swapped", group, as_run(row.group, used, swapped), False, None


def _bare() -> Iterator[Labelled]:
    """Bare answers against the passage they were taken from, and against another passage that does not hold them."""
    chance = random.Random(SEED)
    for line in rows("quotesum/dev.jsonl"):
        answers = [(one["short_answer"], one["text"]) for one in line["contexts"] if one.get("short_answer")]
        yield from _against(line["question"], f"quotesum:{line['question']}", answers, chance)
    paragraphs = rows("cmrc2018/dev.jsonl")
    for line, other in zip(paragraphs, paragraphs[1:] + paragraphs[:1], strict=True):
        for qa in line["qas"][:1]:
            pair = [(qa["answers"][0], line["context"]), ("", other["context"])]
            yield from _against(qa["question"], f"cmrc:{line['id']}", pair, chance)


def _against(question: str, group: str, answers: list[tuple[str, str]], chance: random.Random) -> Iterator[Labelled]:
    for answer, text in answers:
        if not answer or answer.lower() not in text.lower():
            continue
        yield "bare", group, as_run(question, [text], answer), True, False
        others = [other for _, other in answers if other != text and answer.lower() not in other.lower()]
        if others:
            yield "bare", group, as_run(question, [chance.choice(others)], answer), False, None


def swap_number(text: str, chance: random.Random) -> str | None:
    """Returns the text with one of its whole numbers changed to another of its size, None where there is none."""
    numbers = list(NUMBER.finditer(text))
    if not numbers:
        return None
    match = chance.choice(numbers)
    old = int(match.group())
    new = old
    while new == old:
        new = abs(old + chance.choice([-1, 1]) * chance.randint(1, max(2, old // (50 if old > 1000 else 2))))
    return text[: match.start()] + str(new) + text[match.end() :]
