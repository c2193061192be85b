"""The words a reader sees: there are some for everything that a record can hold."""

from typing import get_args

import pytest

from rag_eval_hooks.record.evaluation import FindingKind
from rag_eval_hooks.record.reasons import REASONS
from rag_eval_hooks.record.run import STATUSES as ALL_STATUSES
from rag_eval_hooks.reports.words import FINDINGS, STATUSES, reason_words, within_one


def test_every_status_and_kind_of_finding_has_words() -> None:
    assert tuple(STATUSES) == ALL_STATUSES
    assert set(FINDINGS) == set(get_args(FindingKind))


def test_a_run_of_which_a_part_was_seen_is_not_called_failed() -> None:
    assert STATUSES["partial"] == "finished, seen only in part"


@pytest.mark.parametrize("reason", [one for one in REASONS if "<" not in one])
def test_every_reason_is_said_in_the_words_of_the_record(reason: str) -> None:
    assert reason_words(reason, "R@5") == REASONS[reason]


def test_no_reason_and_one_of_a_later_version_are_said_as_such() -> None:
    assert [reason_words(one, "RR") for one in (None, "", "no_moon")] == [REASONS["unknown"]] * 2 + ["no moon"]


@pytest.mark.parametrize(
    ("metric", "value", "drawn"),
    [("R@5", 0.5, True), ("R@5", 1.5, False), ("T@5", 0.5, False), ("FirstUse", 1.0, False), ("Unknown", 0.5, True)],
)
def test_only_a_share_is_drawn_as_a_bar(metric: str, value: float, drawn: bool) -> None:
    """T lies from -alpha to 1 - alpha and FirstUse counts from 1: there 0.5 and 1 are no shares of a whole."""
    assert within_one(metric, value) is drawn
