"""Indexes the chunks by sentence, so that a statement finds its evidence in time linear in the text."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.anchor_index import AnchorIndex, anchors_of
from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.fold import Folded, fold
from rag_eval_hooks.attribution.sentences import sentence_bounds
from rag_eval_hooks.attribution.stance import stance_of
from rag_eval_hooks.attribution.support import Source
from rag_eval_hooks.attribution.terms import asks, plain_terms, words
from rag_eval_hooks.attribution.vocabulary import NUMBER_WORD, Vocabulary
from rag_eval_hooks.record.limits import MAX_CHUNK, MAX_POSTINGS

__all__ = ["Evidence", "Sentence", "anchors_of", "fold_text", "word_stream"]

MAX_ALIKE = 8
QUOTE_WORDS = 4
QUOTE_CHARACTERS = 10


class Sentence(NamedTuple):
    """One sentence, line or table row of a chunk."""

    chunk: int
    """Index of the distinct text it belongs to."""
    start: int
    """Where it begins in the chunk's folded text."""
    end: int
    """Where it ends in the chunk's folded text."""
    is_question: bool
    """A question states nothing."""


def fold_text(text: str) -> Folded:
    """Returns the folded text of a chunk; what lies behind `MAX_CHUNK` characters is not looked at."""
    return fold(text[:MAX_CHUNK])


def word_stream(text: str) -> str:
    """Returns the words of a folded text, one blank between them."""
    return " ".join(words(text))


class Evidence:
    """The sentences of several distinct texts, found by term or by anchor.

    Only what the answer says is indexed, so that the work grows with the texts' length but hardly with their number of
    distinct words.

    Args:
        texts: Folded texts, each once.
        originals: The same texts as they were, for letter case at sentence ends.
        vocabulary: The terms that will be looked for.
    """

    def __init__(self, texts: Sequence[Folded], originals: Sequence[str], vocabulary: Collection[str]) -> None:
        self.texts = texts
        self.sentences: list[Sentence] = []
        self.postings: dict[str, list[int]] = {}
        """For each term, the sentences that hold it, in order."""
        self.frequency: dict[str, int] = {}
        """For each term, how many texts hold it."""
        self.anchors = AnchorIndex()
        """For each sentence, its anchors."""
        self._vocabulary = Vocabulary(vocabulary)
        self._streams: dict[int, str] = {}
        self._sources: dict[int, Source] = {}
        """The sentences that a statement was weighed against, by place."""
        self._originals = originals
        for chunk, (folded, original) in enumerate(zip(texts, originals, strict=True)):
            self._add(chunk, folded, original)

    def text_of(self, place: int) -> str:
        """Returns a sentence's folded text."""
        sentence = self.sentences[place]
        return self.texts[sentence.chunk].text[sentence.start : sentence.end]

    def original_of(self, chunk: int, start: int, end: int) -> str:
        """Returns what the original of a text has where its folded form has a span."""
        return self._originals[chunk][slice(*self.texts[chunk].span(start, end))]

    def context_of(self, place: int) -> str:
        """Returns the whole folded text a sentence stands in."""
        return self.texts[self.sentences[place].chunk].text

    def source(self, places: Sequence[int]) -> Source:
        """Returns some sentences as one source to weigh a statement against."""
        return Source.joined([self._sources.get(place) or self._read(place) for place in places])

    def _read(self, place: int) -> Source:
        chunk, start, end, _ = self.sentences[place]
        folded = self.texts[chunk]
        text = folded.text[start:end]
        self._sources[place] = source = Source(
            tokens=tuple(plain_terms(folded.text, start, end)),
            text=text,
            origins=((self._originals[chunk], *folded.span(start, end)),),
            stance=stance_of(text),
        )
        return source

    def is_quoted(self, stream: str, chunk: int) -> bool:
        """Whether a text holds a passage word for word, whatever the punctuation and line breaks.

        Args:
            stream: The passage, as `word_stream` gives it.
            chunk: Index of the text.
        """
        if stream.count(" ") < QUOTE_WORDS and (stream.isascii() or len(stream) < QUOTE_CHARACTERS):
            return False
        if chunk not in self._streams:
            self._streams[chunk] = f" {word_stream(self.texts[chunk].text)} "
        return f" {stream} " in self._streams[chunk]

    def find_term(self, term: str) -> list[int]:
        """Returns the sentences that hold a term, at most `MAX_POSTINGS`."""
        places = self.postings.get(term, [])
        return places if len(places) <= MAX_POSTINGS else places[:MAX_POSTINGS]

    def find_alike(self, term: str) -> list[int]:
        """Returns sentences with a word of the same beginning, for a term that none holds (`founder`: `founded`)."""
        return [place for other in self._vocabulary.alike(term)[:MAX_ALIKE] for place in self.find_term(other)]

    def find_anchor(self, anchor: Anchor, said: str = "") -> list[int]:
        """Returns the sentences that state an anchor's value; `said` is the folded text it stands in."""
        return self.anchors.find(anchor, said)

    def _add(self, chunk: int, folded: Folded, original: str) -> None:
        text = folded.text
        bounds = sentence_bounds(folded, original)
        first = len(self.sentences)
        has_questions = "?" in text
        self.sentences += [
            Sentence(chunk, start, end, has_questions and asks(text[start:end])) for start, end in bounds
        ]
        postings, frequency = self.postings, self.frequency
        worded: list[tuple[int, int]] = []
        for number, term in self._vocabulary.find(text, bounds):
            place = first + number
            places = postings.get(term)
            if term == NUMBER_WORD:
                if worded[-1:] != [bounds[number]]:
                    worded.append(bounds[number])
            elif places is None:
                postings[term], frequency[term] = [place], 1
            elif places[-1] != place:
                frequency[term] += places[-1] < first
                places.append(place)
        self.anchors.add(text, bounds, worded)
