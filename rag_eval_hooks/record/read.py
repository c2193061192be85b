"""Reads a run from plain data: our own stored form, or the short input form. Tolerant of what real logs hold."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from rag_eval_hooks.errors import InputError
from rag_eval_hooks.record.clean import clean_number, clean_text, json_value, text_id
from rag_eval_hooks.record.provided import MAX_PROVIDED, block_citations, listed_citations
from rag_eval_hooks.record.run import (
    RUN_SCHEMA_VERSION,
    STATUSES,
    Chunk,
    CitationStyle,
    ContextItem,
    Gold,
    ProvidedCitation,
    RagRun,
    Stage,
    StageItem,
    chunk_id,
    pool_chunks,
)

__all__ = ["first_problem", "message_citations", "message_text", "nearest_key", "read_run"]

TEXT_BLOCKS = frozenset({"text", "output_text", "input_text"})
TEXT_KEYS = ("text", "page_content", "content")
SHORT_FORM_KEYS = ("question", "contexts", "answer")
KNOWN_KEYS = frozenset(
    "schema_version id run_id question contexts answer citations gold judge k tags metadata status".split()
)
KNOWN_LABELS = frozenset({*Gold.model_fields, "relevant_ids"})
SYNONYMS = {
    **dict.fromkeys(("query", "input", "user_input"), "question"),
    **dict.fromkeys(("chunks", "documents", "docs", "passages", "retrieved_contexts"), "contexts"),
    **dict.fromkeys(("response", "output", "actual_output", "prediction"), "answer"),
    **dict.fromkeys(("relevant", "relevant_chunks", "relevant_docs", "ids"), "relevant_ids"),
    **dict.fromkeys(("ground_truth", "reference", "labels", "expected"), "gold"),
}
"""What other tools call our keys."""
MAX_CUTOFF = 1_000_000_000
"""The largest `k` of a run; the same bound as the measures', which take their cut-off from it."""
MOST_IGNORED = 5
LONGEST_IGNORED = 40


def read_run(data: Any) -> RagRun:
    """Returns the run that `data` describes.

    Args:
        data: A parsed JSON object: a stored `RagRun` (it has `schema_version` and `chunks`) or the short form
            (`id, question, contexts, answer, citations, gold, k, tags, metadata`). Ids may be numbers, null or
            repeated; texts, scores and the answer may be null; scores may be NaN; the answer may be a list of
            message blocks; unknown fields are ignored, and the run's flags name the first five of the short form
            (`ignored:<key>`, `ignored:gold.<key>`).

    Raises:
        InputError: If `data` is no such object; the message says which part is wrong and what is expected.
    """
    if not isinstance(data, Mapping):
        raise InputError(f"expected a JSON object, got {_kind(data)}")
    if "schema_version" in data and "chunks" in data and "contexts" not in data:
        return _stored_run(data)
    return _short_run(data)


def message_text(content: Any) -> str | None:
    """Returns the text of a message: the text itself, or a list's joined text blocks (reasoning and tools left out).

    >>> message_text([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hi"}, " there"])
    'Hi there'
    """
    if content is None:
        return None
    if isinstance(content, str):
        return str(clean_text(content))
    if isinstance(content, (int, float)) and not isinstance(content, bool):
        return str(content)
    if isinstance(content, Mapping):
        if content.get("type", "text") not in TEXT_BLOCKS and "content" not in content:
            return ""
        for key in ("text", "value", "content"):
            if content.get(key) is not None:
                return message_text(content[key])
        return ""
    if isinstance(content, (list, tuple)):
        return "".join(message_text(block) or "" for block in content)
    raise InputError(f"expected text or a list of message blocks, got {_kind(content)}")


def message_citations(content: Any) -> tuple[ProvidedCitation, ...]:
    """Returns the citations in a message's blocks; their places count in the text that `message_text` gives.

    >>> block = {"text": "Paris.", "annotations": [{"start_index": 0, "end_index": 5, "title": "a.txt"}]}
    >>> [(one.start, one.end, one.title) for one in message_citations(["In short: ", block])]
    [(10, 15, 'a.txt')]
    """
    if isinstance(content, Mapping):
        inner = content.get("content")
        content = inner if isinstance(inner, (list, tuple)) else [content]
    if not isinstance(content, (list, tuple)):
        return ()
    return block_citations(content, {place: len(message_text(block) or "") for place, block in enumerate(content)})


