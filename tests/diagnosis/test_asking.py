"""What a question says beside what it asks is no reason to call the evidence wrong."""

import pytest

from rag_eval_hooks.diagnosis.asked import unmet

HOUSE = "The Harbour House opens at seven. Goods can be returned within 30 days."


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Hi! When does the Harbour House open? Thanks, Anna Smith", []),
        ("I bought a kettle from Quillby in March 2023. When can it be returned?", []),
        ("Hi! When does the Lindal Palace open? Thanks, Anna Smith", ["lindal palace"]),
        ("Tell me about the Lindal Palace.", ["lindal palace"]),
    ],
)
def test_only_the_question_counts(question: str, expected: list[str]) -> None:
    assert unmet(question, "It opens at seven.", [HOUSE]) == expected
