"""A chat with memory: each message is a question, whose record is made when its answer has been streamed to the end.

The chat engine has its model rewrite a follow-up before it searches. The record keeps both: what the user said is the
question, what was searched for is the query of the search.
"""

from llama_index.core import VectorStoreIndex
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import TextNode
from offline import Scripted, WordEmbedding

from rag_eval_hooks_llamaindex import attach

nodes = [
    TextNode(id_="hours", text="The museum opens at 10 in the morning and closes at 6. It is closed on Mondays."),
    TextNode(id_="prices", text="A ticket to the museum costs 12 euros, and 8 euros for students."),
]
index = VectorStoreIndex(nodes, embed_model=WordEmbedding(words=["open", "close", "ticket", "cost", "student"]))
model = Scripted(
    script=[
        "The museum opens at 10 in the morning.",
        "What does a ticket to the museum cost for students?",  # the follow-up, rewritten
        "A ticket costs 9 euros for students.",  # wrong
    ]
)
chat = index.as_chat_engine(
    chat_mode="condense_plus_context", llm=model, similarity_top_k=1, memory=ChatMemoryBuffer.from_defaults(llm=model)
)

with attach(engine=chat) as attachment:  # this chat alone, whatever else runs in the process
    print(chat.chat("When does the museum open?"))
    for word in chat.stream_chat("And what does it cost for students?").response_gen:
        print(word, end="", flush=True)
    print()
    records = attachment.records

for record in records:
    run, evaluation = record.run, record.evaluation
    print(f"\n{run.status}: {run.question}")
    for stage in run.stages:
        print(f"  searched for: {stage.query}")
        print(f"  found: {', '.join(run.chunks[item.chunk].id for item in stage.items)}")
    if run.time_to_first_token_ms is not None:
        print(f"  first token after {run.time_to_first_token_ms:.1f} ms")
    print(f"  model calls: {run.usage.model_calls}")
    for claim in evaluation.claims:
        print(f"  {claim.verdict}: {claim.text}")