def nearest_key(name: str) -> str | None:
    """Returns the key of the short form that `name` is likely to mean, or None where there is none near.

    >>> nearest_key("context"), nearest_key("gold.relevant"), nearest_key("relevance"), nearest_key("latency")
    ('contexts', 'gold.relevant_ids', 'gold.relevance', None)
    """
    owner, _, label = name.rpartition(".")
    inside = owner in ("gold", "judge")
    key = (label if inside else name).lower()
    key = SYNONYMS.get(key, key)
    known = sorted(KNOWN_LABELS if inside else KNOWN_KEYS)
    if not inside and key in KNOWN_LABELS - KNOWN_KEYS:
        return f"gold.{key}"
    close = next(iter(get_close_matches(key, known, 1, 0.75)), None)
    return f"{owner}.{close}" if close and inside else close


def _stored_run(data: Mapping[str, Any]) -> RagRun:
    version = data["schema_version"]
    if version != RUN_SCHEMA_VERSION:
        raise InputError(
            f"this run was written with schema_version {version!r}, this package reads {RUN_SCHEMA_VERSION}; "
            "upgrade rag-eval-hooks"
        )
    try:
        run = RagRun.model_validate(data, extra="ignore")
    except ValidationError as error:
        raise InputError(first_problem(error)) from error
    _cutoff(run.k)
    return run


def _short_run(data: Mapping[str, Any]) -> RagRun:
    if not any(key in data for key in SHORT_FORM_KEYS):
        raise InputError("the object has none of question, contexts, answer: it is not a run")
    question = message_text(data.get("question"))
    answer = message_text(data.get("answer"))
    chunks, scores = _contexts(data.get("contexts"))
    pool, places = pool_chunks(chunks)
    items = tuple(StageItem(chunk=place, score=score) for place, score in zip(places, scores, strict=True))
    status = data.get("status", "ok")
    try:
        return RagRun(
            run_id=text_id(data.get("id", data.get("run_id"))) or _content_id(question, answer, pool),
            status=status if status in STATUSES else "ok",
            question=question,
            answer=answer,
            chunks=pool,
            stages=(Stage(kind="retrieve", query=question, items=items),) if items else (),
            context=tuple(ContextItem(chunk=place) for place in places),
            context_source="given",
            citations=_citations(data.get("citations"), data.get("answer")),
            gold=_gold(data.get("gold"), "gold"),
            judge=_gold(data.get("judge"), "judge"),
            k=_cutoff(data.get("k")),
            tags=tuple(str(tag) for tag in _list(data.get("tags"), "tags")),
            metadata=json_value(data.get("metadata")) if isinstance(data.get("metadata"), Mapping) else {},
            flags=_ignored(data),
        )
    except ValidationError as error:
        raise InputError(first_problem(error)) from error


