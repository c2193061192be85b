"""The demo's search and model as each framework's retriever and model: they hand on the same and change nothing."""

import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.schema import MetadataMode

from rag_eval_hooks.demo.answering import Extractive
from rag_eval_hooks.demo.corpus import build_corpus
from rag_eval_hooks.demo.pipelines import FRAMEWORKS, pipelines
from rag_eval_hooks.demo.search import Bm25Index
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks_langchain import demo as langchain_demo
from rag_eval_hooks_langchain.demo.chain import numbered
from rag_eval_hooks_llamaindex import demo as llamaindex_demo

INDEX = Bm25Index(build_corpus(), k=5)
QUESTION = "What does str.casefold() return?"
PROMPT = "[1] pydoc:dogs\nDogs sleep 9 hours every single night.\n\nQuestion: How many hours do dogs sleep?"
ANSWER = "Dogs sleep 9 hours every single night [1]."


def test_retrievers_return_copies_of_what_the_index_finds() -> None:
    found = [(chunk.id, chunk.text, score) for chunk, score in INDEX.search(QUESTION)]
    documents = langchain_demo.Bm25Retriever(index=INDEX).invoke(QUESTION)
    assert [(one.id, one.page_content, one.metadata["score"]) for one in documents] == found
    nodes = llamaindex_demo.Bm25Retriever(INDEX).retrieve(QUESTION)
    assert [(one.node_id, one.node.get_content(), one.score) for one in nodes] == found
    documents[0].metadata["topic"] = nodes[0].metadata["topic"] = "changed"
    assert INDEX.search(QUESTION)[0][0].metadata["topic"] == "string-methods"


def test_prompts_show_the_context_alike() -> None:
    nodes = llamaindex_demo.Bm25Retriever(INDEX).retrieve(QUESTION)
    shown = "\n\n".join(one.get_content(MetadataMode.LLM) for one in nodes)
    assert shown == numbered(langchain_demo.Bm25Retriever(index=INDEX).invoke(QUESTION))
    assert shown.startswith("[1] pydoc:string-methods\n")


def test_langchains_model_says_what_the_extractive_model_answers() -> None:
    """Whole and as a stream; the system message is not read."""
    model = langchain_demo.build_model()
    messages = [SystemMessage("Answer from the context."), HumanMessage(PROMPT)]
    assert Extractive().answer(PROMPT) == ANSWER
    assert model.invoke(messages).text == ANSWER
    words = [str(chunk.text) for chunk in model.stream(messages)]
    assert "".join(words) == ANSWER
    assert len([word for word in words if word]) == 8


@pytest.mark.parametrize("way", ["chat", "stream_chat", "complete", "stream_complete"])
def test_llamaindexs_model_says_the_same(way: str) -> None:
    """In all four ways that LlamaIndex calls a model."""
    model = llamaindex_demo.build_model()
    messages = [
        ChatMessage(role=MessageRole.SYSTEM, content="Answer from the context."),
        ChatMessage(role=MessageRole.USER, content=PROMPT),
    ]
    if way == "chat":
        assert model.chat(messages).message.content == ANSWER
    elif way == "stream_chat":
        parts = list(model.stream_chat(messages))
        assert [part.message.content for part in parts][-1] == ANSWER
        assert "".join(part.delta or "" for part in parts) == ANSWER
        assert len(parts) == 8
    elif way == "complete":
        assert model.complete(PROMPT).text == ANSWER
    else:
        assert [part.text for part in model.stream_complete(PROMPT)] == [ANSWER]


def test_models_by_name() -> None:
    for demo in (langchain_demo, llamaindex_demo):
        for name, careless in ((None, False), ("extractive", False), ("extractive-careless", True)):
            assert demo.build_model(name).extractive.careless is careless
        with pytest.raises(ConfigError, match="'gpt'; give extractive"):
            demo.build_model("gpt")


def test_pipelines_by_framework() -> None:
    """All that are installed, or those asked for."""
    assert list(pipelines()[0]) == list(pipelines("both")[0]) == list(FRAMEWORKS)
    for framework in FRAMEWORKS:
        found, missing = pipelines(framework)
        assert (list(found), missing) == ([framework], ())
    with pytest.raises(ConfigError, match="unknown framework 'haystack'; give langchain, llamaindex or both"):
        pipelines("haystack")
