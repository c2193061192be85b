"""The end of a run's story: what failed first, what follows from it, what stands on its own, what is only a hint."""

from collections.abc import Iterable, Iterator, Sequence

from rag_eval_hooks.diagnosis import FIRST_CAUSE_FROM
from rag_eval_hooks.diagnosis.rules import GOOD
from rag_eval_hooks.record import Evaluation, Finding
from rag_eval_hooks.reports.sentences import NOUNS, Paragraph, Quote, Sentence, Tone, joined, on_one_line, refs
from rag_eval_hooks.reports.words import ADVICE, STAGES, as_probability, finding_text, finding_title, finding_words

__all__ = ["blame"]

LONGEST_WHY = 1_000


def blame(evaluation: Evaluation) -> Iterator[Paragraph]:
    """Yields what the findings of an evaluation say, from the first cause to the mere hints; some may be empty."""
    findings = evaluation.findings
    first = next((finding for finding in findings if finding.first_cause), None)
    follow = [one for one in findings if one.explained_by is not None and one is not first]
    rest = [one for one in findings if one.explained_by is None and one is not first]
    sure = [one for one in rest if one.confidence >= FIRST_CAUSE_FROM]
    hints = [one for one in rest if one.confidence < FIRST_CAUSE_FROM]
    faults = [one for one in sure if one.kind not in GOOD]
    if first is not None:
        yield _paragraph("cause", "What failed first", [_told(first)], tone="cause")
    elif faults:
        yield _paragraph("cause", "What failed first", [[("The evaluation does not mark what came first.",)]])
    else:
        yield _nothing(sure, hints, evaluation)
    yield _paragraph("follows", "What follows from it", [[_follows(one, first)] for one in follow])
    alone = sure if first is not None or faults else []
    yield _paragraph(
        "alone", "What stands on its own" if first is not None else "What was found", [_told(one) for one in alone]
    )
    yield _paragraph("hints", "Only hints", [_told(one) for one in hints])


def _paragraph(key: str, heading: str, groups: Iterable[Sequence[Sentence]], tone: Tone = "plain") -> Paragraph:
    return Paragraph(key, heading, tuple(one for group in groups for one in group), tone)


def _nothing(good: Sequence[Finding], hints: Sequence[Finding], evaluation: Evaluation) -> Paragraph:
    """There is no first cause: nothing was found, or nothing that is sure enough."""
    if good:
        said = [one for finding in good for one in _told(finding)]
        return Paragraph("cause", "Nothing failed", tuple(said), tone="good")
    if hints:
        return Paragraph("cause", "What failed first", (("Nothing is sure enough to be called a first cause.",),))
    if evaluation.status not in ("ok", "partial"):
        sentence = "That the run did not finish is all that is known: no finding names a cause."
        return Paragraph("cause", "What failed first", ((sentence,),))
    if evaluation.answer_kind == "empty":
        sentence = "There is no answer, and no finding says why: look at what the model was given and returned."
        return Paragraph("cause", "What failed first", ((sentence,),))
    if evaluation.answer_kind == "refusal":
        sentence = "Nothing wrong was found before the answer; whether it had to decline is not known."
        return Paragraph("cause", "What failed first", ((sentence,),))
    return Paragraph("cause", "Nothing failed", (("Nothing wrong was found.",),), tone="good")


def _told(finding: Finding) -> list[Sentence]:
    """A finding with its stage, its evidence and what to do next."""
    title, says = finding_words(finding.kind)
    why = on_one_line(finding_text(finding), LONGEST_WHY).removesuffix(".") or says.removesuffix(".")
    advice = ADVICE[finding.kind]
    return [
        (f"{title} ({STAGES[finding.stage].lower()}; ", *_about(finding), "): ", Quote(why), "."),
        (f"What to do: {advice[0].lower()}{advice[1:]}",),
    ]


def _follows(finding: Finding, first: Finding | None) -> Sentence:
    by = finding.explained_by or ""
    cause = "it" if first is not None and by == first.kind else f'"{finding_title(by)}"'
    return (f"{finding_words(finding.kind)[0]} follows from {cause} (", *_about(finding), ").")


def _about(finding: Finding) -> Sentence:
    """The claims, citations and chunks that a finding names, and how sure it is."""
    named = [refs(what, numbers) for what, numbers in finding.refs.items() if what in NOUNS and numbers]
    sure: Sentence = (f"confidence {as_probability(finding.confidence)}",)
    return joined([*named, sure], last="; ", between="; ")
