"""What attribution left out of a run that is larger than its limits: every word with what it means."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = [
    "LIMITS",
    "MAX_ANSWER",
    "MAX_CHUNK",
    "MAX_CLAIMS",
    "MAX_CONTEXT",
    "MAX_MARKS",
    "MAX_POSTINGS",
    "MAX_QUESTION",
    "MAX_SUPPORTS",
    "MAX_TERMS",
    "MAX_TEXTS",
]

MAX_QUESTION: Final = 20_000
"""Characters of a question that are read."""
MAX_ANSWER: Final = 200_000
"""Characters of an answer that are read."""
MAX_CLAIMS: Final = 500
"""Claims that are judged."""
MAX_MARKS: Final = 2_000
"""Citation marks, and citations, that are judged."""
MAX_TERMS: Final = 400
"""Terms and values of one claim that are weighed."""
MAX_CHUNK: Final = 200_000
"""Characters of a chunk that are read."""
MAX_CONTEXT: Final = 2_000_000
"""Characters of all chunks together, folded, that are read; equal chunks count once."""
MAX_POSTINGS: Final = 512
"""Sentences of the context that are looked at for one term or value."""
MAX_TEXTS: Final = 32
"""Distinct texts that one claim is weighed against: those that share most with it."""
MAX_SUPPORTS: Final = 50
"""Supports that are listed of one claim."""

LIMITS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "question_cut": f"the question was read to its character {MAX_QUESTION:,}",
        "answer_cut": f"the answer was read to its character {MAX_ANSWER:,}",
        "claims_cut": f"claims behind the first {MAX_CLAIMS:,} were not judged",
        "citations_cut": f"citations behind the first {MAX_MARKS:,} were not judged",
        "range_cut": "a citation names a range of more items than are spelled out",
        "offsets_cut": "a citation of the provider reaches beyond the answer; it was cut to it or left out",
        "statement_cut": f"of a claim with more terms and values, the first {MAX_TERMS:,} were weighed",
        "texts_cut": f"of the texts that share something with a claim, the {MAX_TEXTS} that share most were weighed",
        "supports_cut": f"more chunks back a claim; {MAX_SUPPORTS} of them are listed",
        "chunk_cut": f"a chunk was read to its character {MAX_CHUNK:,}",
        "context_cut": f"chunks behind {MAX_CONTEXT:,} characters of chunks were not read; their use is unknown",
        "terms_cut": f"a term stands in more sentences of the context; the first {MAX_POSTINGS:,} were looked at",
        "derivations_cut": "of very many numbers, not all were tried as computed or as what others are computed from",
    }
)
"""By word of `Evaluation.limits`: what was left out."""
