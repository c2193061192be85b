"""How late an event loop that serves LlamaIndex questions becomes, without a handler, with ours, and with others.

Run: python benchmarks/loop_lag_llamaindex.py [--rounds 3] [--seconds 4] [--at-once 4]

The same as `loop_lag_langchain.py` with a query engine that puts all nodes into one prompt (`simple_summarize`).
"""

from typing import Any

from interleaved.loop_lag import main, served
from interleaved.variants import QUESTION, Variant
from overhead_llamaindex import fake_engine, no_op, others, ours

waiting = fake_engine(seconds=0.02, response_mode="simple_summarize")


async def ask(_: Any) -> None:
    await waiting.aquery(QUESTION)


def variants() -> list[Variant]:
    return [Variant("bare"), Variant("bare again"), no_op(), *served(ours), *others()]


if __name__ == "__main__":
    main(__doc__, ask, variants)
