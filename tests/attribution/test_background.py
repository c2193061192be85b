"""How common terms are: the frozen background, one that learns, and its file."""

import copy
import json
import math
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_hooks import Attributor, RagEvalHooksError, evaluate, read_run
from rag_eval_hooks.attribution import Background, RollingBackground
from rag_eval_hooks.attribution.background import RAREST
from rag_eval_hooks.capture import Items
from rag_eval_hooks.hooks import Hooks

NOTHING = Background({}, words=0, bigrams=0)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        pytest.param("the", 0.0, id="in each of 1,000"),
        pytest.param("mast", math.log(1000 / 10) / math.log(1000), id="in 10 of 1,000: two thirds"),
        pytest.param("gaff", 1.0, id="in 1 of 1,000"),
        pytest.param("luff", 1.0, id="unknown"),
        pytest.param("公司", math.log(50 / 5) / math.log(1000), id="in 5 of the 50 that hold bigrams"),
    ],
)
def test_idf(term: str, expected: float) -> None:
    background = Background({"the": 1000, "mast": 10, "gaff": 1, "公司": 5}, words=1000, bigrams=50)
    assert RAREST == 1 / 1000
    assert background.idf(term) == pytest.approx(expected)


def test_the_default_knows_english_and_chinese() -> None:
    background = Background.default()
    order = ["the", "year", "company", "tower", "quokka"]
    assert [background.idf(term) for term in order] == sorted(background.idf(term) for term in order)
    assert background.idf("the") < 0.05
    assert background.idf("quokka") == 1.0
    assert background.idf("中国") < background.idf("公司") < background.idf("鵺鸮") == 1.0
    assert background is Background.default() is background.freeze()


def test_the_default_gives_back_no_text() -> None:
    """Its card says what may be kept; 1 in 1,000 of the English passages is more than 5 of them."""
    path = Path(__file__).resolve().parents[2] / "rag_eval_hooks" / "attribution" / "background.json"
    data = json.loads(path.read_text("utf-8"))
    assert path.stat().st_size < 150_000
    assert set(data["card"]["data"]) >= {"QuoteSum dev", "DuReader 2.0 demo (search)"}
    assert not any("RGB" in name or "WiCE" in name for name in data["card"]["data"])
    for kind, passages in (("words", "english_passages"), ("bigrams", "chinese_passages")):
        rarest = min(map(int, data[kind]["terms"]))
        assert rarest / data[kind]["passages"] * data["card"][passages] > 5 - 0.5


def test_what_is_shown_becomes_common() -> None:
    background = Background.rolling(NOTHING)
    background.observe(["The mast is tall.", "The mast fell.", "A gaff.", "帆船"])
    assert (
        background.freeze().to_json()
        == Background(
            {"the": 2, "mast": 2, "is": 1, "tall": 1, "fall": 1, "a": 1, "gaff": 1, "帆船": 1}, words=3, bigrams=1
        ).to_json()
    )


def test_a_text_counts_once() -> None:
    background = Background.rolling(NOTHING)
    background.observe(["mast", "mast"])
    background.observe(["mast", "gaff", ""])
    assert background.freeze().to_json() == Background({"mast": 1, "gaff": 1}, words=2, bigrams=0).to_json()


def test_it_begins_with_the_default() -> None:
    background = Background.rolling()
    for term in ("the", "company", "tower", "中国"):
        assert background.idf(term) == pytest.approx(Background.default().idf(term))
    before = background.idf("kettl")
    background.observe(f"Kettle number {number}." for number in range(100))
    assert background.idf("kettl") < before


def test_old_passages_fade_and_what_comes_again_stays() -> None:
    """The 5th passage halves all: mast 4, fades to 2; the texts are forgotten, so that they count again."""
    background = RollingBackground(NOTHING, window=4)
    texts = [f"mast {letter}" for letter in "bcde"]
    background.observe(texts)
    assert background.idf("mast") == 0.0
    background.observe(["gaff f"])
    assert (
        background.freeze().to_json()
        == Background({"mast": 2, "gaff": 0.5} | dict.fromkeys("bcdef", 0.5), words=2.5, bigrams=0).to_json()
    )
    background.observe([texts[0]])
    assert '"3": "mast"' in background.to_json()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.sampled_from([f"w{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10]}" for n in range(100)]))))
def test_memory_is_bounded(passages: list[list[str]]) -> None:
    background = RollingBackground(NOTHING, window=7, max_terms=20)
    for words in passages:
        background.observe([" ".join(words)])
        assert len(background._counts) <= 20
        assert len(background._seen) <= 7
        assert all(0.0 <= background.idf(term) <= 1.0 for term in ("wak", "waak", "zz"))


def test_of_too_many_terms_the_commonest_stay() -> None:
    background = RollingBackground(NOTHING, max_terms=10)
    background.observe(["mast gaff", "mast boom", "mast " + " ".join(f"x{letter}" for letter in "abcdefgh")])
    assert len(background._counts) == 8
    assert background.idf("mast") == 0.0


