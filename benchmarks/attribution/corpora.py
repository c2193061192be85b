"""Reads the labelled corpora as runs with people's labels; they lie outside the repository (`REH_SHARED`)."""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag_eval_hooks import RagRun, read_run

DATA = Path(os.environ.get("REH_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data"


@dataclass(frozen=True)
class Used:
    """A run whose used chunks people named."""

    group: str
    """Rows with one group stay together in cross-validation: the question."""
    run: RagRun
    used: tuple[bool, ...]
    """For each context position, whether it was used."""


@dataclass(frozen=True)
class Judged:
    """A run whose answer people judged against its context."""

    group: str
    run: RagRun
    label: float
    """1 or 0 (attributable, supported), or a grade."""
    rival: float | None = None
    """A stored score of a model judge for the same row."""


def rows(name: str) -> list[dict[str, Any]]:
    """Returns the rows of one JSONL file, or ends the program where the corpora are missing."""
    path = DATA / name
    if not path.exists():
        sys.exit(f"{path} is missing; set REH_SHARED to the folder that holds data/")
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def quotesum() -> Iterator[Used]:
    """English: sources a writer used for a written answer (QuoteSum dev)."""
    for row in rows("quotesum/dev.jsonl"):
        texts = [f"{one['title']}\n{one['text']}" for one in row["contexts"]]
        used = tuple(one["n"] in row["used"] for one in row["contexts"])
        yield Used(row["question"], as_run(row["question"], texts, row["answer"]), used)


def dureader() -> Iterator[Used]:
    """Chinese: web pages an annotator selected for the written answers (DuReader 2.0 demo, search)."""
    for row in rows("dureader_demo/search.jsonl"):
        if row["answers"] and row["used"]:
            texts = ["\n".join([one["title"], *one["paragraphs"]]) for one in row["documents"]]
            used = tuple(one["n"] in row["used"] for one in row["documents"])
            yield Used(row["question"], as_run(row["question"], texts, " ".join(row["answers"])), used)


def begin() -> Iterator[Judged]:
    """English: model replies that are fully attributable to one sentence, or not (BEGIN; generic replies left out)."""
    for row in rows("begin/begin.jsonl"):
        if row["label"] != "Generic":
            run = as_run(row["message"], [row["knowledge"]], row["response"])
            yield Judged(row["knowledge"], run, float(row["label"] == "Fully attributable"))


def fever() -> Iterator[Judged]:
    """English: claims that their evidence supports or refutes (FEVER Symmetric dev).

    Claims that share evidence, directly or through others, are one group.
    """
    lines = rows("fever_symmetric/dev.jsonl")
    parent: dict[str, str] = {}

    def find(node: str) -> str:
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    for row in lines:
        parent[find("claim " + row["claim"])] = find("evidence " + row["evidence"])
    for row in lines:
        group = find("claim " + row["claim"])
        yield Judged(group, as_run("", [row["evidence"]], row["claim"]), float(row["label"] == "SUPPORTS"))


def mtrag() -> Iterator[Judged]:
    """English: faithfulness of answers, mean of three people's grades (MTRAG), beside a stored model judge."""
    for row in rows("mtrag/human_eval.jsonl"):
        if row["contexts"]:
            run = as_run(row["input"][-1]["text"], [one["text"] for one in row["contexts"]], row["response"])
            grades = row["human"]["faithfulness"]
            rival = row["algorithmic"].get("rl_f")
            yield Judged(
                row["task_id"].split("<::>")[0], run, sum(grades) / len(grades), None if rival is None else float(rival)
            )


def wice() -> Iterator[tuple[RagRun, list[frozenset[int]]]]:
    """English: claims of articles, sentences of a cited page, and the alternative sets that back a claim (WiCE dev).

    Never fitted.
    """
    for row in rows("wice/claim_dev.jsonl"):
        sets = [frozenset(one) for one in row["supporting_sentences"] if one]
        if sets:
            yield as_run("", row["evidence"], row["claim"]), sets


def rgb(language: str) -> Iterator[Judged]:
    """Bare answers against a passage that states them, and the same passage with a false value (RGB). Never fitted."""
    for row in rows(f"rgb/{language}_fact.jsonl"):
        answer = row["answer"]
        while isinstance(answer, list):
            answer = answer[0]
        for label, passages in ((1.0, row["positive"]), (0.0, row["positive_wrong"])):
            for passage in passages:
                yield Judged(row["query"], as_run(row["query"], [passage], str(answer)), label)


def as_run(question: str, texts: list[str], answer: str) -> RagRun:
    """Returns the run of one question, its texts in this order."""
    contexts = [{"id": str(number), "text": text} for number, text in enumerate(texts, 1)]
    return read_run({"question": question, "contexts": contexts, "answer": answer})
