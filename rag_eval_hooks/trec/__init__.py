"""TREC files: qrels and runs of any size, read query by query, scored as trec_eval does, and written."""

from rag_eval_hooks.trec.files import TrecFile
from rag_eval_hooks.trec.pairs import JudgedList, Order, judged_lists
from rag_eval_hooks.trec.scores import DEFAULT_MEASURES, QueryScores, Tally, score_lists, trec_metrics
from rag_eval_hooks.trec.write import Written, to_trec, trec_id

__all__ = [
    "DEFAULT_MEASURES",
    "JudgedList",
    "Order",
    "QueryScores",
    "Tally",
    "TrecFile",
    "Written",
    "judged_lists",
    "score_lists",
    "to_trec",
    "trec_id",
    "trec_metrics",
]
