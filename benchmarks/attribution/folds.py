"""Evaluates labelled runs by heads that have not seen their question or document."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar
from unittest import mock

from fit import Weights, fit
from rows import support_rows, use_rows

from rag_eval_hooks import Evaluation, RagRun, evaluate
from rag_eval_hooks.attribution import contradict, match, support, use
from rag_eval_hooks.attribution.weights import compile_model

__all__ = ["FOLDS", "cross_validated"]

FOLDS = 5


class Labelled(Protocol):
    """A row of `corpora`."""

    @property
    def group(self) -> str: ...

    @property
    def run(self) -> RagRun: ...


Row = TypeVar("Row", bound=Labelled)


def cross_validated(corpora: dict[str, Sequence[Row]]) -> dict[str, list[tuple[Row, Evaluation]]]:
    """Returns each row with its evaluation by heads fitted to the other folds; a group is in one fold, in all corpora.

    Args:
        corpora: Rows by corpus, named as in `rows`.
    """
    uses, supports = use_rows(), support_rows()
    found: dict[str, list[tuple[Row, Evaluation]]] = {name: [] for name in corpora}
    for fold in range(FOLDS):
        heads = fit(
            [row for row in uses if fold_of(row.group) != fold], [row for row in supports if fold_of(row.group) != fold]
        )
        with fitted(heads):
            for name, rows in corpora.items():
                mine = [row for row in rows if fold_of(f"{name}:{row.group}") == fold]
                found[name] += [(row, evaluate(row.run, metrics=())) for row in mine]
    return found


def fold_of(group: str) -> int:
    """Returns the fold of a group, the same in every run."""
    return int(hashlib.sha256(group.encode()).hexdigest(), 16) % FOLDS


@contextmanager
def fitted(heads: dict[str, Weights]) -> Iterator[None]:
    """Puts other weights in the place of the package's."""
    models = {name: compile_model(heads[name], support.FEATURES) for name in ("support", "conflict")}
    with (
        mock.patch.object(use, "published_weights", return_value=heads),
        mock.patch.object(match, "support_model", return_value=models["support"]),
        mock.patch.object(contradict, "conflict_model", return_value=models["conflict"]),
    ):
        yield
