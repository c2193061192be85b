"""LlamaIndex's citation engine: does each `[n]` hold, and which node of yours does it come from?

The engine cuts what was found into smaller sources, gives them new ids and numbers, and asks the model to cite these.
The record links each source to the node that it was cut from.
"""

from llama_index.core import VectorStoreIndex
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.core.schema import TextNode
from offline import Scripted, WordEmbedding

from rag_eval_hooks_llamaindex import attach

nodes = [
    TextNode(
        id_="pot",
        text="The pot stands heat up to 230 degrees, with or without its handles.\n"
        "Its lid is made of glass and must not go into the oven at more than 180 degrees.",
    ),
    TextNode(id_="care", text="Clean the pot by hand with warm water, and never use steel wool on it."),
]
index = VectorStoreIndex(nodes, embed_model=WordEmbedding(words=["pot", "oven", "hot"]))

# The second mark is wrong: it is source 3 that says so. There is no source 4.
answer = "The pot stands heat up to 230 degrees [1]. Clean it by hand with warm water [2]. It lasts for decades [4]."
engine = CitationQueryEngine.from_args(
    index,
    llm=Scripted(script=[answer]),
    similarity_top_k=2,
    text_splitter=TokenTextSplitter(chunk_size=25, chunk_overlap=0, separator="\n"),
)

with attach() as attachment:
    engine.query("How hot may the pot get in the oven, and how is it cleaned?")
    run, evaluation = attachment.last.run, attachment.last.evaluation

origins = []
for number, item in enumerate(run.context, 1):
    source = run.chunks[item.chunk]
    origins.append(source.derived_from or source.id)
    print(f"source {number}, from {origins[-1]}: {source.text}")
for citation in evaluation.citations:
    node = "nothing" if citation.target_rank is None else origins[citation.target_rank - 1]
    print(f"{citation.marker} -> {node}: {'holds' if citation.supported else citation.problem}")
for finding in evaluation.findings:
    print(f"finding: {finding.kind}: {finding.why}")
