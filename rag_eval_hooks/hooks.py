"""`Hooks`: the live path from a framework's events to sinks. Stands above all stages; adapters feed it."""

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from rag_eval_hooks._give_way import give_way
from rag_eval_hooks._options import MAX_K, check_seconds, check_share, check_whole, checked_metrics, checked_sinks
from rag_eval_hooks.attribution import Attributor
from rag_eval_hooks.attribution.attributor import INCOMPLETE
from rag_eval_hooks.capture import Collector, Limits, Trace, Worker, assemble, guarded_work
from rag_eval_hooks.capture.guard import caught_counts
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.metrics import Metric
from rag_eval_hooks.pipeline import evaluate
from rag_eval_hooks.record import Evaluation, Gold, ItemKeys, RagRun
from rag_eval_hooks.record.redact import Redact, redacted, withheld

__all__ = ["Captured", "Hooks", "RunSink"]

_all: "weakref.WeakSet[Hooks]" = weakref.WeakSet()


class RunSink(Protocol):
    """Where finished records go; `rag_eval_hooks.sinks.Sink` is the base class of ours."""

    def write(self, run: RagRun, evaluation: Evaluation) -> None:
        """Takes one record; may block and may raise: it is called on the worker's thread."""

    def flush(self) -> None:
        """Returns when what was written is safe."""

    def close(self) -> None:
        """Lets go of files and connections."""


@dataclass(frozen=True, slots=True)
class Captured:
    """One finished question."""

    run: RagRun
    """What happened."""
    evaluation: Evaluation
    """What we concluded."""

    def show(self) -> None:
        """Prints the answer sentence by sentence, the chunks, the citations and the measures on standard output."""
        from rich.console import Console  # only who looks at a run needs rich

        from rag_eval_hooks.reports.terminal import print_run

        print_run(Console(), self.run, self.evaluation)


