"""The public test helpers say what they are told and refuse what they do not understand."""

import pytest

from rag_eval_hooks.testing import make_attribution, make_run


def test_a_run_in_a_line() -> None:
    run = make_run(["a", ("b", "Other text."), "a"], relevance={"b": 2}, k=3, metadata={"topic": "tables"})
    assert run.retrieved_ids == ("a", "b", "a")
    assert [chunk.text for chunk in run.chunks] == ["Passage a.", "Other text."]
    assert [item.chunk for item in run.context] == [0, 1, 0]
    assert (run.k, run.metadata) == (3, {"topic": "tables"})
    assert make_run("ab").gold is None


def test_the_context_may_differ() -> None:
    run = make_run("abc", context="cx")
    assert [chunk.id for chunk in run.context_chunks()] == ["c", "x"]
    assert run.retrieved_ids == ("a", "b", "c")
    found = make_attribution(run, used=[2], citations=[(None, 1)])
    assert [(one.rank, one.id, one.in_prompt, one.use, one.cited) for one in found.chunks] == [
        (1, "c", True, "unused", True),
        (2, "x", True, "used", False),
        (3, "a", False, "unused", False),
        (4, "b", False, "unused", False),
    ]


def test_claims_and_citations_point_to_each_other() -> None:
    run = make_run("ab")
    found = make_attribution(run, claims=["+1,2", "~"], citations=[(0, 1), (0, 2, False), (None, None)])
    assert found.claims[0].citations == (0, 1)
    assert [support.rank for support in found.claims[0].supported_by] == [1, 2]
    assert [claim.needs_evidence for claim in found.claims] == [True, False]
    assert [citation.problem for citation in found.citations] == [None, "misplaced", "dangling"]
    assert [citation.exists for citation in found.citations] == [True, True, False]


def test_a_code_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="claim code 'yes': expected one of"):
        make_attribution(make_run("a"), claims=["yes"])
