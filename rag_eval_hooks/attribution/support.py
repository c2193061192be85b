"""The features of a statement and a text by which the heads say whether the one backs or contradicts the other."""

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from operator import mul
from typing import NamedTuple

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.opposites import reverses
from rag_eval_hooks.attribution.related import alternatives, exclusive_groups
from rag_eval_hooks.attribution.slots import same_slot
from rag_eval_hooks.attribution.stance import Stance
from rag_eval_hooks.attribution.terms import STOPWORDS
from rag_eval_hooks.attribution.weights import LogisticModel, compile_model, published_weights

__all__ = [
    "FEATURES",
    "Said",
    "Source",
    "conflict_model",
    "support_features",
    "support_model",
]

FEATURES = (
    "covered",
    "words",
    "tokens",
    "pairs",
    "triples",
    "missing",
    "missing_idf",
    "rarest",
    "gap",
    "lead",
    "functions",
    "length",
    "source_length",
    "first_person",
    "question",
    "names",
    "missing_names",
    "lost_names",
    "other_names",
    "numbers",
    "missing_numbers",
    "other_number",
    "other_value",
    "denied",
    "denies",
    "both_deny",
    "reversed",
)
NAME = re.compile(r"[^\W\d_a-z](?<=\s.)[\w'-]+")
MOST = 3
SENTENCE_WORDS = 8
Run = tuple[str, ...]


class Said(NamedTuple):
    """What a statement says, ready to be weighed."""

    keys: tuple[str, ...]
    """Its distinct terms without values."""
    importance: tuple[float, ...]
    """What each term counts: 1, less where only the question gives it."""
    idf: tuple[float, ...]
    """How much each term tells, in [0, 1]."""
    is_name: tuple[bool, ...]
    """Which of the terms are names."""
    unknown_names: int
    """How many words of names are in no text, nor in the question; the statement's first word is not looked at."""
    tokens: tuple[str, ...]
    """All its words in order, function words among them."""
    anchors: tuple[Anchor, ...]
    """Its values."""
    text: str
    """Itself, folded."""
    stance: Stance
    is_question: bool


class Source(NamedTuple):
    """The sentences a statement is weighed against."""

    tokens: tuple[str, ...]
    """All their words in order."""
    text: str
    """Themselves, folded."""
    origins: tuple[tuple[str, int, int], ...]
    """The texts they come from as they were, and where in them they begin and end."""
    stance: Stance

    @property
    def names(self) -> int:
        """How many names they have."""
        return sum(len(NAME.findall(*origin)) for origin in self.origins)

    @staticmethod
    def joined(parts: Sequence["Source"]) -> "Source":
        """Returns several sources taken as one, in this order."""
        if len(parts) == 1:
            return parts[0]
        return Source(
            tuple(token for part in parts for token in part.tokens),
            " ".join(part.text for part in parts),
            tuple(origin for part in parts for origin in part.origins),
            Stance.joined([part.stance for part in parts]),
        )


def support_features(
    said: Said, held: Sequence[float], values: Sequence[bool], source: Source, stated: Iterable[Anchor]
) -> tuple[float, ...]:
    """Returns the features of a statement and the sentences it is weighed against, in the order of `FEATURES`.

    Args:
        said: The statement.
        held: How well the sentences hold each of `said.keys`, in [0, 1].
        values: Whether the sentences state each of `said.anchors`.
        source: The sentences.
        stated: The values of the sentences; not looked at where they state all of the statement's.
    """
    lost = [(1.0 - have) * weight for have, weight in zip(held, said.importance, strict=True)]
    lost_idf = list(map(mul, lost, said.idf))
    missing_numbers = len(values) - sum(values)
    # A value counts as one rare term.
    total = sum(said.importance) + len(values)
    total_idf = sum(map(mul, said.importance, said.idf)) + len(values)
    missing = sum(lost) + missing_numbers
    missing_idf = sum(lost_idf) + missing_numbers
    given = set(source.tokens)
    size = len(said.tokens) or 1
    absent, gap, lead, run, functions = 0, 0, 0, 0, 0
    for place, token in enumerate(said.tokens, 1):
        if token in given:
            run = 0
            continue
        absent += 1
        run += 1
        if run > gap:
            gap = run
        if run == place:
            lead = place
        functions += token in STOPWORDS
    named = sum(said.is_name)
    missing_names = sum(name and have < 0.5 for name, have in zip(said.is_name, held, strict=True)) if named else 0
    other_number = missing_numbers > 0 and any(
        not there and any(same_slot(anchor, other) and not _stated(other, said) for other in stated)
        for anchor, there in zip(said.anchors, values, strict=True)
    )
    said_denies, source_denies = said.stance.denies, source.stance.denies
    mismatch = said_denies != source_denies
    tokens = (len(said.tokens) - absent) / size
    # A fragment (a heading, a cell, key = value) has no function words and no order to share.
    room = min(1.0, max(0, len(source.tokens) - 1) / SENTENCE_WORDS)
    return (
        1.0 - missing_idf / total_idf if total_idf else 1.0,
        1.0 - missing / total if total else 1.0,
        tokens,
        _share(pairwise(said.tokens), pairwise(source.tokens), tokens),
        _share(_triples(said.tokens), _triples(source.tokens), tokens),
        math.log1p(missing),
        math.log1p(missing_idf),
        max(lost_idf, default=0.0),
        room * math.log1p(gap),
        room * math.log1p(lead),
        room * math.log1p(functions),
        math.log1p(size),
        math.log1p(len(source.tokens)),
        float(said.stance.is_first_person and not source.stance.is_first_person),
        float(said.is_question),
        min(named, MOST),
        min(missing_names, MOST),
        missing_names / named if named else 0.0,
        min(source.names, 5) if missing_names else 0.0,
        min(len(values), MOST),
        min(missing_numbers, MOST),
        float(other_number),
        float(other_value(said, held, given)),
        float(said_denies and mismatch),
        float(source_denies and mismatch),
        float(said_denies and source_denies),
        float(reverses(said.stance, source.stance)),
    )


def other_value(said: Said, held: Sequence[float], given: set[str]) -> bool:
    """Whether the sentences hold another value of a group of which the statement's value is missing.

    The statement says Monday, the sentences only Tuesday.
    """
    for key, have in zip(said.keys, held, strict=True):
        if have == 0.0:
            for group in exclusive_groups(key):
                if any(rival in given and rival not in said.keys for rival in group - alternatives(key)):
                    return True
    return False


def _share(said: Iterable[Run], source: Iterable[Run], otherwise: float) -> float:
    """Share of the runs of words that the source has, too."""
    runs = list(said)
    return sum(map(set(source).__contains__, runs)) / len(runs) if runs else otherwise


def _triples(tokens: Sequence[str]) -> Iterable[Run]:
    return zip(tokens, tokens[1:], tokens[2:], strict=False)


def _stated(anchor: Anchor, said: Said) -> bool:
    return any(fits(one, anchor) for one in said.anchors)


@cache
def support_model() -> LogisticModel:
    """The support head over `FEATURES`: how likely a text backs a statement."""
    return compile_model(published_weights()["support"], FEATURES)


@cache
def conflict_model() -> LogisticModel:
    """The conflict head over `FEATURES`: how likely a text contradicts a statement."""
    return compile_model(published_weights()["conflict"], FEATURES)
