"""Which stage is to blame: a table of rules over the record, its labels and its attribution; read `rules.py` first."""

from rag_eval_hooks.attribution import Attributor
from rag_eval_hooks.diagnosis.rules import FIRST_CAUSE_FROM, GOOD, RULES
from rag_eval_hooks.diagnosis.situation import Situation
from rag_eval_hooks.record import Attribution, Finding, RagRun
from rag_eval_hooks.record.evaluation import FindingKind

__all__ = ["FIRST_CAUSE_FROM", "diagnose"]


def diagnose(run: RagRun, attribution: Attribution, attributor: Attributor | None = None) -> tuple[Finding, ...]:
    """Returns what went wrong and where: the first cause first, the rest most certain first.

    At most one finding of each kind, with all claims, citations and ranks it is about. The first cause is the first of
    the table of rules that holds with a confidence of at least 0.5; `explained_by` names, for a later finding that
    follows from another, the first that explains it. Retrieval is judged however the run ended; the answer and its
    citations only when the answer is whole (`RagRun.answer_is_whole`). What labels alone can tell is not said without
    them; people's go first, and a judge's make a finding less certain.

    Pure: no I/O, and no argument is changed.

    Args:
        run: The record of one question.
        attribution: What the answer owes to its context.
        attributor: What that was found with: whether the evidence alone would do is asked of the same.
    """
    seen = Situation(run, attribution, attributor)
    held = [(rule, found) for rule in RULES if (found := rule.holds(seen)) is not None]
    sure = [rule for rule, found in held if found.confidence >= FIRST_CAUSE_FROM]
    first = next((rule.kind for rule in sure if rule.kind not in GOOD), None)
    explained: dict[FindingKind, FindingKind] = {}
    for rule in sure:
        for kind in rule.explains:
            explained.setdefault(kind, rule.kind)
    findings = [
        Finding(
            kind=rule.kind,
            stage=rule.stage,
            confidence=found.confidence,
            why=found.why,
            refs=found.refs(),
            first_cause=rule.kind == first,
            explained_by=explained.get(rule.kind),
        )
        for rule, found in held
    ]
    return tuple(sorted(findings, key=lambda finding: (not finding.first_cause, -finding.confidence)))
