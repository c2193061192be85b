"""Which model call gave the answer, and which calls it rests on."""

from collections.abc import Hashable, Mapping, Sequence

from rag_eval_hooks.capture.forms import levelled
from rag_eval_hooks.capture.ledger import Ledger
from rag_eval_hooks.capture.lineage import Lineage
from rag_eval_hooks.capture.texts import call_text, prompt_text
from rag_eval_hooks.capture.trace import Items, Kind, Reply, Step, Trace

__all__ = ["answering_call", "candidates", "contributing_calls", "texts_by_turn"]

SEARCH: tuple[Kind, ...] = ("retriever", "postprocessor")
"""Kinds of steps whose model calls work on what is found, not on the answer."""
MIN_PASSED_ON = 12
"""Characters of one word from which its turning up in a later prompt is no accident; of several words any will do."""


def candidates(trace: Trace, ledger: Ledger, lineage: Lineage) -> list[Step]:
    """Returns the calls that may have written the answer, in order of start.

    Calls inside a retriever or a postprocessor rewrite, rank or extract; calls inside a tool answer to the agent; calls
    before the first search, or whose text became a query afterwards, condense the question.
    """
    outside = [step for step in trace.steps if step.kind == "model" and not lineage.below(step, *SEARCH)]
    top = [step for step in outside if not lineage.below(step, "tool")] or outside
    searches = [step.started for step in trace.steps if step.kind == "retriever"]
    after = ledger.retrieval_ended if ledger.retrieval_ended is not None else max(searches, default=None)
    late = [step for step in top if after is None or step.started >= after]
    if not late and trace.root.error is None:
        late = top  # a graph that goes on with documents from its state shows them only at its end
    return [step for step in late if step.started > ledger.queries.get(call_text(step).strip(), float("-inf"))]


def texts_by_turn(trace: Trace, found: Sequence[Step]) -> list[frozenset[str]]:
    """Returns what the calls said, the likeliest answers first.

    Those that no later call read come first, together: a chain that asks two models side by side returns both texts,
    one that drafts and then writes returns the last. Single words are verdicts where there is anything else.

    Args:
        trace: The question's runs.
        found: The `candidates`.
    """
    prompts = [(step, _read_by(step)) for step in found]
    wordy = [(step, said) for step in found if (said := _passed_on(step))]
    unread = [
        step
        for step, said in wordy
        if not any(_ended_before(step, reader) and _place(said, prompt) >= 0 for reader, prompt in prompts)
    ]
    rest = [step for step, _ in reversed(wordy)] + list(reversed(found))
    calls = [step for step in reversed(trace.steps) if step.kind == "model"]
    turns = [{call_text(step).strip() for step in unread}, *({call_text(step).strip()} for step in (*rest, *calls))]
    return [frozenset(texts) for texts in turns if texts - {""}]


def answering_call(found: Sequence[Step], answer: str | None, *, has_failed: bool = False) -> Step | None:
    """Returns the call that wrote the answer: the newest with its text, else the newest that asked for no tool.

    Args:
        found: The `candidates`.
        answer: What the root returned.
        has_failed: Whether the question ended with an error. If the newest call has, too, it would have been the
            answer, and what an earlier one said is none.
    """
    broke_off = has_failed and bool(found) and found[-1].error is not None
    newest = [step for step in reversed(found) if step.error is None]
    if broke_off or not newest:
        newest = list(reversed(found))
    if answer is not None and answer.strip():
        wanted = answer.strip()
        texts = [(step, call_text(step).strip()) for step in newest]
        for step, text in texts:
            if text == wanted:
                return step
        for step, text in texts:
            if text and (text in wanted or wanted in text):
                return step
    for step in newest if not broke_off else ():
        if isinstance(step.output, Reply) and not step.output.calls_tools:
            return step
    return newest[0] if newest else None


