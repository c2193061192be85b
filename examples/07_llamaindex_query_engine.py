"""Attach the evaluation to LlamaIndex: one call of `attach()`, and nothing of the pipeline changes."""

from llama_index.core import VectorStoreIndex
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.schema import TextNode
from offline import Scripted, WordEmbedding

from rag_eval_hooks_llamaindex import attach

nodes = [
    TextNode(id_="returns", text="Goods can be returned within 30 days of delivery."),
    TextNode(id_="warranty", text="The warranty on kettles is 24 months from the date of purchase."),
    TextNode(id_="descaling", text="Kettles should be descaled every three months."),
    TextNode(id_="jobs", text="The branch in Cologne is looking for staff."),
]
index = VectorStoreIndex(nodes, embed_model=WordEmbedding(words=["warranty", "kettle", "long", "month", "return"]))

# A model that always says this: the first sentence is right, the second is not in the context.
model = Scripted(script=["The warranty on kettles is 24 months. Kettles are shipped from Hamburg."])
engine = index.as_query_engine(
    llm=model, similarity_top_k=3, node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=0.4)]
)

with attach() as attachment:  # from here on every question that LlamaIndex answers in this process
    print(engine.query("How long is the warranty on a kettle?"))

    run, evaluation = attachment.last.run, attachment.last.evaluation

print(f"\nquestion: {run.question}")
for stage in run.stages:
    print(f"{stage.kind} {stage.name}: {', '.join(run.chunks[item.chunk].id for item in stage.items)}")
print(f"in the prompt: {', '.join(run.chunks[item.chunk].id for item in run.context)}")
for chunk in evaluation.chunks:
    print(f"chunk {chunk.rank} {chunk.id}: {chunk.use}")
for claim in evaluation.claims:
    print(f"claim: {claim.verdict}: {claim.text}")
for finding in evaluation.findings:
    print(f"finding: {finding.kind}: {finding.why}")
for result in evaluation.results:
    if result.value is not None:
        print(f"{result.metric} {result.value:.3f}")
