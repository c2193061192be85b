"""From a framework's events to one record per question; imports no framework.

Words, as all files here use them: a *run* is what the framework reports the start and end of (a chain, model call,
retriever or tool), and a *step* is such a run when its question is over. The *root* is the run that opened the
question. A *trace* is what is kept of a question's runs until it is finished; the *record* (`RagRun`) is made from it.
"""

from rag_eval_hooks.capture.assemble import assemble
from rag_eval_hooks.capture.collector import Collector
from rag_eval_hooks.capture.guard import FOR_THE_HOST, caught, guarded, guarded_work
from rag_eval_hooks.capture.notes import BOUNDARY_TAG
from rag_eval_hooks.capture.open_records import UNSET, Limits
from rag_eval_hooks.capture.packing import find_in_prompt
from rag_eval_hooks.capture.question import ExplicitQuestion
from rag_eval_hooks.capture.scope import suppress_capture
from rag_eval_hooks.capture.trace import Delivered, Item, Items, Kind, Message, Opaque, Reply, Resume, Step, Trace
from rag_eval_hooks.capture.worker import Worker

__all__ = [
    "BOUNDARY_TAG",
    "FOR_THE_HOST",
    "UNSET",
    "Collector",
    "Delivered",
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
    "suppress_capture",
]
