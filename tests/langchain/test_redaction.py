"""Redaction reaches every field before anything is stored, and fails closed (scenario operation-04)."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_fakes import FakeChat, FakeRetriever, rag
from whole_record import only_run, whole

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.sinks import JsonlSink, SqlSink
from rag_eval_hooks_langchain import RagEvalCallbackHandler

MAIL = "ada@example.org"
QUESTION = f"Who answers mail to {MAIL}?"


def without_mail(text: str) -> str:
    return text.replace(MAIL, "[mail]")


def find(_: str) -> list[Document]:
    return [
        Document(
            id=f"{MAIL}-1",
            page_content=f"Mail to {MAIL} is answered by Ada Lovelace.",
            metadata={"source": f"{MAIL}.txt", "nested": {MAIL: [MAIL, 3]}},
        ),
        Document(id="2", page_content="The office opens at nine."),
    ]


def say(_: Any) -> AIMessage:
    text = f"Mail to {MAIL} is answered by Ada Lovelace."
    cited = {"start_index": 8, "end_index": len(text), "title": f"{MAIL}.txt", "cited_text": f"to {MAIL}"}
    return AIMessage(content=text, additional_kwargs={"citations": [cited]})


def chain() -> Any:
    return rag(FakeChat(say=say), FakeRetriever(find=find, name=f"search for {MAIL}"))


CONFIG = {"tags": [MAIL], "metadata": {"user": MAIL}}


def numbers(handler: RagEvalCallbackHandler) -> list[Any]:
    evaluation = handler.last.evaluation
    return [
        [(result.metric, result.value, result.reason) for result in evaluation.results],
        [(chunk.rank, chunk.use, chunk.use_probability) for chunk in evaluation.chunks],
        [(claim.verdict, claim.probability) for claim in evaluation.claims],
        [finding.kind for finding in evaluation.findings],
    ]


def test_the_address_is_in_no_byte_and_the_numbers_are_the_same(tmp_path: Path, caplog: Any) -> None:
    with RagEvalCallbackHandler() as plain:
        chain().invoke(QUESTION, config={"callbacks": [plain], **CONFIG})
        expected = numbers(plain)
        assert MAIL in plain.last.run.model_dump_json()
    caplog.set_level(logging.DEBUG)
    sinks = [JsonlSink(tmp_path / "log.jsonl"), SqlSink(f"sqlite:///{tmp_path}/store.db")]
    with RagEvalCallbackHandler(sinks=sinks, redact=without_mail) as handler:
        chain().invoke(QUESTION, config={"callbacks": [handler], **CONFIG})
        assert numbers(handler) == expected
        shown = whole(only_run(handler))
        assert handler.stats()["redaction_failed"] == 0
    assert shown == {
        "question": "Who answers mail to [mail]?",
        "answer": "Mail to [mail] is answered by Ada Lovelace.",
        "chunks": "[mail]-1 2",
        "texts": {"[mail]-1": "Mail to [mail] is answered by Ada Lovelace.", "2": "The office opens at nine."},
        "metadata_of": {"[mail]-1": {"source": "[mail].txt", "nested": {"[mail]": ["[mail]", 3]}}},
        "sources": "[mail].txt",
        "stages": ["1 retrieve search for [mail](Who answers mail to [mail]?): [mail]-1 2"],
        "context": "[mail]-1 2",
        "context_source": "prompt",
        "citations": {
            "rule": "prompt",
            "provided": ({"start": 8, "end": 43, "title": "[mail].txt", "cited_text": "to [mail]"},),
        },
        "usage": "1 None>None",
        "answer_usage": "1 None>None",
        "tags": ("[mail]",),
        "metadata": {"user": "[mail]"},
    }
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Ada Lovelace" in written
    assert MAIL.encode() not in written
    assert MAIL not in caplog.text


def test_the_message_of_an_error_is_never_kept() -> None:
    def fail(_: Any) -> None:
        raise ValueError(f"no mailbox {MAIL}")

    with RagEvalCallbackHandler() as handler:
        with pytest.raises(ValueError, match="no mailbox"):
            (chain() | RunnableLambda(fail)).invoke("Who?", config={"callbacks": [handler]})
        run = only_run(handler)
        assert run.error == "ValueError"
        assert "mailbox" not in run.model_dump_json() + handler.last.evaluation.model_dump_json()


def _raises(_: str) -> str:
    raise LookupError(MAIL)


@pytest.mark.parametrize("redact", [_raises, lambda _: None, lambda text: text.encode()])
def test_a_redaction_that_fails_withholds_all_texts(
    redact: Any, tmp_path: Path, caught: list[Exception], caplog: Any
) -> None:
    log = tmp_path / "log.jsonl"
    with RagEvalCallbackHandler(sinks=[JsonlSink(log)], redact=redact) as handler:
        chain().invoke(QUESTION, config={"callbacks": [handler], **CONFIG})
        assert whole(only_run(handler)) == {
            "chunks": "withheld-1 withheld-2",
            "texts": {"withheld-1": "", "withheld-2": ""},
            "stages": ["1 retrieve None: withheld-1 withheld-2"],
            "context": "withheld-1 withheld-2",
            "context_source": "prompt",
            "citations": {"rule": "prompt"},
            "usage": "1 None>None",
            "answer_usage": "1 None>None",
            "flags": ("withheld",),
        }
        assert {result.value for result in handler.last.evaluation.results} == {None}
        assert handler.last.evaluation.findings == ()
        assert handler.stats()["redaction_failed"] == 1
    assert len(caught) == 1
    caught.clear()
    assert json.loads(log.read_text())
    assert MAIL not in log.read_text() + caplog.text


def test_a_citation_that_a_redaction_cuts_through_loses_its_place() -> None:
    def cuts(text: str) -> str:
        return text.replace("answered by Ada", "[cut]")

    def say_cut(_: Any) -> AIMessage:
        return AIMessage(
            content="Mail is answered by Ada.",
            additional_kwargs={"citations": [{"start_index": 0, "end_index": 16, "title": "a.txt"}]},
        )

    with RagEvalCallbackHandler(redact=cuts) as handler:
        rag(FakeChat(say=say_cut)).invoke("Who?", config={"callbacks": [handler]})
        run = only_run(handler)
        assert run.answer == "Mail is [cut]."
        (one,) = run.citations.provided
        assert (one.start, one.end, one.title) == (None, None, "a.txt")


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(ConfigError, match="redact: expected a function"):
        RagEvalCallbackHandler(redact="mail")
