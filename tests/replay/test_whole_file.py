"""A result file appears whole or not at all, at the place that was meant, and a pipe stays a pipe."""

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.replay.output import whole_file


@pytest.mark.parametrize("old", [None, b"old"])
def test_a_link_stays_and_the_file_behind_it_is_whole(tmp_path: Path, old: bytes | None) -> None:
    real, link = tmp_path / "elsewhere" / "real", tmp_path / "link"
    real.parent.mkdir()
    if old is not None:
        real.write_bytes(old)
    link.symlink_to(real)
    with whole_file(link) as write:
        write(b"new")
        assert real.exists() == (old is not None)
        assert not real.exists() or real.read_bytes() == b"old"
        assert {*tmp_path.iterdir()} == {real.parent, link}, "the unfinished file is beside the real one"
    assert (link.is_symlink(), real.read_bytes(), len(list(real.parent.iterdir()))) == (True, b"new", 1)


@pytest.mark.parametrize("through_link", [False, True])
def test_a_pipe_gets_the_bytes_as_they_come_and_stays(tmp_path: Path, through_link: bool) -> None:
    """As `-o /dev/stdout` in a pipeline: a link that leads to a pipe."""
    pipe = target = tmp_path / "pipe"
    os.mkfifo(pipe)
    if through_link:
        target = tmp_path / "link"
        target.symlink_to(pipe)
    large = b"x" * 300_000  # more than a pipe holds
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        with whole_file(target) as write:
            write(b"head")
            write(large)
        assert read.result() == b"head" + large
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert target.is_symlink() == through_link
    assert len(list(tmp_path.iterdir())) == 1 + through_link


def test_a_reader_that_went_away_is_told_as_such(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with whole_file(pipe) as write:
        os.close(reader)
        with pytest.raises(BrokenPipeError):
            write(b"nobody reads this")


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(ConfigError, match=r"cannot write .*loop: "), whole_file(tmp_path / "loop"):
        pass
    assert (tmp_path / "loop").is_symlink()


def make_database(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE anything (x)")
    return path.read_bytes()


@pytest.mark.parametrize("through_link", [False, True])
def test_a_database_is_never_replaced(tmp_path: Path, through_link: bool) -> None:
    target = database = tmp_path / "runs.db"
    before = make_database(database)
    if through_link:
        target = tmp_path / "link"
        target.symlink_to(database)
    with pytest.raises(ConfigError, match="is an SQLite database"), whole_file(target):
        pytest.fail("it is refused before anything is evaluated")
    assert database.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1 + through_link


def test_a_database_that_was_made_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    output = whole_file(tmp_path / "runs.db")
    output.__enter__()(b"new")
    before = make_database(tmp_path / "runs.db")
    with pytest.raises(ConfigError, match="is an SQLite database"):
        output.__exit__(None, None, None)
    assert (tmp_path / "runs.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["runs.db"]
