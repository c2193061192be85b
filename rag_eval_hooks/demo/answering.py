"""The demo's model: extractive, written for the example. It quotes; it does not think, and it is no neural network.

It is there so that the demo runs without a key and gives the same answers everywhere. Its mistakes are real ones of its
kind: it quotes what shares words with the question, whether or not that answers it.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rag_eval_hooks.demo.prompt import read_prompt
from rag_eval_hooks.demo.reading import Sentence, sentences, words

__all__ = ["EXTRACTIVE", "MODELS", "REFUSAL", "Extractive", "tokens"]

REFUSAL = "I don't know: the given context does not answer this."

_LEAD_WEIGHT = 0.5
_RANK_WEIGHT = 0.02
_SECOND_SHARE = 0.6
_LONG = 35
_MADE_UP = "This behaviour was removed in Python 2.4 because it doubled the memory use of large programs."


@dataclass(frozen=True)
class Extractive:
    """Answers by quoting the one to three sentences of the context that fit the question best.

    It reads numbered passages and a line `Question: ...` from the prompt (`prompt.read_prompt`). A sentence's fit is
    the share of the question's words that it holds, each word weighted by how rare it is in the context; words of the
    heading above it count half, and a better rank in the context decides near-ties. Each quoted sentence cites its
    passage as `[n]`. Where no sentence reaches `min_fit`, or the question has no words that count, the answer is
    `REFUSAL`. Nothing in it is random.
    """

    min_fit: float = 0.5
    """The fit, in [0, 1], below which the model says that it does not know."""
    max_sentences: int = 3
    """How many sentences an answer has at most."""
    careless: bool = False
    """Whether the model has bad habits, to show what alarms look like.

    Per answer it has one, chosen by the CRC-32 of the question modulo 3:

    - 0: it cites the passage after the right one (which may not exist);
    - 1: it raises the first whole number of the answer by one, or, where there is none, negates its first `is`/`are`;
    - 2: it adds a closing sentence that nothing supports and that cites nothing.
    """

    def answer(self, prompt: str) -> str:
        """Returns the answer to the user's message."""
        passages, question = read_prompt(prompt)
        candidates = [sentence for passage in passages for sentence in sentences(passage)]
        chosen = _chosen(question, candidates, min_fit=self.min_fit, max_sentences=self.max_sentences)
        if not chosen:
            return REFUSAL
        habit = zlib.crc32(question.encode("utf-8", "replace")) % 3 if self.careless else None
        shift = 1 if habit == 0 else 0
        answer = " ".join(_cited(sentence.text, sentence.number + shift) for sentence in chosen)
        if habit == 1:
            return _with_other_value(answer)
        if habit == 2:
            return f"{answer} {_MADE_UP}"
        return answer


EXTRACTIVE = "extractive"
MODELS: Mapping[str, Extractive] = MappingProxyType(
    {
        EXTRACTIVE: Extractive(),
        # It never refuses either: it quotes the best sentence, however bad.
        "extractive-careless": Extractive(careless=True, min_fit=0.0),
    }
)
"""The demo's own models by name."""


def tokens(answer: str) -> list[str]:
    """Returns the pieces in which an answer is streamed: words, with the blanks before them.

    >>> tokens("The lid. [1]")
    ['The', ' lid.', ' [1]']
    """
    return re.findall(r"\s*\S+", answer)


@dataclass(frozen=True)
class _Scored:
    sentence: Sentence
    covers: frozenset[str]
    fit: float


def _chosen(
    question: str, candidates: Sequence[Sentence], *, min_fit: float, max_sentences: int
) -> tuple[Sentence, ...]:
    """The sentences to quote, best first; empty where none fits."""
    asked = frozenset(words(question))
    if not asked or not candidates:
        return ()
    said = [frozenset(words(one.text)) for one in candidates]
    weights = _weights(asked, said)
    scored = [_score(one, own, asked, weights) for one, own in zip(candidates, said, strict=True)]
    # Sorting is stable, so equal fits keep the order of the context.
    ranked = sorted(scored, key=lambda one: -one.fit)
    best = ranked[0]
    if best.fit < min_fit or not best.covers:
        return ()
    chosen = [best]
    covered = set(best.covers)
    for one in ranked[1:]:
        if len(chosen) == max_sentences or one.fit < _SECOND_SHARE * best.fit:
            break
        if one.covers - covered and all(one.sentence.text != other.sentence.text for other in chosen):
            chosen.append(one)
            covered |= one.covers
    return tuple(one.sentence for one in chosen)


def _weights(asked: frozenset[str], said: Sequence[frozenset[str]]) -> dict[str, float]:
    """How much each word of the question counts: the rarer among the sentences, the more; an absent one the most."""
    counts = Counter(word for own in said for word in own & asked)
    return {word: math.log(1 + (len(said) + 1) / (counts[word] + 1)) for word in asked}


def _score(sentence: Sentence, own: frozenset[str], asked: frozenset[str], weights: dict[str, float]) -> _Scored:
    lead = frozenset(words(sentence.lead)) & asked - own
    held = sum(weights[word] for word in own & asked) + _LEAD_WEIGHT * sum(weights[word] for word in lead)
    fit = held / sum(weights.values())
    length = len(sentence.text.split())
    if length > _LONG:
        fit *= math.sqrt(_LONG / length)
    return _Scored(sentence, own & asked, fit - _RANK_WEIGHT * (sentence.number - 1))


def _cited(text: str, number: int) -> str:
    """The sentence with its citation before the full stop."""
    body = text.rstrip()
    end = body[-1] if body[-1] in ".!" else "."
    return f"{body.rstrip('.!')} [{number}]{end}"


def _with_other_value(answer: str) -> str:
    """The answer with its first whole number (not a citation's) raised by one, or else its first `is`/`are` negated."""
    raised = re.sub(r"(?<![\[\w.])\d+(?![\]\w])", lambda number: str(int(number[0]) + 1), answer, count=1)
    if raised != answer:
        return raised
    return re.sub(r"\b(is|are)\b(?! not)", r"\1 not", answer, count=1)
