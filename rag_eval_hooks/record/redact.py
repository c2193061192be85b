"""Takes what must not be stored out of a record: every text in it goes through the user's own function."""

from collections.abc import Callable
from typing import Any

from rag_eval_hooks.errors import InputError
from rag_eval_hooks.record.run import Chunk, ProvidedCitation, RagRun

__all__ = ["WITHHELD", "Redact", "redacted", "withheld"]

Redact = Callable[[str], str]
"""Returns a text without what must not be stored; called for each text of a record, short and long, by itself."""

WITHHELD = "withheld"
"""Flag of a record whose texts were left out because the redaction failed."""


def redacted(run: RagRun, redact: Redact) -> RagRun:
    """Returns the record with every text in it redacted: question, answer, chunks, ids, names, metadata, tags, queries.

    Run ids, types of errors, and kinds and MIME types of media stay, as the framework and the provider give them.
    Equal texts become equal texts, so that ids of chunks still agree. The provider's citations move along with the
    answer; the place of one that a redaction cuts through is dropped.

    >>> from rag_eval_hooks.record import read_run
    >>> run = read_run({"question": "Who is ada@example.org?", "contexts": ["ada@example.org is Ada."]})
    >>> clean = redacted(run, lambda text: text.replace("ada@example.org", "[mail]"))
    >>> clean.question, clean.chunks[0].text
    ('Who is [mail]?', '[mail] is Ada.')

    Raises:
        InputError: If the function returns anything but a text. What it raises passes through.
    """
    known: dict[str, str] = {}

    def text(value: str) -> str:
        if value not in known:
            result = redact(value)
            if not isinstance(result, str):
                raise InputError(f"redact: expected a text, got {type(result).__name__}")
            known[value] = result
        return known[value]

    def maybe(value: str | None) -> str | None:
        return None if value is None else text(value)

    return run.model_copy(
        update={
            "question": maybe(run.question),
            "answer": maybe(run.answer),
            "llm_text": maybe(run.llm_text),
            "chunks": tuple(_chunk(chunk, text, maybe) for chunk in run.chunks),
            "stages": tuple(
                stage.model_copy(update={"name": maybe(stage.name), "query": maybe(stage.query)})
                for stage in run.stages
            ),
            "citations": run.citations.model_copy(
                update={"provided": tuple(_moved(one, run.answer or "", text, maybe) for one in run.citations.provided)}
            ),
            "attempts": tuple(tried.model_copy(update={"name": maybe(tried.name)}) for tried in run.attempts),
            "tags": tuple(text(tag) for tag in run.tags),
            "metadata": _plain(run.metadata, text),
        }
    )


def withheld(run: RagRun) -> RagRun:
    """Returns the record without any text: how it ended, what was found where, times and tokens are left.

    Chunks are called `withheld-1` and so on, so that the ledger can still be read.
    """
    return run.model_copy(
        update={
            "question": None,
            "answer": None,
            "llm_text": None,
            "llm_complete": False,
            "chunks": tuple(Chunk(id=f"{WITHHELD}-{number}") for number, _ in enumerate(run.chunks, 1)),
            "stages": tuple(stage.model_copy(update={"name": None, "query": None}) for stage in run.stages),
            "citations": run.citations.model_copy(update={"provided": ()}),
            "attempts": tuple(tried.model_copy(update={"name": None}) for tried in run.attempts),
            "tags": (),
            "metadata": {},
            "flags": (*run.flags, WITHHELD),
        }
    )


def _chunk(chunk: Chunk, text: Redact, maybe: Callable[[str | None], str | None]) -> Chunk:
    return chunk.model_copy(
        update={
            "id": text(chunk.id),
            "text": text(chunk.text),
            "metadata": _plain(chunk.metadata, text),
            "source": maybe(chunk.source),
            "page": maybe(chunk.page),
            "derived_from": maybe(chunk.derived_from),
        }
    )


def _plain(value: Any, text: Redact) -> Any:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {text(key): _plain(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, text) for item in value]
    return value


def _moved(
    one: ProvidedCitation, answer: str, text: Redact, maybe: Callable[[str | None], str | None]
) -> ProvidedCitation:
    start, end = one.start, one.end
    if start is not None and end is not None:
        parts = [text(part) for part in (answer[:start], answer[start:end], answer[end:])]
        whole = "".join(parts) == text(answer)
        start, end = (len(parts[0]), len(parts[0]) + len(parts[1])) if whole else (None, None)
    return one.model_copy(
        update={
            "start": start,
            "end": end,
            "id": maybe(one.id),
            "title": maybe(one.title),
            "url": maybe(one.url),
            "cited_text": maybe(one.cited_text),
        }
    )
