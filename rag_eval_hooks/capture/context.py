"""What the generator got: which items, in which order, and with which numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from rag_eval_hooks.capture.generation import contributing_calls
from rag_eval_hooks.capture.ledger import Ledger
from rag_eval_hooks.capture.lineage import Lineage
from rag_eval_hooks.capture.numbering import Numbered, joined_numbering, numbering_in
from rag_eval_hooks.capture.packing import Hit, Packing
from rag_eval_hooks.capture.texts import prompt_text
from rag_eval_hooks.capture.trace import Step, Trace
from rag_eval_hooks.record import CitationStyle, ContextItem
from rag_eval_hooks.record.run import ContextSource

__all__ = ["Context", "context_of"]

MIN_IN_PARTS = 0.9
"""Share of an item that several prompts must hold together where none of them holds enough of it to be told."""
UNNUMBERED = CitationStyle()
"""Nothing is known of the numbers: they are assumed."""


@dataclass(frozen=True)
class Context:
    """What the generator got."""

    items: tuple[ContextItem, ...] = ()
    """In prompt order; of several prompts, in order of the call and then of the prompt."""
    source: ContextSource = "prompt"
    """How they are known."""
    numbering: CitationStyle = UNNUMBERED
    """How the answering call's prompt numbers them; or several prompts, if their numbers are the same."""
    joined: bool = False
    """Whether no single call got all of it."""


def context_of(
    ledger: Ledger,
    call: Step | None,
    found: Sequence[Step],
    trace: Trace,
    lineage: Lineage,
    answer: str | None,
) -> Context:
    """Returns the items in the answering call's prompt, or in those of all calls whose texts went into the answer.

    What counts as retrieved is looked for first; lists inside other lists only where nothing of that is in a prompt.

    Args:
        ledger: What was retrieved.
        call: The answering call; without one, or without its prompt, the last stage is taken for the context.
        found: The candidates among the calls, in order of start.
        trace: The question's runs.
        lineage: Who runs below whom.
        answer: What the user got.
    """
    wanted = [item.chunk for stage in ledger.stages if stage.final for item in stage.items]
    if call is None or call.input is None:  # a call told by hand may come without its prompt
        return Context(tuple(ContextItem(chunk=place) for place in wanted), "last_stage")
    wanted.extend(ledger.carried)
    if not ledger.chunks:
        return Context()
    calls = contributing_calls(call, trace, lineage, found, answer)
    inner = sorted(set(range(len(ledger.chunks))).difference(wanted))
    prompt = prompt_text(call)
    for places in (wanted, inner):
        packing = Packing([ledger.chunks[place].text for place in places])
        hits = packing.find(prompt)
        own = _items(hits, places)
        readers: Sequence[Step] = calls
        union = {item.chunk: item for item in own} if len(calls) == 1 else _union(packing, places, calls)
        if not union:
            readers = found
            union = _union(packing, places, found)
        if len(union) > len({item.chunk for item in own}):
            # Where the answering call saw no number, those in the answer are another call's, if they are any.
            numbered = [_numbered(step, packing, places, ledger) for step in readers] if own else []
            return Context(tuple(union.values()), numbering=joined_numbering([*union], numbered), joined=True)
        if own:
            texts = [ledger.chunks[places[hit.item]].text for hit in hits]
            return Context(own, numbering=numbering_in(prompt, hits, texts))
    return Context()


def _numbered(step: Step, packing: Packing, places: Sequence[int], ledger: Ledger) -> Numbered:
    """Returns what the numbers of a call's prompt are read from: the number of what was cut is above its beginning."""
    prompt = prompt_text(step)
    hits = [hit for hit in packing.find(prompt) if hit.match != "shingle"]
    chunks = [places[hit.item] for hit in hits]
    return prompt, hits, [ledger.chunks[chunk].text for chunk in chunks], chunks


def _union(packing: Packing, places: Sequence[int], calls: Sequence[Step]) -> dict[int, ContextItem]:
    """Returns the items in the prompts of several calls, in order of the call and then of the prompt; each once.

    Of an item that was split among several prompts, all parts count, also where none of them holds enough to be told.
    """
    union: dict[int, ContextItem] = {}
    place_of: dict[int, tuple[int, int]] = {}
    """By chunk: the first prompt that it is in, and its place among those in it."""
    prompts = [prompt_text(step) for step in calls]
    for number, prompt in enumerate(prompts):
        for place, item in enumerate(_items(packing.find(prompt), places)):
            place_of.setdefault(item.chunk, (number, place))
            if item.chunk not in union or union[item.chunk].coverage < item.coverage:
                union[item.chunk] = item
    first = {chunk: index for index, chunk in reversed([*enumerate(places)])}
    split = [chunk for chunk in first if chunk not in union or union[chunk].coverage < 1]
    if len(prompts) > 1 and split:
        shares = packing.shares([first[chunk] for chunk in split], prompts)
        for chunk, (share, number) in zip(split, shares, strict=True):
            if share > (union[chunk].coverage if chunk in union else MIN_IN_PARTS):
                union[chunk] = ContextItem(chunk=chunk, match="shingle", coverage=min(share, 1.0))
                place_of.setdefault(chunk, (number, len(places)))  # it begins where the others end
    return {chunk: union[chunk] for chunk in sorted(union, key=lambda chunk: place_of[chunk])}


def _items(hits: Sequence[Hit], places: Sequence[int]) -> tuple[ContextItem, ...]:
    return tuple(
        ContextItem(chunk=places[hit.item], match=hit.match, coverage=min(max(hit.coverage, 0.0), 1.0)) for hit in hits
    )
