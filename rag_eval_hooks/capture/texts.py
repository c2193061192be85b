"""Finds the question, the answer, and the texts of model calls in snapshots."""

import json
from collections.abc import Mapping, Sequence, Set
from typing import Any

from rag_eval_hooks.capture.foreign import plain
from rag_eval_hooks.capture.trace import Items, Message, Opaque, Reply, Step
from rag_eval_hooks.errors import InputError
from rag_eval_hooks.record import message_text
from rag_eval_hooks.record.clean import clean_text

__all__ = ["answer_in", "call_text", "content_text", "delivered_text", "prompt_text", "question_in"]

QUESTION_KEYS = (
    "question query query_str input user_input user_msg message prompt text content messages chat_history".split()
)
ANSWER_KEYS = ("answer", "output", "result", "response", "output_text", "final_answer", "generation", "text", "content")
USER_ROLES = frozenset({"user", "human"})
ASSISTANT_ROLES = frozenset({"assistant", "ai"})


def content_text(content: Any) -> str:
    """Returns the text of message content, whatever its shape; reasoning and tool blocks have none."""
    if isinstance(content, Opaque):
        return ""
    try:
        return message_text(content) or ""
    except InputError:
        return ""


def question_in(value: Any) -> str | None:
    """Returns what the user asked, from the input of the run that opened the record.

    A text is the question itself; a mapping is looked through by the usual keys, then by its only text; of a list of
    messages the last one of the user counts. None where there is no such thing, or it is blank.
    """
    if isinstance(value, str):
        return value if value.strip() and not isinstance(value, Opaque) else None
    if isinstance(value, Message):
        return _filled(content_text(value.content)) if value.role not in ASSISTANT_ROLES else None
    if isinstance(value, Mapping):
        role = value.get("role", value.get("type"))
        if "content" in value and isinstance(role, str):
            return _filled(content_text(value["content"])) if role in USER_ROLES else None
        for key in QUESTION_KEYS:
            found = question_in(value.get(key))
            if found is not None:
                return found
        texts = [item for item in value.values() if isinstance(item, str) and item.strip()]
        return texts[0] if len(texts) == 1 else None
    if isinstance(value, (list, tuple)) and not isinstance(value, Items):
        for message in reversed(value):
            found = _user_text(message)
            if found is not None:
                return found
    return None


def _user_text(message: Any) -> str | None:
    if isinstance(message, Message):
        return _filled(content_text(message.content)) if message.role in USER_ROLES else None
    if isinstance(message, (list, tuple)) and len(message) == 2 and isinstance(message[0], str):
        return _filled(content_text(message[1])) if message[0] in USER_ROLES else None
    if isinstance(message, Mapping):
        return question_in(message)
    return None


def answer_in(value: Any, calls: Sequence[Set[str]] = (), question: str | None = None) -> str | None:
    """Returns what the user got, from the output of the run that opened the record.

    Args:
        value: Snapshot of the output.
        calls: Texts of the model calls, stripped, the likeliest answers first: in a mapping without a usual key, the
            values that are among the first of these sets are the answer.
        question: The question, which graphs return along with the answer; it is no answer.

    Returns:
        The text; a structured answer as JSON without its documents; None if there is none.
    """
    if value is None or isinstance(value, (Items, Opaque)):
        return None
    if isinstance(value, str):
        return str(clean_text(value))
    if isinstance(value, Reply):
        return content_text(value.content)
    if isinstance(value, Message):
        return content_text(value.content) if value.role in ASSISTANT_ROLES else None
    if isinstance(value, Mapping):
        return _answer_in_mapping(value, calls, question)
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, (Message, Items)) for item in value):
            return _last_assistant(value)
        if _are_blocks(value):
            return content_text(value)
        return _as_json(value) if value else None
    return _as_json(value)


def _are_blocks(value: Sequence[Any]) -> bool:
    """Whether a list is a message's content, which some chains return as it is."""
    kinds = [item.get("type") if isinstance(item, Mapping) else None for item in value]
    return "text" in kinds and all(isinstance(kind, str) for kind in kinds)


def _answer_in_mapping(value: Mapping[str, Any], calls: Sequence[Set[str]], question: str | None) -> str | None:
    for key in ANSWER_KEYS:
        if value.get(key) is not None:
            found = answer_in(value[key], calls, question)
            if found is not None:
                return found
    if isinstance(value.get("messages"), (list, tuple)):
        found = _last_assistant(value["messages"])
        if found is not None:
            return found
    texts = {key: item for key, item in value.items() if isinstance(item, str) and not _is_internal(key)}
    for said in calls:
        found_in = {key: item for key, item in texts.items() if item.strip() in said}
        if found_in:
            return next(iter(found_in.values())) if len(set(found_in.values())) == 1 else _as_json(found_in)
    # Of what a graph returns beside a conversation without an answer, only an object can be one.
    talked = any(_is_conversation(item) for item in value.values())
    shown = {
        key: item
        for key, item in value.items()
        if not isinstance(item, Items)
        and not _is_internal(key)
        and (question is None or item != question)
        and (isinstance(item, Mapping) or not talked)
    }
    if len(shown) == 1:
        return answer_in(next(iter(shown.values())), calls, question)
    # Chains side by side that each return their documents along: of each, its answer.
    shown = {
        key: answer_in(item, calls, question) if isinstance(item, Mapping) and _has_items(item) else item
        for key, item in shown.items()
    }
    return _as_json(shown) if shown else None


def _has_items(value: Mapping[str, Any]) -> bool:
    return any(isinstance(item, Items) for item in value.values())


def _is_internal(key: Any) -> bool:
    return isinstance(key, str) and key.startswith("__")


def _is_conversation(value: Any) -> bool:
    """Whether a value is a list of messages."""
    return isinstance(value, (list, tuple)) and any(isinstance(item, Message) for item in value)


def _last_assistant(messages: Sequence[Any]) -> str | None:
    for message in reversed(messages):
        if not isinstance(message, Message):
            continue
        if message.role in USER_ROLES:
            return None  # what comes before it answers an earlier question
        if message.role in ASSISTANT_ROLES and not message.calls_tools:
            return content_text(message.content)
    return None


def _as_json(value: Any) -> str:
    return json.dumps(plain(_plain(value)), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Message):
        return content_text(value.content)
    if isinstance(value, Reply):
        return content_text(value.content)
    if isinstance(value, Items):
        return f"<{len(value)} documents>"
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def call_text(step: Step) -> str:
    """Returns what a model call has said so far: its reply, or the tokens that came before it broke off."""
    if isinstance(step.output, Reply):
        return content_text(step.output.content)
    return "".join(content_text(token) for token in step.tokens)


def delivered_text(step: Step, read: int | None) -> str:
    """Returns what of a model call reached a reader who left: its first `read` tokens; all it said if None."""
    return call_text(step) if read is None else "".join(content_text(token) for token in step.tokens[:read])


def prompt_text(step: Step, *, own_turns: bool = False) -> str:
    """Returns all a model call was given, except earlier turns of the assistant unless `own_turns` asks for them."""
    messages = step.input if isinstance(step.input, tuple) else ()
    return "\n\n".join(
        content_text(message.content)
        for message in messages
        if isinstance(message, Message) and (own_turns or message.role not in ASSISTANT_ROLES)
    )


def _filled(text: str) -> str | None:
    return text if text.strip() else None
