"""How a prompt numbers its items decides what the numbers of the answer mean."""

import pytest

from rag_eval_hooks.capture.numbering import numbering_in
from rag_eval_hooks.capture.packing import find_in_prompt
from rag_eval_hooks.record import CitationStyle

TEXTS = ["The lobby opens at seven.", "The pool opens at nine.", "The gym opens at six o'clock."]
LOBBY, POOL, GYM = TEXTS


def style(prompt: str) -> CitationStyle:
    hits = find_in_prompt(TEXTS, prompt)
    return numbering_in(prompt, hits, [TEXTS[hit.item] for hit in hits])


@pytest.mark.parametrize(
    ("prompt", "base", "labels"),
    [
        pytest.param(f"Answer.\n\n[1] {LOBBY}\n\n[2] {POOL}\n\n[3] {GYM}\n\nQ: When?", 1, (), id="square"),
        pytest.param(f"[0] {LOBBY}\n[1] {POOL}\n[2] {GYM}", 0, (), id="square, from 0"),
        pytest.param(f"Context: [1] {LOBBY} [2] {POOL} [3] {GYM}", 1, (), id="in one line"),
        pytest.param(f"Source 1:\n{LOBBY}\n\nSource 2:\n{POOL}\nSource 3:\n{GYM}", 1, (), id="LlamaIndex"),
        pytest.param(f"Document [0](Title: A) {LOBBY}\nDocument [1](Title: B) {POOL}", 0, (), id="ALCE"),
        pytest.param(
            f'<documents><document index="1">\n<source>a</source>\n{LOBBY}\n</document>\n<document index="2">{POOL}',
            1,
            (),
            id="XML",
        ),
        pytest.param(
            f"<doc>\n<index>4</index>\n{LOBBY}</doc><doc><index>5</index>{POOL}</doc>", 4, (), id="XML fields"
        ),
        pytest.param(f"【1】{LOBBY}\n【2】{POOL}", 1, (), id="lenticular"),
        pytest.param(f"来源1：{LOBBY}\n来源2：{POOL}", 1, (), id="Chinese"),
        pytest.param(f'[{{"id": 7, "text": "{LOBBY}"}}, {{"id": 8, "text": "{POOL}"}}]', 7, (), id="JSON"),
        pytest.param(f"1. Be brief.\n2. Cite.\n\n1. {LOBBY}\n2. {POOL}", 1, (), id="list"),
        pytest.param(f"[2] {POOL}\n[1] {LOBBY}", 1, (2, 1), id="another order"),
        pytest.param(f"[1] {LOBBY}\n[2] Something else.\n[3] {GYM}", 1, (1, 3), id="an item that was not found"),
        pytest.param(
            f"[1] Title: House\nPage: 4\n{LOBBY}\n[2] Title: Pool\nPage: 9\n{POOL}", 1, (), id="metadata between"
        ),
        pytest.param(f"Cite like [1] or [2].\n\n[1] {LOBBY}\n[2] {POOL}", 1, (), id="an instruction before"),
    ],
)
def test_the_prompt_gives_the_numbers(prompt: str, base: int, labels: tuple[int, ...]) -> None:
    assert style(prompt) == CitationStyle(base=base, rule="prompt", labels=labels)


@pytest.mark.parametrize(
    "prompt",
    [
        pytest.param(f"{LOBBY}\n{POOL}", id="no numbers"),
        pytest.param(f"[1] {LOBBY}\n\n{POOL}", id="only one has a number"),
        pytest.param(f"[1] {LOBBY}\n[1] {POOL}", id="the same number twice"),
        pytest.param(f"1. Be brief.\n2. Use the text.\n\n{LOBBY}", id="numbered instructions"),
        pytest.param("Nothing here.", id="no items"),
    ],
)
def test_without_numbers_of_their_own_the_order_counts(prompt: str) -> None:
    assert style(prompt) == CitationStyle()
