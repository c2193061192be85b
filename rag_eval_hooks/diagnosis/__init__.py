"""Which stage is to blame: rules over the record, its labels and its attribution, one file a stage."""

from rag_eval_hooks.diagnosis.answer import answer_findings
from rag_eval_hooks.diagnosis.citation import citation_findings
from rag_eval_hooks.diagnosis.packing import packing_findings
from rag_eval_hooks.diagnosis.retrieval import retrieval_findings
from rag_eval_hooks.diagnosis.situation import Situation
from rag_eval_hooks.diagnosis.use import use_findings
from rag_eval_hooks.record import Attribution, Finding, RagRun

__all__ = ["diagnose"]

STAGES = (retrieval_findings, packing_findings, use_findings, answer_findings, citation_findings)


def diagnose(run: RagRun, attribution: Attribution) -> tuple[Finding, ...]:
    """Returns what went wrong and where, most certain first; equally certain ones in the order of the stages.

    At most one finding of each kind, with all claims, citations and ranks it is about. Retrieval is judged however the
    run ended; the answer and its citations only when the answer is whole (`RagRun.answer_is_whole`). What labels alone
    can tell is not said without them; people's go first, and a judge's make a finding less certain.
    `why` holds counts, ranks and indices, and no text of the run.

    Pure: no I/O, and neither argument is changed.
    """
    seen = Situation(run, attribution)
    found = [finding for stage in STAGES for finding in stage(seen)]
    return tuple(sorted(found, key=lambda finding: -finding.confidence))