class Hooks:
    """Turns finished questions into evaluated records and hands them to sinks, on one background thread.

    Nothing here blocks or raises into the host: a sink that fails is counted and does not stop the others; a full
    queue drops the newest record and counts it. All methods may be called from any thread. Share one object among
    all handlers of a process; it may be created before a fork.

    Nobody waits for an evaluation (about 5 ms of CPU for ten chunks of 1 kB), so it takes second place: it pauses for a
    moment about every millisecond, and `linger_s`, `patience_s` and `share` say how far else. `flush`, `settle` and
    `close` suspend all of it.

    Args:
        sinks: Where each record goes, in this order; one sink alone is taken as a list of one.
        metrics: The measures to compute, as values or names (`"P@5"`); by default those of
            `rag_eval_hooks.metrics.default_metrics`.
        k: Cut-off for measures that take one.
        gold: Returns the labels of a run, or None; called on the worker's thread.
        attributor: What attribution goes by; see `rag_eval_hooks.Attributor`. A rolling background in it is shown each
            run's chunks after their evaluation.
        redact: Returns a text without what must not be stored; called for every text of each record, on the worker's
            thread, before the record is labelled, evaluated, kept or handed to any sink, so that results agree with
            what is stored. If it raises, all texts of the record are left out, and its flags say `withheld`.
        item_keys: Which metadata keys hold an item's id, score, document and page, beside the usual ones.
        resume_s: Seconds that an interrupted question (LangGraph's `interrupt()`) waits for the run that goes on with
            it in the same thread (`configurable.thread_id`), so that both are one record; by default two are made.
        keep: Newest records to keep in memory for `records` and `last`; 0 keeps none.
        max_open: Questions that may be open at once; one more evicts the oldest.
        ttl_s: Seconds without any event after which an unfinished question is recorded as `timeout`.
        grace_s: Seconds to wait, after a question's root run ended, for work below it that is still open.
        queue_items: Finished questions that may wait for evaluation.
        queue_bytes: Estimated bytes that may wait for evaluation.
        patience_s: Seconds that a finished question waits at most for a moment in which the host does nothing (it
            waits for a model, or for the next question); only then is it evaluated while the host is at work.
        share: Largest share of one core that evaluation takes while the host is at work, in (0, 1]. A call of the host
            that meets an evaluation may wait for it, some milliseconds: a smaller share makes that rarer. What is
            asked faster than the share allows, without any pause, fills the queue (`queue_full`).
        linger_s: Seconds in which finished questions are left alone, to be put together in one go.

    Raises:
        ConfigError: If an argument is out of range.
    """

    def __init__(
        self,
        sinks: RunSink | Iterable[RunSink] = (),
        *,
        metrics: Sequence[Metric | str] | None = None,
        k: int | None = None,
        gold: Callable[[RagRun], Gold | None] | None = None,
        attributor: Attributor | None = None,
        redact: Redact | None = None,
        item_keys: ItemKeys | None = None,
        resume_s: float | None = None,
        keep: int = 1_000,
        max_open: int = 1_000,
        ttl_s: float = 300.0,
        grace_s: float = 5.0,
        queue_items: int = 2_000,
        queue_bytes: int = 64_000_000,
        patience_s: float = 2.0,
        share: float = 0.1,
        linger_s: float = 0.05,
    ) -> None:
        check_whole("keep", keep, at_least=0)
        check_whole("max_open", max_open, at_least=1)
        check_whole("queue_items", queue_items, at_least=1)
        check_whole("queue_bytes", queue_bytes, at_least=1)
        check_seconds("ttl_s", ttl_s)
        check_seconds("grace_s", grace_s)
        check_seconds("linger_s", linger_s)
        check_seconds("patience_s", patience_s)
        check_share("share", share)
        if k is not None:
            check_whole("k", k, at_least=1, at_most=MAX_K)
        if gold is not None and not callable(gold):
            raise ConfigError(f"gold: expected a function that takes a RagRun and returns a Gold or None, got {gold!r}")
        if attributor is not None and not isinstance(attributor, Attributor):
            raise ConfigError(f"attributor: expected an Attributor, got {attributor!r}")
        if redact is not None and not callable(redact):
            raise ConfigError(f"redact: expected a function that takes a text and returns a text, got {redact!r}")
        if item_keys is not None and not isinstance(item_keys, ItemKeys):
            raise ConfigError(f'item_keys: expected ItemKeys, as in ItemKeys(source="my_file"), got {item_keys!r}')
        if resume_s is not None:
            check_seconds("resume_s", resume_s)
        self._redact = redact
        self._item_keys = item_keys or ItemKeys()
        self.sinks: tuple[RunSink, ...] = checked_sinks(sinks)
        self._metrics = None if metrics is None else checked_metrics(metrics)
        self._k = k
        self._gold = gold
        self._attributor = attributor
        self._limits = Limits(max_open=max_open, ttl_s=ttl_s, grace_s=grace_s, resume_s=resume_s)
        self._keep = keep
        self._collectors: dict[str, Collector] = {}
        self._worker = Worker(
            tick=self._tick,
            at_exit=self.close,
            max_items=queue_items,
            max_bytes=queue_bytes,
            activity=self._activity,
            patience_s=patience_s,
            share=share,
            linger_s=linger_s,
        )
        self._reset()
        _all.add(self)

    def _reset(self) -> None:
        self._lock = threading.RLock()
        self._kept: deque[Captured] = deque(maxlen=self._keep)
        self._counts = dict.fromkeys(
            (
                "evaluated",
                "failed_record",
                "failed_evaluation",
                "gold_error",
                "model_incomplete",
                "redaction_failed",
                "sink_error",
                "written",
            ),
            0,
        )

    # For adapters ------------------------------------------------------------------------------------------------

    def collector(self, captured_by: str, id_text: Callable[[Any], str] = str) -> Collector:
        """Returns the collector of one framework, which an adapter feeds with events.

        Args:
            captured_by: Framework and version, e.g. `langchain 1.8.3`; the same text returns the same collector.
            id_text: Makes the text of a run id, where the adapter uses something quicker to compare.
        """
        with self._lock:
            collector = self._collectors.get(captured_by)
            if collector is None:
                collector = self._collectors[captured_by] = Collector(
                    _deliver_to(weakref.ref(self)),
                    captured_by=captured_by,
                    limits=self._limits,
                    id_text=id_text,
                    wake=self._worker.nudge,
                )
            return collector

    def _drain(self) -> None:
        for collector in list(self._collectors.values()):
            collector.drain()

    def _activity(self) -> tuple[object, ...]:
        return tuple([collector.activity for collector in list(self._collectors.values())])

    def _tick(self) -> bool:
        waiting = False
        for collector in list(self._collectors.values()):
            collector.sweep()
            waiting = waiting or collector.open_records > 0
        return waiting

    # On the worker's thread --------------------------------------------------------------------------------------

    def _process(self, trace: Trace) -> None:
        outcome = "failed_record"
        try:
            outcome = self._outcome_of(trace)
        finally:  # counted last: until then it is under way
            self._count(outcome)

    def _outcome_of(self, trace: Trace) -> str:
        """Evaluates a finished question and hands it to the sinks; returns the word under which it is counted."""
        run: RagRun | None = None
        with guarded_work("hooks.record"):
            run = assemble(trace, self._item_keys)
            give_way()
        if run is None:
            return "failed_record"
        run = self._labelled(self._redacted(run))
        evaluation: Evaluation | None = None
        with guarded_work("hooks.evaluate"):
            evaluation = evaluate(run, self._metrics, self._attributor)
        if evaluation is None:
            return "failed_evaluation"
        if INCOMPLETE in evaluation.made_by.attributor:
            self._count("model_incomplete")
        if self._attributor is not None:
            with guarded_work("hooks.observe"):
                self._attributor.observe(run)
        with self._lock:
            self._kept.append(Captured(run, evaluation))
        for sink in self.sinks:
            done = False
            with guarded_work("hooks.sink"):
                sink.write(run, evaluation)
                done = True
            self._count("written" if done else "sink_error")
        return "evaluated"

    def _redacted(self, run: RagRun) -> RagRun:
        if self._redact is None:
            return run
        with guarded_work("hooks.redact"):
            return redacted(run, self._redact)
        self._count("redaction_failed")
        return withheld(run)

    def _labelled(self, run: RagRun) -> RagRun:
        if self._gold is None:
            return run if self._k is None else run.model_copy(update={"k": self._k})
        gold: Gold | None = None
        done = False
        with guarded_work("hooks.gold"):
            gold = self._gold(run)
            if gold is not None and not isinstance(gold, Gold):
                raise ConfigError(f"gold: expected a Gold or None, got {type(gold).__name__}")
            done = True
        if not done:
            self._count("gold_error")
            gold = None
        return run.model_copy(update={"k": self._k, "gold": gold})

    def _count(self, word: str) -> None:
        with self._lock:
            self._counts[word] += 1

    def _flush_sinks(self) -> None:
        self._each_sink("flush")

    def _close_sinks(self) -> None:
        self._each_sink("close")

    def _each_sink(self, method: str) -> None:
        for sink in self.sinks:
            done = False
            with guarded_work(f"hooks.sink.{method}"):
                getattr(sink, method)()
                done = True
            if not done:
                self._count("sink_error")

    # For the user ------------------------------------------------------------------------------------------------

    @property
    def records(self) -> tuple[Captured, ...]:
        """The newest finished records, oldest first; does not wait for those under way."""
        with self._lock:
            return tuple(self._kept)

    @property
    def last(self) -> Captured | None:
        """The newest finished record; None if there is none yet. Does not wait."""
        with self._lock:
            return self._kept[-1] if self._kept else None

    def settle(self, timeout: float) -> int:
        """Waits until the questions finished so far are evaluated and written; sinks are not flushed.

        A question whose root run has ended counts as finished, even if work below it is still open (a stream that was
        left early, a cancelled task): who waits does not wait for the grace time too.

        Returns:
            Records that are still waiting.
        """
        for collector in list(self._collectors.values()):
            collector.sweep(orphans=True)
        return self._worker.flush(timeout)

    def flush(self, timeout: float = 5.0) -> int:
        """Waits until the questions finished so far are evaluated, written, and flushed by the sinks.

        Questions that still run, or wait for work below them, are not cut short.

        Args:
            timeout: Seconds to wait at most.

        Returns:
            Records that are still waiting; 0 if all is done.
        """
        self._drain()
        return self._worker.flush(timeout, self._flush_sinks if self.sinks else None)

    def close(self, timeout: float = 5.0) -> int:
        """Records open questions as they stand, finishes what is queued, closes the sinks, and ends the thread.

        Later events are counted as `closed`. Also called when the process ends. A second call only waits.

        Args:
            timeout: Seconds to wait at most.

        Returns:
            Records that were not written in time.
        """
        for collector in list(self._collectors.values()):
            collector.close_all()
        return self._worker.close(timeout, self._close_sinks if self.sinks else None)

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called; what is asked from then on is counted as `closed`."""
        return self._worker.is_closed

    def stats(self) -> dict[str, int]:
        """Returns what happened to every question, by word; the sums hold at any moment, also while questions run.

        `opened` == `open` + `discarded` + `submitted`, and `submitted` == `queued` + `queue_full` + `closed` +
        `evaluated` + `failed_record` + `failed_evaluation`. Of all these, `evicted` and `timeout` did not end by
        themselves; `late` events came after their record. `written` and `sink_error` count per sink.
        `model_incomplete` counts evaluations in which the support model left a claim it was to judge without an answer.
        `redaction_failed` counts records whose texts were withheld. `suppressed` counts runs that were not captured on
        purpose, `resumed` runs that went on with an interrupted question.
        `malformed_item` counts what a search returned that was no whole document; it keeps its rank. `too_many_steps`
        counts runs left out of a record that had 5,000 of them, `gold_error` records whose labels could not be had.
        `caught_in_process` is the number of exceptions that the host never saw, of all hooks of the process together.
        """
        self._drain()
        # Read from the end to the beginning of a question's way: what moves on meanwhile is then still to come.
        with self._lock:
            total = dict(self._counts)
        refused = self._worker.stats()
        for collector in list(self._collectors.values()):
            for word, number in collector.stats().items():
                total[word] = total.get(word, 0) + number
        total |= {
            "submitted": total.pop("finished", 0),
            "queue_full": refused["queue_full"],
            "closed": refused["closed"],
        }
        through = ("queue_full", "closed", "evaluated", "failed_record", "failed_evaluation")
        total["queued"] = total["submitted"] - sum(total[word] for word in through)
        total["caught_in_process"] = sum(caught_counts().values())
        return total

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _deliver_to(reference: "weakref.ref[Hooks]") -> Callable[[Trace], None]:
    """Makes what a collector calls with finished traces; weak, so that a forgotten `Hooks` goes at once."""

    def deliver(trace: Trace) -> None:
        hooks = reference()
        if hooks is not None:
            hooks._worker.submit(hooks._process, trace, trace.size)

    return deliver


def _after_fork() -> None:
    """A child process starts with no records of its parent's and with a lock that nobody holds."""
    for hooks in list(_all):
        hooks._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
