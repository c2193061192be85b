"""Rows to fit the support head on: statements against texts, from labels people gave and from swapped values.

A row is a statement, the features of the text nearest to it, and what is known: whether the text backs it, whether it
contradicts it. Where a label is of a whole answer, its statements share it and `fit.py` picks the weakest.
"""

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from corpora import begin, fever, mtrag, quotesum, rows

from rag_eval_hooks.attribution.attribute import support_features_by_claim
from rag_eval_hooks.record import RagRun, read_run

NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,]|\.\d)")
SEED = 0
BEST_GRADE, LOW_GRADE = 4.0, 2.7


class Row(NamedTuple):
    """One statement against the text nearest to it."""

    features: tuple[float, ...]
    supported: bool
    refuted: bool | None
    """None where it is not known."""
    corpus: str
    group: str
    answer: int
    """Rows of one answer share this number."""


def support_rows() -> list[Row]:
    """Returns the rows of all corpora that may be fitted."""
    found: list[Row] = []
    for answer, (corpus, group, run, supported, refuted) in enumerate(_judged()):
        found += [
            Row(features, supported, refuted, corpus, group, answer) for features in support_features_by_claim(run)
        ]
    return found


def _judged() -> Iterator[tuple[str, str, RagRun, bool, bool | None]]:
    for row in begin():
        yield "begin", row.group, row.run, bool(row.label), False if row.label else None
    groups = fever_groups()
    for row in fever():
        yield "fever", groups[row.group], row.run, bool(row.label), not row.label
    yield from _graded()
    yield from _written()
    yield from _bare()


def fever_groups() -> dict[str, str]:
    """Returns, for each claim, the group of claims that share evidence with it, directly or through others."""
    parent: dict[str, str] = {}

    def find(node: str) -> str:
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    lines = rows("fever_symmetric/dev.jsonl")
    for line in lines:
        parent[find("claim " + line["claim"])] = find("evidence " + line["evidence"])
    return {line["claim"]: find("claim " + line["claim"]) for line in lines}


def _graded() -> Iterator[tuple[str, str, RagRun, bool, bool | None]]:
    """Answers that all people gave the best grade, and those with a low one; what is between teaches little."""
    for row in mtrag():
        if row.label == BEST_GRADE or row.label <= LOW_GRADE:
            yield "mtrag", row.group.split("<::>")[0], row.run, row.label == BEST_GRADE, None


def _written() -> Iterator[tuple[str, str, RagRun, bool, bool | None]]:
    """Written answers against the sources they used, against those they did not use, and with a number changed."""
    chance = random.Random(SEED)  # noqa: S311  seeded
    for row in quotesum():
        texts = [chunk.text for chunk in row.run.context_chunks()]
        used = [text for text, flag in zip(texts, row.used, strict=True) if flag]
        rest = [text for text, flag in zip(texts, row.used, strict=True) if not flag]
        answer = row.run.answer or ""
        yield "quotesum", row.group, _run(row.group, used, answer), True, False
        if rest:
            yield "quotesum", row.group, _run(row.group, rest, answer), False, None
        swapped = swap_number(answer, chance)
        if swapped is not None:
            yield "swapped", row.group, _run(row.group, used, swapped), False, None


def _bare() -> Iterator[tuple[str, str, RagRun, bool, bool | None]]:
    """Bare answers against the passage they were taken from, and against another passage that does not hold them."""
    chance = random.Random(SEED)  # noqa: S311  seeded
    for line in rows("quotesum/dev.jsonl"):
        answers = [(one["short_answer"], one["text"]) for one in line["contexts"] if one.get("short_answer")]
        yield from _against("bare", line["question"], line["question"], answers, chance)
    paragraphs = rows("cmrc2018/dev.jsonl")
    for line, other in zip(paragraphs, paragraphs[1:] + paragraphs[:1], strict=True):
        for qa in line["qas"][:1]:
            answer = qa["answers"][0]["text"] if isinstance(qa["answers"][0], dict) else qa["answers"][0]
            pair = [(answer, line["context"]), ("", other["context"])]
            yield from _against("bare", qa["question"], line["id"], pair, chance)


def _against(
    corpus: str, question: str, group: str, answers: list[tuple[str, str]], chance: random.Random
) -> Iterator[tuple[str, str, RagRun, bool, bool | None]]:
    for answer, text in answers:
        if not answer or answer.lower() not in text.lower():
            continue
        yield corpus, group, _run(question, [text], answer), True, False
        others = [other for _, other in answers if other != text and answer.lower() not in other.lower()]
        if others:
            yield corpus, group, _run(question, [chance.choice(others)], answer), False, None


def swap_number(text: str, chance: random.Random) -> str | None:
    """Returns the text with one of its whole numbers changed to another of its size, None where there is none."""
    numbers = list(NUMBER.finditer(text))
    if not numbers:
        return None
    match = chance.choice(numbers)
    old = int(match.group())
    new = old
    while new == old:
        new = old + chance.choice([-1, 1]) * chance.randint(1, max(2, old // (50 if old > 1000 else 2)))
    return text[: match.start()] + str(abs(new)) + text[match.end() :]


def _run(question: str, texts: list[str], answer: str) -> RagRun:
    contexts = [{"id": str(number), "text": text} for number, text in enumerate(texts, 1)]
    return read_run({"question": question, "contexts": contexts, "answer": answer})
