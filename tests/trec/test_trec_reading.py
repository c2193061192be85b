"""TREC files as they are found: any order, comments, gzip, pipes, and lines that are wrong."""

import gzip
import os
import threading
from pathlib import Path

import pytest

from rag_eval_hooks.errors import InputError, MetricSpecError
from rag_eval_hooks.trec import JudgedList, TrecFile, judged_lists, trec_metrics
from rag_eval_hooks.trec.files import MAX_LINE_BYTES
from rag_eval_hooks.trec.groups import is_grouped, judgements, results


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def listed(tmp_path: Path, qrels: str, run: str, **how) -> list[JudgedList]:
    with TrecFile(write(tmp_path / "q", qrels)) as one, TrecFile(write(tmp_path / "r", run)) as other:
        return list(judged_lists(one, other, **how))


def test_by_score_and_ties_by_document_both_descending(tmp_path: Path) -> None:
    run = "1 Q0 a 1 0.5 t\n1 Q0 c 2 0.5 t\n1 Q0 b 3 9 t\n1 Q0 B 4 0.5 t\n"
    (one,) = listed(tmp_path, "1 0 a 1\n", run)
    assert one == JudgedList("1", ["b", "c", "a", "B"], {"a": 1.0})
    (one,) = listed(tmp_path, "1 0 a 1\n", run, order="file")
    assert one.ranked == ["a", "c", "b", "B"]
    (one,) = listed(tmp_path, "1 0 a 1\n", run, depth=2)
    assert one.ranked == ["b", "c"]


def test_scores_compare_as_numbers_of_double_precision(tmp_path: Path) -> None:
    run = "1 Q0 a 1 1.00000000002 t\n1 Q0 z 2 1.00000000001 t\n1 Q0 m 3 1e1 t\n1 Q0 n 4 -inf t\n"
    (one,) = listed(tmp_path, "1 0 a 1\n", run)
    assert one.ranked == ["m", "a", "z", "n"]


def test_comments_blank_lines_tabs_and_what_follows_the_tag(tmp_path: Path) -> None:
    run = "# a run\n\n  \t\n1\tQ0\ta#1\t1\t2\tt more junk\r\n  1 Q0 b 2 1 t\n #1 Q0 c 3 0 t\n"
    (one,) = listed(tmp_path, "\ufeff# judged\n1 0 a#1 1\n\n", run)
    assert one == JudgedList("1", ["a#1", "b"], {"a#1": 1.0})


def test_joined_files_keep_their_byte_order_marks(tmp_path: Path) -> None:
    (one,) = listed(tmp_path, "\ufeff1 0 a 1\n\ufeff1 0 b 2\n", "\ufeff1 Q0 a 1 9 t\n\ufeff1 Q0 b 2 8 t\n")
    assert one == JudgedList("1", ["a", "b"], {"a": 1.0, "b": 2.0})


def test_only_ascii_white_space_separates(tmp_path: Path) -> None:
    (one,) = listed(tmp_path, "é 0 a\u00a0b 1\n", "é Q0 a\u00a0b 1 1 t\n")
    assert one == JudgedList("é", ["a\u00a0b"], {"a\u00a0b": 1.0})


def test_queries_of_both_files_in_any_order(tmp_path: Path) -> None:
    qrels = "1 0 a 1\n2 0 b 1\n3 0 c 1\n"
    run = "3 Q0 c 1 1 t\n9 Q0 x 1 1 t\n1 Q0 a 1 1 t\n"
    assert listed(tmp_path, qrels, run) == [
        JudgedList("3", ["c"], {"c": 1.0}),
        JudgedList("9", ["x"], None),
        JudgedList("1", ["a"], {"a": 1.0}),
        JudgedList("2", None, {"b": 1.0}),
    ]


def test_scattered_queries_come_together(tmp_path: Path) -> None:
    qrels = "1 0 a 1\n2 0 b 1\n1 0 c 2\n"
    run = "1 Q0 a 1 1 t\n2 Q0 b 1 1 t\n1 Q0 c 2 2 t\n"
    with TrecFile(write(tmp_path / "r", run)) as file:
        assert not is_grouped(file)
    assert listed(tmp_path, qrels, run) == [
        JudgedList("1", ["c", "a"], {"a": 1.0, "c": 2.0}),
        JudgedList("2", ["b"], {"b": 1.0}),
    ]


def test_a_query_that_is_the_start_of_the_next_is_another(tmp_path: Path) -> None:
    with TrecFile(write(tmp_path / "r", "1 Q0 a 1 1 t\n11 Q0 b 1 1 t\n1 Q0 c 1 1 t\n")) as file:
        assert not is_grouped(file)
        assert [query for query, _ in results(file)] == ["1", "11"]


