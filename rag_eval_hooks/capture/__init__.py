"""From a framework's events to one record per question; knows no framework."""

from rag_eval_hooks.capture.assemble import assemble
from rag_eval_hooks.capture.collector import BOUNDARY_TAG, Collector
from rag_eval_hooks.capture.guard import guarded, guarded_work
from rag_eval_hooks.capture.open_records import UNSET, Limits
from rag_eval_hooks.capture.packing import find_in_prompt
from rag_eval_hooks.capture.trace import Item, Items, Kind, Message, Opaque, Reply, Step, Trace
from rag_eval_hooks.capture.worker import Worker

__all__ = [
    "BOUNDARY_TAG",
    "UNSET",
    "Collector",
    "Item",
    "Items",
    "Kind",
    "Limits",
    "Message",
    "Opaque",
    "Reply",
    "Step",
    "Trace",
    "Worker",
    "assemble",
    "find_in_prompt",
    "guarded",
    "guarded_work",
]
