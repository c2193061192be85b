"""Puts one fault into a run that has none. Each injection says which findings name it."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from faults.runs import GoodRun, Value

from rag_eval_hooks import RagRun, read_run
from rag_eval_hooks.capture import find_in_prompt
from rag_eval_hooks.record import ContextItem
from rag_eval_hooks.record.evaluation import FindingKind

__all__ = ["INJECTIONS", "Injection"]

MARK = re.compile(r" ?\[(\d+)\]")
REFUSALS = {
    "zh": "抱歉，根据提供的资料，我无法回答这个问题。",
    "en": "I'm sorry, but the provided documents do not contain this information.",
}
HAN = re.compile(r"[一-鿿]")
WRONG_NUMBER = 97
MIN_HEAD = 60
"""A shorter beginning of a chunk is not recognised in a prompt."""

Make = Callable[[GoodRun, Sequence[GoodRun], random.Random], RagRun | None]


@dataclass(frozen=True)
class Injection:
    """One kind of fault."""

    name: str
    expected: frozenset[FindingKind]
    """The findings any of which names the fault."""
    make: Make
    """Returns the run with the fault, or None where this run cannot have it."""


def nothing(run: GoodRun, _: Sequence[GoodRun], __: random.Random) -> RagRun | None:
    """No fault."""
    return read_run(run.row())


def drop_all_evidence(run: GoodRun, _: Sequence[GoodRun], __: random.Random) -> RagRun | None:
    """Retrieval finds none of the evidence; the answer stays as it was."""
    rest = [one for one in run.contexts if one["id"] not in run.evidence]
    return read_run(_renumbered(run, rest)) if rest else None


def drop_one_piece(run: GoodRun, _: Sequence[GoodRun], chance: random.Random) -> RagRun | None:
    """Retrieval finds all but one chunk of an evidence set of several."""
    if len(run.evidence_sets) != 1 or len(run.evidence_sets[0]) < 2:
        return None
    lost = chance.choice(run.evidence_sets[0])
    return read_run(_renumbered(run, [one for one in run.contexts if one["id"] != lost]))


def ask_for_another(run: GoodRun, _: Sequence[GoodRun], __: random.Random) -> RagRun | None:
    """All chunks are about another year, version or entity than the question: other chunks, with other sources."""
    asked = run.asked
    if asked is None or not all(asked.text in one["text"] for one in run.contexts if one["id"] in run.evidence):
        return None
    other = [
        {"id": f"{one['id']}-other", "text": one["text"].replace(asked.text, asked.other), "metadata": {"page": number}}
        for number, one in enumerate(run.contexts, 1)
    ]
    return read_run(run.row(contexts=other))


def cut_from_prompt(run: GoodRun, _: Sequence[GoodRun], chance: random.Random) -> RagRun | None:
    """The evidence was retrieved and did not reach the prompt; one chunk of it, where it takes several."""
    lost = run.evidence if len(run.evidence_sets) > 1 else {chance.choice(sorted(run.evidence))}
    kept = [one for one in run.contexts if one["id"] not in lost]
    if not kept:
        return None
    return _packed(run, [one["text"] for one in kept], _renumbered(run, kept)["answer"])


def truncate(run: GoodRun, _: Sequence[GoodRun], chance: random.Random) -> RagRun | None:
    """The chunk with a value of the answer reached the prompt without the sentence that states it."""
    value = chance.choice(run.values) if run.values else None
    if value is None:
        return None
    texts, has_cut = [], False
    for one in run.contexts:
        text = one["text"]
        at = text.find(value.text)
        if at >= 0:
            head = text[:at].rstrip()
            if len(head) < MIN_HEAD:
                return None
            text, has_cut = head, True
        texts.append(text)
    return _packed(run, texts, run.answer) if has_cut else None


def swap(kind: str) -> Make:
    """Returns the injection of another value of a kind into the answer."""

    def make(run: GoodRun, _: Sequence[GoodRun], chance: random.Random) -> RagRun | None:
        values = [value for value in run.values if value.kind == kind and not _is_counted_with(run, value)]
        if not values:
            return None
        value = chance.choice(values)
        return read_run(run.row(answer=run.answer.replace(value.text, value.other)))

    return make


def move_citation(run: GoodRun, _: Sequence[GoodRun], chance: random.Random) -> RagRun | None:
    """One mark points to a chunk that is no evidence."""
    places = [place for place, one in enumerate(run.contexts, 1) if one["id"] not in run.evidence]
    marks = list(MARK.finditer(run.answer))
    if not run.distinct or not places or not marks:
        return None
    mark = chance.choice(marks)
    return read_run(run.row(answer=_with_mark(run.answer, mark, f" [{chance.choice(places)}]")))


def break_citation(run: GoodRun, _: Sequence[GoodRun], chance: random.Random) -> RagRun | None:
    """One mark points to nothing."""
    marks = list(MARK.finditer(run.answer))
    if not marks:
        return None
    return read_run(run.row(answer=_with_mark(run.answer, chance.choice(marks), f" [{WRONG_NUMBER}]")))


def drop_citation(run: GoodRun, _: Sequence[GoodRun], chance: random.Random) -> RagRun | None:
    """One statement loses its only mark, in an answer that cites elsewhere.

    Not where a later mark names the same chunk: that one may stand for both statements.
    """
    marks = list(MARK.finditer(run.answer))
    alone = [
        mark
        for mark in marks
        if re.match(r" ?[.。!?]\s|[.。]?$", run.answer[mark.end() :])
        and len(MARK.findall(run.answer[_sentence_start(run.answer, mark.start()) : mark.end()])) == 1
        and not any(later[1] == mark[1] for later in marks if later.start() > mark.start())
    ]
    if len(marks) < 2 or not alone:
        return None
    return read_run(run.row(answer=_with_mark(run.answer, chance.choice(alone), "")))


def miscompute(run: GoodRun, _: Sequence[GoodRun], __: random.Random) -> RagRun | None:
    """The answer's computed number is wrong."""
    if run.computed is None:
        return None
    right, wrong = run.computed
    return read_run(run.row(answer=run.answer.replace(right, wrong)))


