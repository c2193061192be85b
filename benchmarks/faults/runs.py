"""Runs without a fault, from labelled corpora and hand-written ones, ready to have one injected.

The corpora lie outside the repository (`REH_SHARED`). The two files beside this one are hand-written and invented;
`held_out_runs.jsonl` was not looked at while the rules and the attribution were made, so that its figures are fair.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attribution.corpora import DATA, rows

__all__ = ["GoodRun", "Value", "good_runs", "has_corpora"]

HERE = Path(__file__).parent
MARKED = re.compile(r"\[ (\d+) ([^\]]*?) ?\]")
NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,-]|\.\d)")
YEAR = re.compile(r"(?<![\w.,-])(?:1[5-9]|20)\d\d(?![\w,-])")
NAME = re.compile(r"(?<![\w.-])[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})+")
HAS_DIGIT = re.compile(r"[\d０-９一二三四五六七八九十百千万]")
SEED = 20
RIVALS = 3
COPIED = 0.9
COPIED_RUN = 4


@dataclass(frozen=True)
class Value:
    """Something that the answer and its evidence state, and a false one in its place."""

    text: str
    kind: str
    """`year`, `number`, `entity` or `unit`."""
    other: str


@dataclass(frozen=True)
class GoodRun:
    """One question with its context, the evidence in it, and an answer that says what the evidence says."""

    corpus: str
    question: str
    contexts: tuple[dict[str, Any], ...]
    """`id`, `text` and `metadata` of each chunk, in prompt order."""
    answer: str
    evidence_sets: tuple[tuple[str, ...], ...]
    """Alternative sets of ids."""
    right: str
    """The right answer."""
    values: tuple[Value, ...] = ()
    asked: Value | None = None
    """What the question asks about, where the evidence states it in the same words."""
    computed: tuple[str, str] | None = None
    """A number that the answer computed rightly, and a wrong one."""
    distinct: bool = field(default=True)
    """Whether chunks outside the evidence are known to say nothing of it."""

    def row(self, **changed: Any) -> dict[str, Any]:
        """Returns the run in the short input form, with some fields changed."""
        return {
            "question": self.question,
            "contexts": list(self.contexts),
            "answer": self.answer,
            "gold": {"evidence_sets": self.evidence_sets, "answer": self.right},
            **changed,
        }

    @property
    def evidence(self) -> frozenset[str]:
        """Ids of all evidence."""
        return frozenset(identifier for one in self.evidence_sets for identifier in one)


def good_runs(most: int) -> Iterator[GoodRun]:
    """Yields at most `most` runs of each source, the same ones each time."""
    for source in (*WRITTEN, *(LABELLED if has_corpora() else ())):
        found = list(source())
        chance = random.Random(SEED)
        yield from (found if len(found) <= most else chance.sample(found, most))


def has_corpora() -> bool:
    """Whether the labelled corpora are at hand."""
    return DATA.exists()


def _hand_written() -> Iterator[GoodRun]:
    """Invented runs that were looked at while the rules were made."""
    return _written("good_runs.jsonl", "hand-written")


def _held_out() -> Iterator[GoodRun]:
    """Invented runs that nobody looked at then."""
    return _written("held_out_runs.jsonl", "held-out")


def _written(name: str, corpus: str) -> Iterator[GoodRun]:
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield GoodRun(
            corpus,
            row["question"],
            tuple(row["contexts"]),
            row["answer"],
            tuple(tuple(one) for one in row["gold"]["evidence_sets"]),
            row["gold"]["answer"],
            tuple(Value(**one) for one in row.get("values", ())),
            Value(kind="asked", **row["asked"]) if row.get("asked") else None,
            (row["computed"]["right"], row["computed"]["wrong"]) if row.get("computed") else None,
        )


def _quotesum() -> Iterator[GoodRun]:
    """Answers that people wrote from named sources; each quoted span gets a citation of its source."""
    lines = rows("quotesum/dev.jsonl")
    names = sorted({name for row in lines for name in NAME.findall(row["answer"])})
    chance = random.Random(SEED)
    for row in lines:
        answer = MARKED.sub(lambda found: f"{found[2]} [{found[1]}]", row["answer_marked"])
        contexts = _contexts([f"{one['title']}\n{one['text']}" for one in row["contexts"]])
        evidence = tuple(f"c{number}" for number in row["used"])
        texts = [contexts[number - 1]["text"] for number in row["used"]]
        yield GoodRun(
            "quotesum",
            row["question"],
            contexts,
            answer,
            (evidence,),
            row["answer"],
            tuple(_found_values(row["answer"], row["question"], texts, str(contexts), names, chance)),
        )


def _dureader() -> Iterator[GoodRun]:
    """Web search in Chinese: a person's answer that is copied, all but a tenth, from the pages that were selected.

    Other answers add what people know, and nobody said which part; whether these are faithful is not known.
    """
    for row in rows("dureader_demo/search.jsonl"):
        contexts = _contexts(["\n".join([one["title"], *one["paragraphs"]]) for one in row["documents"]])
        selected = {f"c{number + 1}": contexts[number]["text"] for number in row["used"]}
        for answer in row["answers"][:1]:
            alone = [identifier for identifier, text in selected.items() if _copied(answer, text) >= COPIED]
            if alone:
                sets = tuple((identifier,) for identifier in alone)
            elif selected and _copied(answer, "\n".join(selected.values())) >= COPIED:
                sets = (tuple(selected),)
            else:
                continue
            yield GoodRun("dureader_demo", row["question"], contexts, answer, sets, answer, distinct=False)


def _copied(answer: str, text: str) -> float:
    """Returns the share of the answer's runs of four letters that the text has."""
    mine, theirs = ("".join(char for char in one if char.isalnum()) for one in (answer, text))
    runs = [mine[at : at + COPIED_RUN] for at in range(max(1, len(mine) - COPIED_RUN + 1))]
    return sum(run in theirs for run in runs) / len(runs)


