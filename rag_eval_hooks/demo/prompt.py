"""The demo's prompt: how both pipelines write it, and how the model reads it back."""

import re
from dataclasses import dataclass

__all__ = ["INSTRUCTIONS", "Passage", "item_text", "read_prompt", "user_text"]

INSTRUCTIONS = (
    "You answer questions about the Python language from the numbered context alone. "
    "After each sentence, cite the item that supports it, as [1]. "
    "If the context does not hold the answer, reply: I don't know: the given context does not answer this."
)
"""The system message."""

_SOURCE_HEAD = re.compile(r"^\[(\d+)\] (\S+)[ \t]*$", re.MULTILINE)
_PLAIN_HEAD = re.compile(r"^\[(\d+)\][ \t]+", re.MULTILINE)
_QUESTION = re.compile(r"^Question:[ \t]*(.+?)\s*\Z", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Passage:
    """One numbered item of the context."""

    number: int
    text: str


def item_text(number: int, source: str, text: str) -> str:
    """Returns an item of the context as the prompt shows it; a blank line stands between two items.

    Names of fields in braces, here and in `user_text`, make it a template of either framework.

    >>> print(item_text(1, "pydoc:with", "The with statement ..."))
    [1] pydoc:with
    The with statement ...
    """
    return f"[{number}] {source}\n{text}"


def user_text(context: str, question: str) -> str:
    """Returns the user's message."""
    return f"{context}\n\nQuestion: {question}"


def read_prompt(prompt: str) -> tuple[tuple[Passage, ...], str]:
    """Returns the numbered passages and the question of a prompt.

    Args:
        prompt: Passages numbered from 1 that start with `[n] source` on a line of its own, or with `[n] ` and the text;
            below them a line that starts with `Question:`.
    """
    asked = _QUESTION.search(prompt, max(prompt.rfind("\nQuestion:"), 0))
    question = asked[1] if asked else ""
    context = prompt[: asked.start()] if asked else prompt
    heads = _in_order(_SOURCE_HEAD, context) or _in_order(_PLAIN_HEAD, context)
    bounds = [head.start() for head in heads] + [len(context)]
    passages = tuple(
        Passage(int(head[1]), context[head.end() : end].strip()) for head, end in zip(heads, bounds[1:], strict=True)
    )
    return passages, question


def _in_order(head: re.Pattern[str], context: str) -> list[re.Match[str]]:
    """The heads numbered 1, 2, 3 ...: a chunk's own footnotes also look like `[2] text`."""
    found: list[re.Match[str]] = []
    for match in head.finditer(context):
        if int(match[1]) == len(found) + 1:
            found.append(match)
    return found