def test_a_file_gives_the_same_back(tmp_path: Path) -> None:
    background = Background.rolling()
    background.observe([f"Mast {number} of the {name}" for number in range(9) for name in ("Ariel", "帆船")])
    frozen = background.freeze()
    background.save(tmp_path / "b.json")
    loaded = Background.load(tmp_path / "b.json")
    assert loaded.to_json() == frozen.to_json()
    assert loaded.digest == frozen.digest != Background.default().digest
    assert background.digest is None
    assert Background.load(tmp_path / "b.json").idf("ariel") == frozen.idf("ariel") == background.idf("ariel")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(None, "cannot read the background file", id="no file"),
        pytest.param("{", "it is not JSON", id="not JSON"),
        pytest.param(b"\xff\xfe\x00", "it is not JSON", id="not UTF-8"),
        pytest.param("[" * 100_000, "it is not JSON", id="nested"),
        pytest.param("[]", "no background file", id="no object"),
        pytest.param({"kind": "rag-eval-hooks calibration"}, "no background file", id="another kind"),
        pytest.param({"version": 2}, "reads background files of version 1", id="another version"),
        pytest.param({"words": 3}, "words must be an object", id="no words"),
        pytest.param({"bigrams": {"passages": 1, "terms": []}}, "bigrams must be an object", id="no terms"),
        pytest.param({"words": {"passages": -1, "terms": {}}}, "words.passages must be a number from 0", id="negative"),
        pytest.param({"words": {"passages": 1e999, "terms": {}}}, "words.passages must be", id="infinite"),
        pytest.param({"words": {"passages": 1, "terms": {"x": "a"}}}, "'x' in words.terms is no count", id="word"),
        pytest.param({"words": {"passages": 1, "terms": {"nan": "a"}}}, "'nan' in words.terms is no count", id="nan"),
        pytest.param({"words": {"passages": 1, "terms": {"1": 2}}}, "words.terms must hold texts", id="no text"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "b.json"
    if isinstance(content, dict):
        part = {"passages": 1, "terms": {}}
        whole = {"kind": "rag-eval-hooks background", "version": 1, "words": part, "bigrams": part}
        content = json.dumps(whole | content)
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RagEvalHooksError) as caught:
        Background.load(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(RagEvalHooksError, match="cannot write "):
        NOTHING.save(tmp_path / "missing" / "b.json")


@pytest.mark.parametrize("wrong", [{"window": 0}, {"max_terms": 0}, {"start_passages": -1}, {"window": 1.5}])
def test_a_number_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(RagEvalHooksError, match="expected a whole number from"):
        RollingBackground(NOTHING, **wrong)


def test_many_threads_count_each_text() -> None:
    background = Background.rolling(NOTHING)
    threads = [
        threading.Thread(
            target=background.observe, args=([f"mast {chr(97 + start)}{chr(97 + number)}" for number in range(25)],)
        )
        for start in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert background.freeze()._counts["mast"] == background.freeze()._words == 200


def test_it_can_be_copied_and_sent_to_another_process() -> None:
    background = Background.rolling()
    background.observe(["mast"])
    for other in (pickle.loads(pickle.dumps(background)), copy.deepcopy(background)):  # noqa: S301  our own
        other.observe(["mast"])
        assert other.idf("mast") < background.idf("mast")


LINES = [
    {
        "id": f"r{number}",
        "question": "How tall is the mast?",
        "contexts": [f"The mast of ship {number} is {30 + number} metres tall.", f"Ship {number} was built in Kiel."],
        "answer": f"The mast is {30 + number} metres tall. It was built in Kiel.",
    }
    for number in range(5)
]


def test_the_same_run_with_the_same_background_scores_the_same() -> None:
    """A rolling background moves on; a frozen copy gives each whole evaluation again, `made_by` included."""
    rolling = Background.rolling()
    attributor = Attributor(background=rolling.freeze())
    runs = [read_run(line) for line in LINES]
    first = [evaluate(run, attributor=attributor) for run in runs]
    for run in runs:
        Attributor(background=rolling).observe(run)
    assert [evaluate(run, attributor=attributor) for run in reversed(runs)] == first[::-1]
    assert first[0].made_by.attributor_version.endswith(f"+{attributor.background.digest}")  # type: ignore[union-attr]
    learned = Attributor(background=rolling.freeze())
    assert evaluate(runs[0], attributor=learned).made_by != first[0].made_by


def test_hooks_show_a_rolling_background_what_was_retrieved() -> None:
    rolling = Background.rolling(NOTHING)
    with Hooks(attributor=Attributor(background=rolling)) as hooks:
        collector = hooks.collector("test")
        collector.start("q", None, "chain", "chain", "How tall?")
        collector.start("s", "q", "retriever", "search", "How tall?")
        collector.end("s", Items([("d1", "The mast is 31 m tall.", {}, None)]))
        collector.end("q", "31 m.")
        assert hooks.flush(10) == 0
        assert hooks.last is not None
        assert hooks.last.evaluation.made_by.attributor == "tier0+rolling"
    assert rolling.idf("mast") == 0.0
