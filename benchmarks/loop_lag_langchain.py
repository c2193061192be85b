"""How late an event loop that serves LangChain questions becomes, without a handler, with ours, and with others.

Run: python benchmarks/loop_lag_langchain.py [--rounds 3] [--seconds 4] [--at-once 4]

A timer of 1 ms runs beside questions whose model takes 20 ms; printed is how much too late it was. Meanwhile records
are evaluated, and written by a slow sink. `default` evaluates after 2 s without a pause of the host, `never idle` at
once, both with at most a tenth of a core. Variants take turns; `bare again` is the noise.
"""

from typing import Any

from interleaved.loop_lag import main, served
from interleaved.variants import QUESTION, Variant
from overhead_langchain import NoOp, fake_chain, others, ours

waiting = fake_chain(seconds=0.02)


async def ask(config: Any) -> None:
    await waiting.ainvoke(QUESTION, config=config)


def variants() -> list[Variant]:
    no_op = Variant("no-op", {"callbacks": [NoOp()]})
    return [Variant("bare"), Variant("bare again"), no_op, *served(ours), *others()]


if __name__ == "__main__":
    main(__doc__, ask, variants)
