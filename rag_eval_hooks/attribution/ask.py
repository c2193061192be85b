"""Asks the support model about the claims that tier 0 is unsure of, and puts its answer in the place of tier 0's."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

from rag_eval_hooks.attribution.match import Backing, Judgement
from rag_eval_hooks.attribution.reading import Reading
from rag_eval_hooks.attribution.support_model import SupportModel
from rag_eval_hooks.capture.guard import guarded

__all__ = ["ask_model"]

MAX_PREMISES = 3
"""Texts that are asked about for one claim, the strongest first."""
MAX_PAIRS = 64
"""Pairs of one answer."""
MAX_TEXT = 2_000
"""Characters of a premise or a hypothesis; a model reads no more than some hundred words."""


class _Asked(NamedTuple):
    statement: int
    backings: tuple[Backing, ...]
    pairs: list[tuple[str, str]]


def ask_model(reading: Reading, is_uncertain: Callable[[Judgement], bool]) -> int:
    """Replaces the judgements of uncertain statements in `reading` by what its support model says.

    The premise is what tier 0 found in a text for the statement; of several texts, the most favourable counts.
    Where the model gives no probability, tier 0's judgement stands. Nothing is raised.

    Args:
        reading: An answer read against its context.
        is_uncertain: Whether a judgement lies in the abstain band.

    Returns:
        How many uncertain statements have no answer: the model failed, ran out of time, gave something that is no
        probability, or the answer has more of them than are asked.
    """
    model = reading.attributor.support_model
    if model is None or not reading.was_seen:
        return 0
    asked = [
        _question(reading, index, judgement)
        for index, judgement in enumerate(reading.judged)
        if reading.statements[index].kind == "statement" and is_uncertain(judgement)
    ]
    pairs = [pair for one in asked for pair in one.pairs][:MAX_PAIRS]
    scores = _scores(model, pairs) if pairs else []
    unanswered, at = 0, 0
    for one in asked:
        mine = scores[at : at + len(one.pairs)]
        at += len(one.pairs)
        if mine and len(mine) == len(one.pairs) and all(0.0 <= score <= 1.0 for score in mine):  # not where it is NaN
            reading.replace(one.statement, _answered(reading.judged[one.statement], one.backings, mine))
        else:
            unanswered += 1
    return unanswered


def _question(reading: Reading, index: int, judgement: Judgement) -> _Asked:
    statement = reading.statements[index]
    hypothesis = reading.answer[statement.start : statement.end][:MAX_TEXT]
    backings = tuple(backing for backing in judgement.backings if backing.sentences)[:MAX_PREMISES]
    return _Asked(index, backings, [(_premise(reading, backing), hypothesis) for backing in backings])


def _premise(reading: Reading, backing: Backing) -> str:
    """Returns the sentences behind a backing, in their order, as the text writes them."""
    position = reading.place_of.index(backing.chunk)
    text = reading.context[position].text
    spans = [reading.span_in(position, sentence) for sentence in sorted(backing.sentences)]
    return " ".join(text[start:end] for start, end in filter(None, spans))[:MAX_TEXT]


def _scores(model: SupportModel, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Returns what the model says of each pair, or nothing where it fails."""
    with guarded("support_model.score"):
        scores = [float(score) for score in islice(model.score(pairs), len(pairs) + 1)]
        if len(scores) > len(pairs):
            raise ValueError(f"more scores than the {len(pairs)} pairs")
        return scores
    return []


def _answered(judgement: Judgement, asked: Sequence[Backing], scores: Sequence[float]) -> Judgement:
    support = {backing.chunk: score for backing, score in zip(asked, scores, strict=True)}
    backings = [backing._replace(support=support.get(backing.chunk, backing.support)) for backing in judgement.backings]
    backings.sort(key=lambda backing: (-backing.support, backing.chunk))
    return judgement._replace(support=max(scores), backings=tuple(backings))
