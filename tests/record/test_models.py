"""The stored models: the JSON of an evaluation is a contract, runs order their chunks by stage."""

import json

import pytest
from pydantic import BaseModel, ValidationError

from rag_eval_hooks import Evaluation, RagRun, evaluate, read_run
from rag_eval_hooks.record import Chunk, ContextItem, Stage, StageItem


def test_the_evaluation_has_exactly_the_fields_of_the_contract() -> None:
    run = read_run(
        {
            "id": "r1",
            "question": "When?",
            "contexts": [{"id": "c1", "text": "The lobby opens at 7:00."}],
            "answer": "The lobby opens at 7:00 [1].",
        }
    )
    data = json.loads(evaluate(run).model_dump_json())
    assert list(data) == [
        *("schema_version", "run_id", "status", "question", "answer", "answer_kind"),
        *("chunks", "claims", "citations", "numbering", "results", "findings", "limits", "made_by"),
    ]
    (chunk,), (claim,), (citation,) = data["chunks"], data["claims"], data["citations"]
    assert list(chunk) == ["rank", "id", "in_prompt", "cited", "use", "use_probability", "conflict", "wrong_value"]
    assert list(claim) == [
        *("index", "text", "span", "verdict", "probability", "supported_by", "needs_evidence"),
        *("needs_citation", "citations", "derived"),
    ]
    assert list(claim["supported_by"][0]) == ["rank", "id", "probability", "spans"]
    assert list(citation) == [
        *(
            "index",
            "marker",
            "span",
            "part",
            "origin",
            "target",
            "target_rank",
            "exists",
            "supported",
            "claim",
            "problem",
        )
    ]
    assert all(list(result) == ["metric", "value", "reason", "labels"] for result in data["results"])
    assert list(data["made_by"]) == ["package", "attributor", "attributor_version", "metrics"]
    assert data["claims"][0]["span"] == [0, 23]
    assert data["citations"][0]["span"] == [24, 27]


def test_models_are_frozen_and_closed() -> None:
    run = read_run({"answer": "x"})
    with pytest.raises(ValidationError):
        run.answer = "y"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Chunk(id="a", colour="red")  # type: ignore[call-arg]


@pytest.mark.parametrize("model", [RagRun, Evaluation])
def test_every_field_of_the_schema_says_what_it_is(model: type[BaseModel]) -> None:
    schema = model.model_json_schema(mode="serialization")
    parts = {model.__name__: schema, **schema["$defs"]}
    silent = [
        f"{name}.{field}"
        for name, part in parts.items()
        for field, content in part.get("properties", {}).items()
        if "description" not in content
    ]
    assert silent == []


def test_order_of_chunks() -> None:
    """Four chunks retrieved, reranked to three, two in the prompt in another order."""
    run = RagRun(
        run_id="r",
        chunks=tuple(Chunk(id=name, text=name) for name in "abcd"),
        stages=(
            Stage(kind="retrieve", items=tuple(StageItem(chunk=index) for index in (0, 1, 2, 3)), final=False),
            Stage(kind="rerank", items=tuple(StageItem(chunk=index) for index in (2, 0, 1))),
        ),
        context=(ContextItem(chunk=1), ContextItem(chunk=2)),
        context_source="prompt",
    )
    assert run.retrieved_ids == ("c", "a", "b")
    assert [run.chunks[index].id for index in run.ledger] == ["b", "c", "a"]
    assert [(chunk.rank, chunk.id, chunk.in_prompt) for chunk in evaluate(run).chunks] == [
        (1, "b", True),
        (2, "c", True),
        (3, "a", False),
    ]