def _cmrc() -> Iterator[GoodRun]:
    """Extractive question answering in Chinese: a span, its paragraph, and paragraphs of other articles."""
    chance = random.Random(SEED)
    lines = rows("cmrc2018/dev.jsonl")
    spans = sorted({one["answers"][0] for row in lines for one in row["qas"]})
    for row in lines:
        one = chance.choice(row["qas"])
        rivals = [other["context"] for other in chance.sample(lines, RIVALS) if other is not row]
        place = chance.randrange(len(rivals) + 1)
        texts = [*rivals[:place], row["context"], *rivals[place:]]
        contexts = _contexts(texts)
        right = one["answers"][0]
        yield GoodRun(
            "cmrc2018",
            one["question"],
            contexts,
            f"{right} [{place + 1}]",
            ((f"c{place + 1}",),),
            right,
            tuple(_other_span(right, spans, str(contexts), chance)),
        )


def _rgb_fact() -> Iterator[GoodRun]:
    """Bare answers with two passages that state them, and passages on the topic that do not (RGB); never fitted."""
    for language in ("en", "zh"):
        for row in rows(f"rgb/{language}_fact.jsonl"):
            right = _first(row["answer"])
            good = [text for text in row["positive"] if right.lower() in text.lower()][:2]
            rest = [text for text in row["negative"] if not _has_part(text, right)][:RIVALS]
            if good:
                contexts = _contexts([*rest[:1], *good, *rest[1:]])
                first = 1 + len(rest[:1])
                false = _first(row["fakeanswer"])
                kind = "year" if YEAR.search(right) else "number" if HAS_DIGIT.search(right) else "entity"
                is_new = false.lower() not in str(contexts).lower()
                yield GoodRun(
                    "rgb",
                    row["query"],
                    contexts,
                    f"{right} [{first}]",
                    tuple((f"c{place}",) for place in range(first, first + len(good))),
                    right,
                    (Value(right, kind, false),) if is_new else (),
                )


def _rgb_int() -> Iterator[GoodRun]:
    """Answers of two parts, each from another passage (RGB, Chinese); never fitted."""
    for row in rows("rgb/zh_int.jsonl"):
        parts = [_first(part) for part in row["answer"]]
        texts = [
            next((text for text in texts if part in text), None)
            for part, texts in zip(parts, row["positive"], strict=False)
        ]
        found = [text for text in texts if text is not None]
        if len(parts) == 2 and len(found) == 2 and found[0] != found[1]:
            rest = [text for text in row["negative"] if not any(_has_part(text, part) for part in parts)][:RIVALS]
            contexts = _contexts([found[0], *rest[:1], found[1], *rest[1:]])
            second = 2 + len(rest[:1])
            answer = f"{parts[0]} [1]，{parts[1]} [{second}]"
            yield GoodRun("rgb", row["query"], contexts, answer, (("c1", f"c{second}"),), "，".join(parts))


def _contexts(texts: Sequence[str]) -> tuple[dict[str, Any], ...]:
    return tuple({"id": f"c{number}", "text": text} for number, text in enumerate(texts, 1))


def _first(value: Any) -> str:
    while isinstance(value, list):
        value = value[0]
    return str(value)


def _has_part(text: str, answer: str) -> bool:
    """Whether a text has a word or three letters in a row of an answer, so that it may say the same in other words."""
    runs = [word for word in re.findall(r"[a-z0-9]+", answer.lower()) if len(word) > 1]
    runs += [answer[at : at + 3] for at in range(len(answer) - 2) if not answer[at : at + 3].isascii()]
    return any(run in text.lower() for run in runs or [answer.lower()])


def _found_values(
    answer: str, question: str, evidence: Sequence[str], everything: str, names: Sequence[str], chance: random.Random
) -> Iterator[Value]:
    """Years, numbers and names that the answer took from the evidence and not from the question."""
    for kind, pattern in (("year", YEAR), ("number", NUMBER), ("entity", NAME)):
        for text in dict.fromkeys(pattern.findall(answer)):
            if text in question or not any(text in one for one in evidence) or (kind == "number" and YEAR.match(text)):
                continue
            if kind == "entity":
                others = [name for name in chance.sample(names, min(20, len(names))) if name not in everything]
            else:
                spread = 12 if kind == "year" else max(3, int(text) // 3)
                others = [str(abs(int(text) + step)) for step in chance.sample(range(-spread, spread + 1), 6) if step]
                others = [other for other in others if other not in everything]
            if others:
                yield Value(text, kind, others[0])
                break


def _other_span(right: str, spans: Sequence[str], everything: str, chance: random.Random) -> Iterator[Value]:
    """Another question's answer of the same kind."""
    has_digit = bool(HAS_DIGIT.search(right))
    for other in chance.sample(spans, 200):
        alike = bool(HAS_DIGIT.search(other)) == has_digit and 0.5 <= len(other) / len(right) <= 2
        if alike and other not in everything and right not in other:
            yield Value(right, "number" if has_digit else "entity", other)
            return


WRITTEN = (_hand_written, _held_out)
LABELLED = (_quotesum, _dureader, _cmrc, _rgb_fact, _rgb_int)
