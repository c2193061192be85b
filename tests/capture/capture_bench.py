"""A collector on a clock that stands still, for the tests of which run belongs to which record."""

from typing import Any

from rag_eval_hooks.capture import Collector, Items, Limits, Message, assemble
from rag_eval_hooks.record import RagRun

__all__ = ["DOCS", "PROMPT", "Bench"]

DOCS = Items([("d1", "First text.", {}, None), ("d2", "Second text.", {}, 0.5)])
PROMPT = (Message("user", "First text. Second text. Q?"),)


class Bench:
    """A collector on a clock that stands still, and the records it delivered."""

    def __init__(self, **limits: Any) -> None:
        self.now = 0.0
        self._delivered: list[RagRun] = []
        self.collector = Collector(
            lambda trace: self._delivered.append(assemble(trace)),
            captured_by="test",
            limits=Limits(**limits),
            clock=lambda: self.now,
            wall=lambda: 1_000.0 + self.now,
        )

    @property
    def delivered(self) -> list[RagRun]:
        self.collector.drain()
        return self._delivered

    def start(self, run: str, parent: str | None = None, kind: Any = "chain", value: Any = "Q?", **more: Any) -> None:
        self.now += 0.001
        self.collector.start(run, parent, kind, kind.title(), value, **more)

    def end(self, run: str, value: Any = None, **more: Any) -> None:
        self.now += 0.001
        self.collector.end(run, value, **more)

    def fail(self, run: str, error: BaseException, **more: Any) -> None:
        self.now += 0.001
        self.collector.fail(run, error, **more)

    def later(self, seconds: float) -> None:
        self.now += seconds
        self.collector.sweep()

    def only(self) -> RagRun:
        (run,) = self.delivered
        assert (self.collector.open_ids, self.collector.open_records) == (0, 0)
        return run
