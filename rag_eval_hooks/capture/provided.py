"""Which citations the provider gave with the answer, and where in the answer they are."""

from rag_eval_hooks.capture.trace import Reply, Step
from rag_eval_hooks.errors import InputError
from rag_eval_hooks.record.provided import MAX_PROVIDED, listed_citations, moved
from rag_eval_hooks.record.read import message_citations
from rag_eval_hooks.record.run import ProvidedCitation

__all__ = ["provided_by"]


def provided_by(call: Step | None, said: str, answer: str | None) -> tuple[ProvidedCitation, ...]:
    """Returns the citations of the answering call's reply, with places that count in the answer.

    Args:
        call: The call that wrote the answer.
        said: Its text, in which the provider's places count.
        answer: What the user got. Where the text is only part of it, the places move along; where it is not in it,
            they cannot be known, and only numbered sources are kept.
    """
    reply = call.output if call is not None else None
    if not isinstance(reply, Reply) or not answer:
        return ()
    try:
        found = (*message_citations(reply.content), *listed_citations(reply.citations))[:MAX_PROVIDED]
    except InputError:  # content of a shape that has no text, either
        return ()
    if not found:
        return ()
    shift = answer.find(said.strip()) if said.strip() else -1
    if shift < 0:
        return tuple(one for one in found if one.label is not None)
    shift -= len(said) - len(said.lstrip())
    if shift == 0 and len(said.strip()) == len(answer.strip()):
        return found
    return tuple(moved(one, shift, len(said)) for one in found)
