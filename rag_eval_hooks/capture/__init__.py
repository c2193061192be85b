"""From a framework's events to one record per question; knows no framework."""

from rag_eval_hooks.capture.assemble import assemble
from rag_eval_hooks.capture.collector import BOUNDARY_TAG, Collector
from rag_eval_hooks.capture.guard import FOR_THE_HOST, caught, guarded, guarded_work
from rag_eval_hooks.capture.open_records import UNSET, Limits
from rag_eval_hooks.capture.packing import find_in_prompt
from rag_eval_hooks.capture.question import ExplicitQuestion
from rag_eval_hooks.capture.scope import leave, suppress_capture
from rag_eval_hooks.capture.trace import Item, Items, Kind, Message, Opaque, Reply, Resume, Step, Trace
from rag_eval_hooks.capture.worker import Worker

__all__ = [
    "BOUNDARY_TAG",
    "FOR_THE_HOST",
    "UNSET",
    "Collector",
    "ExplicitQuestion",
    "Item",
    "Items",
    "Kind",
    "Limits",
    "Message",
    "Opaque",
    "Reply",
    "Resume",
    "Step",
    "Trace",
    "Worker",
    "assemble",
    "caught",
    "find_in_prompt",
    "guarded",
    "guarded_work",
    "leave",
    "suppress_capture",
]