def test_a_negative_grade_is_not_judged_and_the_query_stays(tmp_path: Path) -> None:
    with TrecFile(write(tmp_path / "q", "1 0 a -1\n2 0 a -2\n2 0 b 0.5\n2 0 b 0.5\n")) as file:
        assert list(judgements(file)) == [("1", {}), ("2", {"b": 0.5})]


@pytest.mark.parametrize("last", ["\n", ""], ids=["ended", "not ended"])
def test_gzip_and_a_last_line_without_end(last: str, tmp_path: Path) -> None:
    path = write(tmp_path / "r.gz", gzip.compress(f"1 Q0 a 1 2 t\n1 Q0 b 2 1 t{last}".encode()))
    with TrecFile(path) as file:
        assert list(results(file)) == [("1", [(2.0, "a"), (1.0, "b")])]


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 b 1 1 t\n",))
    writer.start()
    with TrecFile(pipe) as file:
        writer.join()
        assert list(results(file)) == [("1", [(2.0, "a"), (1.0, "b")]), ("2", [(2.0, "a")])]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1 Q0 a 1 t", "a line must be `query Q0 document rank score tag`: 1 Q0 a 1 t"),
        ("1 Q0 a 1 high t", "the score is no number"),
        ("1 Q0 a 1 nan t", "the score is no number"),
        ("1 Q0 a 1 1_0 t", "the score is no number"),
        ("\x1b[31m1\x1b[0m", "must be `query Q0 document rank score tag`: 1;"),
        (b"1 Q0 \xff 1 1 t", "the line is not UTF-8"),
        (b"\xff Q0 a 1 1 t", "the line is not UTF-8"),
        ("1 " + "x" * MAX_LINE_BYTES, "the line is longer than 1024 KiB"),
    ],
)
def test_a_malformed_result_names_file_line_and_content(line: str | bytes, problem: str, tmp_path: Path) -> None:
    raw = line if isinstance(line, bytes) else line.encode()
    with TrecFile(write(tmp_path / "bad.run", b"# fine\n1 Q0 a 1 1 t\n" + raw + b"\n")) as file:
        with pytest.raises(InputError, match=r"bad\.run line 3: ") as caught:
            list(results(file))
        assert problem in str(caught.value)
        assert "\x1b" not in str(caught.value)
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1 0 a", "a line must be `query iteration document grade`"),
        ("1 0 a 1 1", "a line must be `query iteration document grade`"),
        ("1 0 a relevant", "the grade is no number"),
        ("1 0 a nan", "the grade is no finite number"),
        ("1 0 a inf", "the grade is no finite number"),
        ("1 0 a 2", "the document has grade 1 for this query already"),
    ],
)
def test_a_malformed_judgement_names_file_line_and_content(line: str, problem: str, tmp_path: Path) -> None:
    with TrecFile(write(tmp_path / "bad.qrels", f"1 0 a 1\n{line}\n")) as file:
        with pytest.raises(InputError, match=r"bad\.qrels line 2: ") as caught:
            list(judgements(file))
        assert problem in str(caught.value)
        assert line in str(caught.value)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        TrecFile(tmp_path / "none")
    with pytest.raises(InputError, match="is a folder"):
        TrecFile(tmp_path)
    cut = gzip.compress(os.urandom(100_000))[:50_000]
    with TrecFile(write(tmp_path / "cut.gz", cut)) as file, pytest.raises(InputError, match=r"cut\.gz cannot be read"):
        list(file.lines())
    utf16 = write(tmp_path / "utf16", "1 Q0 a 1 1 t\n".encode("utf-16"))
    with TrecFile(utf16) as file, pytest.raises(InputError, match="UTF-16"):
        list(results(file))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Groundedness", "needs more than ranked ids"),
        ("P(labels=used)@5", "leave labels=used out"),
        ("P(level=page)@5", "leave level=page out"),
        ("Q@5", "unknown metric"),
    ],
)
def test_measures_that_a_run_file_cannot_give(name: str, why: str) -> None:
    with pytest.raises(MetricSpecError, match=why):
        trec_metrics([name])


@pytest.mark.parametrize(
    ("queries", "grouped"),
    [
        ("1 1 2 10", True),
        ("1 10 2", True),
        ("9 10 b a", True),
        ("b a a c", True),
        ("", True),
        ("1 2 1", False),
        ("b a b", False),
        ("1 10 2 10", False),
    ],
)
def test_whether_queries_stand_together(queries: str, grouped: bool, tmp_path: Path) -> None:
    lines = "".join(f"{query} Q0 a 1 1 t\n# {query}\n\n  {query} Q0 b 1 1 t\n" for query in queries.split())
    with TrecFile(write(tmp_path / "r", lines)) as file:
        assert is_grouped(file) is grouped
