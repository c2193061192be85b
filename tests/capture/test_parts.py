"""Items that were split over several prompts: which share of them the prompts hold, and with which numbers."""

import pytest

from rag_eval_hooks.capture.forms import ItemForms
from rag_eval_hooks.capture.numbering import joined_numbering
from rag_eval_hooks.capture.packing import Packing
from rag_eval_hooks.capture.parts import Parts
from rag_eval_hooks.record import CitationStyle

TEXT = "The harbour of Basel opened in 1906 and was enlarged twice before the war."
FAR = "Toll was lifted in 1868, when the states signed an act."


WORDS = TEXT.split()


def part(start: int, end: int | None = None) -> str:
    """Some of its 14 words, as a splitter cuts them."""
    return " ".join(WORDS[start:end])


@pytest.mark.parametrize(
    ("prompts", "share"),
    [
        pytest.param([TEXT], 1.0, id="whole in one"),
        pytest.param([part(0, 8), part(8)], 1.0, id="a long part and a short one"),
        pytest.param([part(0, 4), part(4, 9), part(9)], 1.0, id="three parts, each of a few words"),
        pytest.param([f"{part(0, 13)}\nQ?", "Text:\nwar.\nQ?"], 1.0, id="one word, on a line of its own"),
        pytest.param([f"{part(0, 13)}\nQ?", "There was war. Q?"], 57 / 61, id="one word among others is no part"),
        pytest.param([part(9), part(0, 9)], 1.0, id="in any order"),
        pytest.param([TEXT.replace(" ", "\n")], 1.0, id="other white space"),
        pytest.param([part(0, 8)], 32 / 61, id="its beginning alone: what is cut off is not there"),
        pytest.param([FAR], 0.0, id="something else"),
        pytest.param(["The harbour of Bern is small."], 0.0, id="the same beginning is no part of it"),
        pytest.param([], 0.0, id="no prompt"),
    ],
)
def test_share(prompts: list[str], share: float) -> None:
    """Of its 61 characters, spaces aside."""
    assert Parts(prompts).share(ItemForms(TEXT)) == pytest.approx(share)


def test_share_of_no_text() -> None:
    assert Parts(["Basel"]).share(ItemForms("")) == 0.0


def test_where_it_begins() -> None:
    assert Parts([FAR, part(0, 9), part(9)]).first(ItemForms(TEXT)) == 1


def numbered(*prompts: str) -> CitationStyle:
    """How two texts are numbered in these prompts together."""
    packing = Packing([TEXT, FAR])
    found = [(prompt, packing.find(prompt)) for prompt in prompts]
    return joined_numbering(
        [0, 1],
        [(prompt, hits, [[TEXT, FAR][hit.item] for hit in hits], [hit.item for hit in hits]) for prompt, hits in found],
    )


@pytest.mark.parametrize(
    ("prompts", "style"),
    [
        pytest.param(
            [f"Source 1:\n{TEXT}", f"Source 2:\n{FAR}"], CitationStyle(base=1, rule="prompt"), id="counted on"
        ),
        pytest.param(
            [f"Source 2:\n{FAR}", f"Source 1:\n{TEXT}"], CitationStyle(base=1, rule="prompt"), id="in any order"
        ),
        pytest.param(
            [f"Source 4:\n{TEXT}", f"Source 9:\n{FAR}"],
            CitationStyle(base=4, rule="prompt", labels=(4, 9)),
            id="with gaps",
        ),
        pytest.param(
            [f"Source 3:\n{TEXT}", FAR],
            CitationStyle(base=3, rule="prompt", labels=(3, None)),
            id="one without a number",
        ),
        pytest.param([f"Source 1:\n{TEXT}", f"Source 1:\n{FAR}"], CitationStyle(), id="each prompt counts from 1"),
        pytest.param([f"Source 1:\n{TEXT}", f"Source 2:\n{TEXT}"], CitationStyle(), id="one item with two numbers"),
        pytest.param([TEXT, FAR], CitationStyle(), id="no numbers"),
    ],
)
def test_numbers_that_several_prompts_share(prompts: list[str], style: CitationStyle) -> None:
    assert numbered(*prompts) == style