def answer_from_memory(run: GoodRun, all_runs: Sequence[GoodRun], chance: random.Random) -> RagRun | None:
    """The answer is right, and the chunks are about something else; only the right answer is known, no evidence."""
    others = [one for one in all_runs if one.corpus == run.corpus and one.question != run.question]
    contexts = [
        {**chunk, "id": f"other-{chunk['id']}"}
        for chunk in chance.choice(others).contexts
        if run.right not in str(chunk)
    ]
    gold = {"answer": run.right}
    return read_run(run.row(contexts=contexts, answer=MARK.sub("", run.answer), gold=gold)) if contexts else None


def refuse(run: GoodRun, _: Sequence[GoodRun], __: random.Random) -> RagRun | None:
    """The answer declines, although the evidence is there."""
    return read_run(run.row(answer=REFUSALS["zh" if HAN.search(run.question) else "en"]))


def follow_distractor(run: GoodRun, _: Sequence[GoodRun], chance: random.Random) -> RagRun | None:
    """Another chunk gives another value, and the answer follows and cites it.

    The value stands once in the answer and in one chunk, which all evidence sets need; no sum was made with it.
    """
    values = [
        value
        for value in run.values
        if value.kind in ("year", "number", "entity")
        and run.answer.count(value.text) == 1
        and sum(value.text in one["text"] for one in run.contexts) == 1
        and not _is_counted_with(run, value)
    ]
    if not values:
        return None
    value = chance.choice(values)
    source = next(one for one in run.contexts if value.text in one["text"])
    if source["id"] not in run.evidence or any(source["id"] not in one for one in run.evidence_sets):
        return None
    other = {**source, "id": "distractor", "text": source["text"].replace(value.text, value.other)}
    place = chance.randrange(len(run.contexts) + 1)
    contexts = [*run.contexts[:place], other, *run.contexts[place:]]
    was = f"[{run.contexts.index(source) + 1}]"
    numbers = {f"[{old}]": f"[{old + (old > place)}]" for old in range(1, len(run.contexts) + 1)}
    answer = _sentences_with(run.answer, value, was, f"[{place + 1}]", numbers)
    return read_run(run.row(contexts=contexts, answer=answer))


