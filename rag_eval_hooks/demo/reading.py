"""Reads text the way the demo's search and model do: words and sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag_eval_hooks.demo.prompt import Passage

__all__ = ["Sentence", "sentences", "words"]

# Words that carry no topic. Python's keywords stay out of this list although some are common English words ("with",
# "for", "if"): in this corpus they are what the question is about.
_FILLER = """
    a about an any are be been being but by can could did do does doing done get give given happen happens has
    have having how i it its kind like made make makes may me might must my of on one should so some tell than
    that the their them then there these they thing this those to use used using very was way we were what when
    where which who whose why will would you your
"""
_STOP_WORDS = frozenset(_FILLER.split())
_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*|__\w+__")
_DUNDER = re.compile(r"__(\w+?)__")
_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "es", "ed", "er", "s", "e", "y")

_RULE = re.compile(r"^([*=\-~^\"])\1{2,}$")
_BULLET = re.compile(r"^(?:\* |\d+\. |-\[ .* \]-$|\[\d+\] )")
_LABEL = re.compile(r"^(?:CPython implementation detail|Programmer’s note|Note): ")
_HYPHEN = re.compile(r"(?<=\w-) (?!(?:and|or|to)\b)(?=\w)")  # where the text broke a line after a hyphen
_FOOTNOTE = re.compile(r"\s\[\d+\](?=[\s.,;]|$)")
_CODE = re.compile(r"::=|^>>>|^\.\.\. |^[+|]|^\(Pdb\)")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)[\"”’)]*\s+(?=[A-Z\"“(*‘])")
_MIN_WORDS = 5
_MAX_WORDS = 70


@dataclass(frozen=True)
class Sentence:
    """One statement of a passage that can stand in an answer."""

    text: str
    """The statement in one line, with the signature it belongs to in front (`str.lower(): Return a copy of ...`)."""
    number: int
    """The number of its passage."""
    lead: str
    """The passage's heading: what the statement is about without saying it."""


def words(text: str) -> list[str]:
    """Returns the text's words: lower case, without stop words, common endings cut off.

    >>> words('What does the "with" statement call? The __exit__() methods.')
    ['with', 'statement', 'call', '__exit__', 'exit', 'method']
    """
    found: list[str] = []
    for match in _WORD.findall(text.lower()):
        if match in _STOP_WORDS:
            continue
        special = _DUNDER.fullmatch(match)
        if special:
            found += [match, special[1]]
        else:
            found.append(_stem(match))
    return found


def sentences(passage: Passage) -> Iterator[Sentence]:
    """Yields what the passage states in full sentences; code, grammar, tables and headings are left out."""
    lead = signature = ""
    for paragraph in re.split(r"\n[ \t]*\n", passage.text):
        lines = [line.strip() for line in paragraph.strip("\n").splitlines() if line.strip()]
        if not lines:
            continue
        if len(lines) == 2 and _RULE.match(lines[1]):
            lead, signature = lines[0], ""
            continue
        if any(_CODE.search(line) for line in lines):
            continue
        if not paragraph.startswith(" "):
            signature = _signature(lines)
            if signature:
                continue
        text = _BULLET.sub("", _HYPHEN.sub("", " ".join(lines))).replace("**", "")
        for part in _SENTENCE.split(text):
            part = _tidied(part)
            if not _stands_alone(part):
                continue
            stated = f"{signature}: {part}" if signature and paragraph.startswith(" ") else part
            yield Sentence(text=stated, number=passage.number, lead=lead)


def _signature(lines: list[str]) -> str:
    """The name that an indented description below belongs to, such as `str.lower()`; empty for prose."""
    if len(lines) <= 4 and all(re.match(r"[\w.]+\(.*\)?$|[a-z.]+\.\w+$", line) for line in lines[:1]):
        return lines[0]
    return ""


def _tidied(sentence: str) -> str:
    """The sentence without the label before it and without a bracket that its neighbour closes."""
    sentence = _LABEL.sub("", sentence.strip())
    # A footnote mark of the source would read as a citation in the answer.
    sentence = _FOOTNOTE.sub("", sentence)
    if sentence.startswith("(") and ")" not in sentence:
        sentence = sentence[1:]
    if sentence.endswith(")") and "(" not in sentence:
        sentence = sentence[:-1]
    return sentence


def _stands_alone(sentence: str) -> bool:
    count = len(sentence.split())
    return (
        _MIN_WORDS <= count <= _MAX_WORDS and sentence.rstrip('"”’)').endswith((".", "!")) and sentence[:1] not in "|+"
    )


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)]
    return word
