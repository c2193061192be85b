"""The demo's labels hold on whatever Python runs the tests."""

import pytest

from rag_eval_hooks.demo.corpus import build_corpus
from rag_eval_hooks.demo.gold import GoldLookup, chunks_with, gold_for
from rag_eval_hooks.demo.questions import QUESTIONS, Evidence, Question
from rag_eval_hooks.demo.search import Bm25Index
from rag_eval_hooks.record import Gold, RagRun

CORPUS = build_corpus()


def test_questions_are_distinct_and_of_every_kind() -> None:
    """At least 45 questions; the lookup goes by their text."""
    assert len({one.text for one in QUESTIONS}) == len(QUESTIONS) >= 45
    assert {one.kind for one in QUESTIONS} == {"single", "two_facts", "decoy", "unanswerable"}
    assert all(bool(one.evidence) == (one.kind != "unanswerable") for one in QUESTIONS)
    assert all((len(one.evidence) == 2) == (one.kind == "two_facts") for one in QUESTIONS)


@pytest.mark.parametrize(
    ("topics", "phrase"),
    [
        pytest.param(evidence.topics, phrase, id=f"{question.text[:40]}-{number}")
        for question in QUESTIONS
        for number, (evidence, phrase) in enumerate(
            (evidence, phrase) for evidence in question.evidence for phrase in evidence.phrases
        )
    ],
)
def test_every_phrase_is_in_a_chunk(topics: tuple[str, ...], phrase: str) -> None:
    """Each phrase marks at least one chunk of its pages, and few: it is no common turn of words."""
    assert 1 <= len(chunks_with(Evidence(topics, (phrase,)), CORPUS)) <= 3


def test_decoys_mislead_the_search() -> None:
    """For most decoys the first chunk is not one that answers."""
    index = Bm25Index(CORPUS, k=1)
    decoys = [one for one in QUESTIONS if one.kind == "decoy"]
    first = {one.text: index.search(one.text)[0][0].id for one in decoys}
    misled = [one for one in decoys if first[one.text] not in (gold_for(one, CORPUS).relevance or {})]
    assert len(misled) > len(decoys) / 2


def test_gold_of_two_facts_takes_a_chunk_of_each() -> None:
    """Both facts' chunks are relevant; a set is one chunk of each."""
    question = next(one for one in QUESTIONS if one.text.startswith("What do break and continue"))
    assert gold_for(question, CORPUS) == Gold(
        relevance={"break#1": 1.0, "continue#1": 1.0}, evidence_sets=(("break#1", "continue#1"),)
    )


def test_gold_of_one_fact_lists_alternatives() -> None:
    """Each chunk that states the fact is a set of its own."""
    question = next(one for one in QUESTIONS if one.text.startswith("Which values are considered false"))
    gold = gold_for(question, CORPUS)
    assert set(gold.relevance or {}) == {"truth#1", "booleans#1"}
    assert sorted(gold.evidence_sets or ()) == [("booleans#1",), ("truth#1",)]


def test_gold_of_an_unanswerable_question() -> None:
    """Nothing is relevant, and the right answer is none."""
    assert gold_for(Question("Who?", "unanswerable"), CORPUS) == Gold(relevance={}, answer="")


def test_lookup_knows_its_questions_only() -> None:
    """A run with another question has no labels."""
    lookup = GoldLookup(CORPUS)
    assert lookup(RagRun(run_id="a", question=QUESTIONS[0].text)) == gold_for(QUESTIONS[0], CORPUS)
    assert lookup(RagRun(run_id="b", question="Another question?")) is None
    assert lookup(RagRun(run_id="c", question=None)) is None