def _sentences_with(answer: str, value: Value, was: str, becomes: str, numbers: Mapping[str, str]) -> str:
    """Replaces the value, and the mark of the chunk it was taken from where it follows the value's last mention."""
    at = answer.find(value.text)
    after = answer.find(was, at)
    moved = "\0" if after >= 0 else ""
    marked = answer[:after] + moved + answer[after + len(was) :] if moved else answer
    renumbered = re.sub(r"\[\d+\]", lambda mark: numbers.get(mark.group(), mark.group()), marked)
    return renumbered.replace("\0", becomes).replace(value.text, value.other)


def _with_mark(answer: str, mark: re.Match[str], new: str) -> str:
    return answer[: mark.start()] + new + answer[mark.end() :]


def _is_counted_with(run: GoodRun, value: Value) -> bool:
    """Whether the value's sentence has a computed number: with the value, that would be wrong, too."""
    return run.computed is not None and run.computed[0] in _sentence_of(run.answer, value.text)


def _sentence_of(answer: str, text: str) -> str:
    at = answer.index(text)
    end = min((place for mark in (". ", "。") if (place := answer.find(mark, at)) >= 0), default=len(answer))
    return answer[_sentence_start(answer, at) : end]


def _sentence_start(answer: str, end: int) -> int:
    return max(answer.rfind(". ", 0, end), answer.rfind("。", 0, end), answer.rfind("\n", 0, end)) + 1


def _renumbered(run: GoodRun, kept: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The row with these contexts only: marks follow their chunks, and those of lost chunks are left out."""
    ids = [one["id"] for one in run.contexts]
    place = {ids.index(one["id"]) + 1: new for new, one in enumerate(kept, 1)}

    def number(mark: re.Match[str]) -> str:
        new = place.get(int(mark[1]))
        return mark.group().replace(mark[1], str(new)) if new is not None else ""

    return run.row(contexts=list(kept), answer=MARK.sub(number, run.answer))


def _packed(run: GoodRun, in_prompt: Sequence[str], answer: str) -> RagRun:
    """The run as capture records it where the prompt held these texts."""
    whole = read_run(run.row(answer=answer))
    prompt = "Answer from these sources.\n\n" + "\n\n".join(
        f"[{number}] {text}" for number, text in enumerate(in_prompt, 1)
    )
    hits = find_in_prompt([chunk.text for chunk in whole.chunks], prompt)
    context = tuple(ContextItem(chunk=hit.item, match=hit.match, coverage=hit.coverage) for hit in hits)
    return whole.model_copy(update={"context": context, "context_source": "prompt"})


VALUE: frozenset[FindingKind] = frozenset({"conflicting_claim", "unsupported_claim"})

INJECTIONS: tuple[Injection, ...] = (
    Injection("none", frozenset(), nothing),
    Injection("all evidence dropped", frozenset({"zero_recall"}), drop_all_evidence),
    Injection("a piece dropped", frozenset({"incomplete_evidence"}), drop_one_piece),
    Injection("asked for another", frozenset({"wrong_evidence"}), ask_for_another),
    Injection("cut out of prompt", frozenset({"lost_before_prompt"}), cut_from_prompt),
    Injection("truncated", frozenset({"truncated"}), truncate),
    Injection("other year", VALUE, swap("year")),
    Injection("other number", VALUE, swap("number")),
    Injection("other entity", VALUE, swap("entity")),
    Injection("other unit", VALUE, swap("unit")),
    Injection("wrong computation", frozenset({"computation_error"}), miscompute),
    Injection("from memory", frozenset({"lucky_guess"}), answer_from_memory),
    Injection("refusal", frozenset({"wrong_refusal"}), refuse),
    Injection("distractor followed", frozenset({"distracted"}), follow_distractor),
    Injection("citation moved", frozenset({"misplaced_citation"}), move_citation),
    Injection("citation broken", frozenset({"dangling_citation"}), break_citation),
    Injection("citation dropped", frozenset({"missing_citation"}), drop_citation),
)
