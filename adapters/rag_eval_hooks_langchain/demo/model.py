"""The demo's model: extractive, written for the example. It quotes; it does not think, and it is no neural network.

It is there so that the demo runs without a key and gives the same answers everywhere. Its mistakes are real ones of its
kind: it quotes what shares words with the question, whether or not that answers it.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field

from rag_eval_hooks_langchain.demo.reading import Sentence, read_prompt, sentences, words

__all__ = ["CARELESS", "REFUSAL", "ExtractiveChatModel", "careless_model", "compose_answer"]

REFUSAL = "I don't know: the given context does not answer this."

CARELESS = "extractive-careless"
"""Name of the same model with bad habits: see `careless_model`."""

_LEAD_WEIGHT = 0.5
_RANK_WEIGHT = 0.02
_SECOND_SHARE = 0.6
_LONG = 35


class ExtractiveChatModel(BaseChatModel):
    """A chat model that answers by quoting the one to three sentences of the context that fit the question best.

    It reads numbered passages and a line `Question: ...` from the prompt (`reading.read_prompt`). A sentence's fit is
    the share of the question's words that it holds, each word weighted by how rare it is in the context; words of the
    heading above it count half, and a better rank in the context decides near-ties. Each quoted sentence cites its
    passage as `[n]`. Where no sentence reaches `min_fit`, or the question has no words that count, the answer is
    `REFUSAL`. Nothing in it is random.
    """

    min_fit: float = Field(default=0.5, ge=0, le=1)
    """The fit, in [0, 1], below which the model says that it does not know."""
    max_sentences: int = Field(default=3, ge=1)
    """How many sentences an answer has at most."""
    careless: bool = False
    """Whether the model has the bad habits that `careless_model` lists."""

    @property
    def _llm_type(self) -> str:
        return CARELESS if self.careless else "extractive"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self._llm_type, "min_fit": self.min_fit, "max_sentences": self.max_sentences}

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002  the signature is the framework's
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=self._answer(messages)))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002  the signature is the framework's
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> Iterator[ChatGenerationChunk]:
        for token in re.findall(r"\s*\S+", self._answer(messages)):
            yield ChatGenerationChunk(message=AIMessageChunk(content=token))

    def _answer(self, messages: Sequence[BaseMessage]) -> str:
        prompt = "\n".join(str(message.text) for message in messages if message.type in ("human", "user"))
        return compose_answer(prompt, min_fit=self.min_fit, max_sentences=self.max_sentences, careless=self.careless)


def careless_model() -> ExtractiveChatModel:
    """Returns the same model with bad habits, to show what alarms look like.

    Per answer it has one habit, chosen by the CRC-32 of the question modulo 3:

    - 0: it cites the passage after the right one (which may not exist);
    - 1: it raises the first whole number of the answer by one, or, where there is none, negates its first `is`/`are`;
    - 2: it adds a closing sentence that nothing supports and that cites nothing.

    It never refuses either: it quotes the best sentence, however bad.
    """
    return ExtractiveChatModel(careless=True, min_fit=0.0)


def compose_answer(prompt: str, *, min_fit: float = 0.5, max_sentences: int = 3, careless: bool = False) -> str:
    """Returns the extractive model's answer to a prompt; see `ExtractiveChatModel`."""
    passages, question = read_prompt(prompt)
    candidates = [sentence for passage in passages for sentence in sentences(passage)]
    chosen = _chosen(question, candidates, min_fit=min_fit, max_sentences=max_sentences)
    if not chosen:
        return REFUSAL
    habit = zlib.crc32(question.encode("utf-8", "replace")) % 3 if careless else None
    shift = 1 if habit == 0 else 0
    answer = " ".join(_cited(sentence.text, sentence.number + shift) for sentence in chosen)
    if habit == 1:
        return _with_other_value(answer)
    if habit == 2:
        return f"{answer} This behaviour was removed in Python 2.4 because it doubled the memory use of large programs."
    return answer


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