def _ignored(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The flags that name what was not read, a misspelt key above all."""
    unknown = [str(key) for key in data if key not in KNOWN_KEYS]
    for name in ("gold", "judge"):
        labels = data.get(name)
        if isinstance(labels, Mapping):
            unknown += [f"{name}.{key}" for key in labels if key not in KNOWN_LABELS]
    return tuple(dict.fromkeys(f"ignored:{_short_name(key)}" for key in unknown[:MOST_IGNORED]))


def _short_name(key: str) -> str:
    shown = "".join(char if char.isprintable() else "?" for char in key[: LONGEST_IGNORED + 1])
    return shown if len(key) <= LONGEST_IGNORED else shown[: LONGEST_IGNORED - 1] + "…"


def _contexts(value: Any) -> tuple[list[Chunk], list[float | None]]:
    chunks: list[Chunk] = []
    scores: list[float | None] = []
    for number, item in enumerate(_list(value, "contexts"), 1):
        if item is None or isinstance(item, str):
            item = {"text": item}
        if not isinstance(item, Mapping):
            raise InputError(f"contexts[{number - 1}]: expected an object or a text, got {_kind(item)}")
        raw = next((item[key] for key in TEXT_KEYS if item.get(key) is not None), None)
        text = message_text(raw) or ""
        metadata = item.get("metadata")
        chunks.append(
            Chunk(
                id=text_id(item.get("id")) or chunk_id(text),
                text=text,
                metadata=json_value(metadata) if isinstance(metadata, Mapping) else {},
            )
        )
        scores.append(clean_number(item.get("score")))
    return chunks, scores


def _gold(value: Any, name: str) -> Gold | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InputError(f"{name}: expected an object, got {_kind(value)}")
    relevance: dict[str, float] | None = None
    if value.get("relevance") is not None:
        if not isinstance(value["relevance"], Mapping):
            raise InputError(f"{name}.relevance: expected an object of id: grade, got {_kind(value['relevance'])}")
        relevance = {}
        for key, grade in value["relevance"].items():
            number = clean_number(int(grade) if isinstance(grade, bool) else grade)
            if number is None:
                raise InputError(f"{name}.relevance[{key!r}]: expected a finite number, got {grade!r}")
            relevance[_required_id(key, f"{name}.relevance")] = number
    if value.get("relevant_ids") is not None:
        relevance = dict(relevance or {})
        for item in _list(value["relevant_ids"], f"{name}.relevant_ids"):
            relevance.setdefault(_required_id(item, f"{name}.relevant_ids"), 1.0)
    sets = value.get("evidence_sets")
    used = value.get("used")
    return Gold(
        relevance=relevance,
        evidence_sets=None
        if sets is None
        else tuple(
            tuple(_required_id(item, f"{name}.evidence_sets") for item in _list(one, f"{name}.evidence_sets[]"))
            for one in _list(sets, f"{name}.evidence_sets")
        ),
        used=None
        if used is None
        else tuple(_required_id(item, f"{name}.used") for item in _list(used, f"{name}.used")),
        supported=None if value.get("supported") is None else _verdicts(value["supported"], f"{name}.supported"),
        spans=None if value.get("spans") is None else tuple(_list(value["spans"], f"{name}.spans")),
        utility=None if value.get("utility") is None else _utility(value["utility"], name),
        sufficient=value.get("sufficient") if isinstance(value.get("sufficient"), bool) else None,
        answer=message_text(value.get("answer")),
        aliases=tuple(message_text(alias) or "" for alias in _list(value.get("aliases"), f"{name}.aliases")),
    )


def _verdicts(value: Any, name: str) -> tuple[bool | None, ...]:
    found = _list(value, name)
    for one in found:
        if one is not None and not isinstance(one, bool):
            raise InputError(f"{name}: expected true, false or null for each claim, got {one!r:.40}")
    return tuple(found)


def _utility(value: Any, name: str) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise InputError(f"{name}.utility: expected an object of id: number in [0, 1], got {_kind(value)}")
    utility = {}
    for key, given in value.items():
        number = clean_number(given)
        if number is None or not 0 <= number <= 1:
            raise InputError(f"{name}.utility[{key!r}]: expected a number in [0, 1], got {given!r}")
        utility[_required_id(key, f"{name}.utility")] = number
    return utility


def _citations(value: Any, answer: Any) -> CitationStyle:
    provided = message_citations(answer)
    if value is None:
        return CitationStyle(provided=provided)
    base = value.get("base", 1) if isinstance(value, Mapping) else None
    if not isinstance(base, int) or isinstance(base, bool):
        raise InputError('citations: expected an object such as {"base": 1}')
    return CitationStyle(
        base=base,
        rule="given" if "base" in value else "assumed",
        provided=(*listed_citations(_list(value.get("provided"), "citations.provided")), *provided)[:MAX_PROVIDED],
    )


def _cutoff(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_CUTOFF:
        raise InputError(f"k: expected a whole number from 1 to {MAX_CUTOFF}, got {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    try:
        return repr(value)[:60]
    except ValueError:  # Python does not write out a number of more than 4,300 digits
        return "a number with too many digits"


def _required_id(value: Any, where: str) -> str:
    identifier = text_id(value)
    if identifier is None:
        raise InputError(f"{where}: expected an id, got {value!r}")
    return identifier


def _list(value: Any, name: str) -> Iterable[Any]:
    if value is None:
        return ()
    if isinstance(value, (list, tuple)):
        return value
    raise InputError(f"{name}: expected a list, got {_kind(value)}")


def _content_id(question: str | None, answer: str | None, pool: tuple[Chunk, ...]) -> str:
    """A run without an id is known by its content, so that reading it twice gives the same record."""
    parts = json.dumps([question, answer, [(chunk.id, chunk.text) for chunk in pool]], ensure_ascii=True)
    return "run-" + hashlib.sha256(parts.encode("ascii")).hexdigest()[:16]


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a boolean", type(None): "null"}
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "a number"
    return names.get(type(value), type(value).__name__)


def first_problem(error: ValidationError, whole: str = "run") -> str:
    """Returns the first thing a model refused, and where; `whole` is the place where it is the object itself."""
    problem = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in problem["loc"]) or whole
    return f"{where}: {problem['msg']}"