def contributing_calls(
    call: Step, trace: Trace, lineage: Lineage, found: Sequence[Step], answer: str | None
) -> list[Step]:
    """Returns the calls whose texts went into the answer, the answering one among them.

    A text went into the answer if it stands in the prompt of a call that did (refining, map and reduce, an agent that
    reports to another), or, beside the answering call's, in the answer itself (answers by document, joined). A call
    that only judged a document ("relevant") did not: the generator never saw what it read.

    Of a step that was handed what was found, as a response synthesizer is, all calls count: they work on one answer,
    also where their texts are cut, parsed, or put together in another form.

    A call comes after those whose texts it read; these come in the order in which it read them, since calls that run
    side by side start in any order.

    Args:
        call: The answering call.
        trace: The question's runs.
        lineage: Who runs below whom.
        found: The `candidates`.
        answer: What the user got.
    """
    joined = levelled(answer or "")
    earlier = [
        (step, said)
        for step in trace.steps
        if step.kind == "model" and not lineage.below(step, *SEARCH) and (said := _passed_on(step))
    ]
    in_answer = [(_place(said, joined), step) for step in found if step is not call and (said := _passed_on(step))]
    parts = [(place, step) for place, step in in_answer if place >= 0]
    own = _place(levelled(call_text(call)), joined)
    waiting = _last_first([*parts, (own if own >= 0 else len(joined), call)])
    order: list[Step] = []
    seen: set[Hashable] = set()
    while waiting:
        reader, is_ready = waiting.pop()
        if is_ready:
            order.append(reader)
        elif reader.run_id not in seen:
            seen.add(reader.run_id)
            waiting.append((reader, True))
            prompt = _read_by(reader)
            before = [
                (_place(said, prompt), step)
                for step, said in earlier
                if step.run_id not in seen and _ended_before(step, reader)
            ]
            waiting += _last_first([(place, step) for place, step in before if place >= 0])
    beside = [step for step in _beside(call, trace, lineage, found) if step.run_id not in seen]
    return sorted([*order, *beside], key=lambda step: step.started) if beside else order


def _beside(call: Step, trace: Trace, lineage: Lineage, found: Sequence[Step]) -> list[Step]:
    """Returns the calls of the step around a call that was handed items, as response synthesizers are."""
    around = (above for above in lineage.ancestors(call) if above.kind == "chain" and not trace.is_root(above))
    handed = next((above for above in around if _was_handed_items(above)), None)
    return [step for step in found if step.error is None and handed in lineage.ancestors(step)] if handed else []


def _was_handed_items(step: Step) -> bool:
    return isinstance(step.input, Mapping) and any(isinstance(value, Items) for value in step.input.values())


def _last_first(parts: Sequence[tuple[int, Step]]) -> list[tuple[Step, bool]]:
    """Returns calls by where their texts stand, the last first: a stack on which the first is on top."""
    return [(step, False) for _, step in sorted(parts, key=lambda part: part[0])][::-1]


def _ended_before(step: Step, reader: Step) -> bool:
    return step.ended is not None and step.ended <= reader.started


def _read_by(step: Step) -> str:
    """Returns what a call was given; a chat model that refines gets the answer so far as its own turn."""
    return levelled(prompt_text(step, own_turns=True))


def _passed_on(step: Step) -> str:
    """Returns the text of a call if it is long enough to be recognised elsewhere, else nothing."""
    if step.error is not None:
        return ""
    text = levelled(call_text(step))
    return text if " " in text or len(text) >= MIN_PASSED_ON else ""


def _place(text: str, other: str) -> int:
    """Returns where a text stands in another as words of its own; -1 if it does not."""
    place = other.find(text) if text else -1
    while place >= 0:
        end = place + len(text)
        before, after = other[place - 1 : place], other[end : end + 1]
        if not (before.isalnum() and text[0].isalnum()) and not (after.isalnum() and text[-1].isalnum()):
            return place
        place = other.find(text, place + 1)
    return -1
