"""Citations that providers give in messages are in the record, whatever block or field they stand in."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import RunnableSequence
from langchain_fakes import FakeChat, rag

from rag_eval_hooks_langchain import RagEvalCallbackHandler

TEXT = "It passes Basel."
ANTHROPIC = {"type": "char_location", "cited_text": "Basel", "document_index": 0, "document_title": "a.txt"}
OPENAI = {"type": "file_citation", "file_id": "file-1", "filename": "a.txt", "index": 3}
NATIVE = {"type": "citation", "title": "a.txt", "cited_text": "Basel", "start_index": 3, "end_index": 15}


def provided(message: AIMessage, **config: Any) -> list[tuple[int | None, int | None, str | None]]:
    # Without its parser, which before langchain-core 1.0 gives the reader only the first block.
    chain = RunnableSequence(*rag(FakeChat(say=lambda _: message)).steps[:-1])
    with RagEvalCallbackHandler() as handler:
        chain.invoke("Q?", config={"callbacks": [handler], **config})
        assert handler.last is not None
        return [(one.start, one.end, one.title) for one in handler.last.run.citations.provided]


@pytest.mark.parametrize("metadata", [{}, {"model_provider": "anthropic"}, {"model_provider": "openai"}])
@pytest.mark.parametrize(
    ("block", "place"),
    [
        pytest.param({"citations": [ANTHROPIC]}, (7, 23), id="Anthropic"),
        pytest.param({"annotations": [OPENAI]}, (7, 23), id="OpenAI"),
        pytest.param({"annotations": [NATIVE]}, (10, 22), id="LangChain"),
    ],
)
def test_blocks(block: dict[str, Any], place: tuple[int, int], metadata: dict[str, str]) -> None:
    """Places in a block become places in the answer; a block without places is meant as a whole."""
    message = AIMessage(
        content=[{"type": "text", "text": "Where? "}, {"type": "text", "text": TEXT, **block}],
        response_metadata=metadata,
    )
    assert provided(message) == [(*place, "a.txt")]


def test_beside_the_content() -> None:
    message = AIMessage(content=TEXT, additional_kwargs={"citations": [{"start": 3, "end": 15, "document_ids": ["a"]}]})
    assert provided(message) == [(3, 15, None)]


@pytest.mark.parametrize("junk", [None, "x", 7, [None, 3], {"a": 1}, [{"start": "x", "end": object()}]])
def test_junk_is_no_error(junk: Any) -> None:
    message = AIMessage(
        content=[{"type": "text", "text": TEXT, "citations": junk}], additional_kwargs={"citations": junk}
    )
    assert all(title is None for _, _, title in provided(message))


class Streaming(FakeChat):
    """Streams a block, and its citation in a last chunk of its own."""

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        for block in ({"text": "It passes"}, {"text": " Basel."}, {"text": "", "citations": [ANTHROPIC]}):
            message = AIMessageChunk(content=[{"type": "text", "index": 0, **block}])
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                run_manager.on_llm_new_token("", chunk=chunk)
            yield chunk


def test_streamed_blocks() -> None:
    with RagEvalCallbackHandler() as handler:
        list(rag(Streaming()).stream("Q?", config={"callbacks": [handler]}))
        assert handler.last is not None
        assert [(one.start, one.end) for one in handler.last.run.citations.provided] == [(0, 16)]
        (citation,) = handler.last.evaluation.citations
        assert (citation.origin, citation.target, citation.marker) == ("provider", "a", "")
        assert handler.last.evaluation.numbering is not None
        assert (handler.last.evaluation.numbering.base, handler.last.evaluation.numbering.rule) == (1, "prompt")
