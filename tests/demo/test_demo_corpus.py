"""The demo's corpus on whatever Python runs the tests: nothing of the reference is lost, nothing is there twice."""

import re

import pytest

from rag_eval_hooks.demo.corpus import (
    MAX_CHARS,
    MIN_CHARS,
    build_corpus,
    reference_topics,
    sections,
    split_section,
)
from rag_eval_hooks.record import Chunk

CORPUS = build_corpus()


def _without_rules(text: str) -> str:
    """Text without the rules below headings, which differ with the heading's depth."""
    return re.sub(r"^([*=\-~^\"])\1{2,}$", "", text, flags=re.MULTILINE)


def _words(text: str) -> str:
    return " ".join(_without_rules(text).split())


def _chunks_by_topic() -> dict[str, list[Chunk]]:
    by_topic: dict[str, list[Chunk]] = {}
    for chunk in CORPUS:
        by_topic.setdefault(chunk.metadata["topic"], []).append(chunk)
    return by_topic


def test_ids_are_topic_and_number() -> None:
    """Ids are unique and count from 1 within a page."""
    expected = [f"{topic}#{number}" for topic, own in _chunks_by_topic().items() for number in range(1, len(own) + 1)]
    assert [chunk.id for chunk in CORPUS] == expected
    assert len(set(expected)) == len(expected)


def test_a_chunk_is_the_stated_range_of_its_page() -> None:
    """`start` and `end` point at exactly the chunk's text."""
    for chunk in CORPUS:
        page = reference_topics()[chunk.metadata["topic"]]
        assert page[chunk.metadata["start"] : chunk.metadata["end"]] == chunk.text
        assert chunk.metadata["source"] == f"pydoc:{chunk.metadata['topic']}"


def test_every_section_of_every_page_is_in_the_corpus() -> None:
    """Each page's sections are in chunks of the page, or (word for word) in chunks of the page that owns them."""
    owned = {
        topic: "".join(_words(chunk.text).replace(" ", "") for chunk in own)
        for topic, own in _chunks_by_topic().items()
    }
    everything = "\n".join(owned.values())
    for topic, text in reference_topics().items():
        for section in sections(topic, text):
            wanted = _words(text[section.start : section.end]).replace(" ", "")
            assert wanted in everything, (topic, section.title)


def test_no_section_is_there_twice() -> None:
    """`compound` repeats the page `with`: its chunks belong to `with` alone and name `compound` as another holder."""
    assert len({chunk.text for chunk in CORPUS}) == len(CORPUS)
    first = next(chunk for chunk in CORPUS if chunk.id == "with#1")
    assert "compound" in first.metadata["also_in"]
    holders = [one.id for one in CORPUS if 'The "with" statement is used to wrap' in " ".join(one.text.split())]
    assert holders == ["with#1"]


def test_chunks_have_the_stated_size() -> None:
    """None is longer than the limit, and most are near the target."""
    assert max(len(chunk.text) for chunk in CORPUS) <= MAX_CHARS
    near = [chunk for chunk in CORPUS if len(chunk.text) >= MIN_CHARS]
    assert len(near) > len(CORPUS) / 2


def test_prose_is_not_cut_in_mid_sentence() -> None:
    """A chunk that ends in running prose ends with the sentence, or a clause of one that is longer than a chunk."""
    for chunk in CORPUS:
        last = re.split(r"\n[ \t]*\n", _without_rules(chunk.text))[-1]
        lines = last.splitlines()
        if last.startswith((" ", "*", ">")) or len(lines) < 2 or not re.match(r"[A-Z][a-z]+ [a-z]", last):
            continue
        assert re.search(r"[.:;!?][\"”’)]*(?:\s*\[\d+\])?[\"”’)]*$", last), (chunk.id, last[-80:])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("One. Two.", ["One. Two."], id="short text is one chunk"),
        pytest.param("A" * 700 + "\n\n" + "B" * 700, ["A" * 700, "B" * 700], id="between paragraphs"),
        pytest.param(
            "A" * 900 + "\n\nText:\n\n   code = 1\n   " + "b" * 300 + "\n\n" + "C" * 300,
            ["A" * 900, "Text:\n\n   code = 1\n   " + "b" * 300 + "\n\n" + "C" * 300],
            id="an announced code block stays with its announcement",
        ),
        pytest.param(
            "X" * 900 + ". Yy " + "y" * 600 + ".",
            ["X" * 900 + ".", "Yy " + "y" * 600 + "."],
            id="a long paragraph is cut between sentences",
        ),
        pytest.param("  \n ", [], id="nothing"),
    ],
)
def test_split_section(text: str, expected: list[str]) -> None:
    """The cut falls at the best place that leaves chunks of the wanted size."""
    assert [text[start:end] for start, end in split_section(text, 0, len(text))] == expected
