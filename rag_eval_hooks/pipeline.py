"""The stages in order: attribution, metrics, diagnosis. Read this first."""

from collections.abc import Sequence
from functools import cache

from rag_eval_hooks._give_way import give_way
from rag_eval_hooks.attribution import ATTRIBUTOR, ATTRIBUTOR_VERSION, Attributor, attribute
from rag_eval_hooks.diagnosis import diagnose
from rag_eval_hooks.metrics import Metric, default_metrics, measure
from rag_eval_hooks.record import Evaluation, MadeBy, RagRun
from rag_eval_hooks.record.evaluation import Numbering

__all__ = ["evaluate", "package_version"]


def evaluate(run: RagRun, metrics: Sequence[Metric] | None = None, attributor: Attributor | None = None) -> Evaluation:
    """Returns what can be concluded about one run without calling a model, unless the attributor brings one.

    Pure and deterministic: no I/O, no clock, no randomness; the run is not changed. Safe to call from any thread.
    A support model is asked about uncertain claims only; its failure leaves them as they are.

    Args:
        run: The record of one question.
        metrics: The measures to compute; by default `default_metrics(run.k)`.
        attributor: What attribution goes by: a background of term frequencies, a calibration, a support model.

    Returns:
        The evaluation. A measure that fails is in it as `failed:<Type>`; it does not stop the others.
    """
    chosen = default_metrics(run.k) if metrics is None else tuple(metrics)
    attributor = attributor or Attributor()
    attribution = attribute(run, attributor)
    name, version = attributor.stamp(ATTRIBUTOR, ATTRIBUTOR_VERSION, attribution.unanswered)
    give_way()
    results = measure(run, attribution, chosen)
    give_way()
    findings = diagnose(run, attribution, attributor)
    return Evaluation(
        run_id=run.run_id,
        status=run.status,
        question=run.question,
        answer=run.judged_answer if run.answer is not None or run.llm_text is not None else None,
        answer_kind=attribution.answer_kind,
        chunks=attribution.chunks,
        claims=attribution.claims,
        citations=attribution.citations,
        numbering=Numbering(base=run.citations.base, rule=run.citations.rule, labels=run.citations.labels),
        results=results,
        findings=findings,
        limits=attribution.limits,
        made_by=MadeBy(
            package=f"rag-eval-hooks {package_version()}",
            attributor=name,
            attributor_version=version,
            metrics={str(metric): metric.version for metric in chosen},
        ),
    )


@cache
def package_version() -> str:
    """Returns the installed version of this distribution, or `unknown` in a bare source tree."""
    from importlib import metadata  # not needed to import this package

    try:
        return metadata.version("rag-eval-hooks")
    except metadata.PackageNotFoundError:
        return "unknown"
