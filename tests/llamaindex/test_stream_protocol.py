"""The generator in a streamed answer goes on as it would without our tap, whatever its reader does with it."""

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse

from rag_eval_hooks.capture import Collector
from rag_eval_hooks_llamaindex.stream import tap


def counting(got: list[Any]) -> Generator[Any, Any, Any]:
    for number in range(3):
        got.append((yield number))  # noqa: PERF401
    return "the end"


def stubborn(got: list[Any]) -> Generator[Any, Any, Any]:
    """Handles what is thrown in, and goes on or raises something else."""
    while len(got) < 4:
        try:
            got.append((yield len(got)))
        except ValueError as error:
            got.append(error)
        except KeyError:
            got.append("key")
            raise OSError from None
        got.append("after")
        if "key" in got:
            raise RuntimeError


def quiet(got: list[Any]) -> Generator[Any, Any, Any]:
    """Takes being closed for an end like any other."""
    try:
        got.append((yield 1))
        yield 2
    except GeneratorExit:
        got.append("closed")
        return "left"


def clinging(got: list[Any]) -> Generator[Any, Any, Any]:
    """Goes on although it is closed, which Python does not allow."""
    try:
        yield 1
    except GeneratorExit:
        got.append((yield "still here"))


def clumsy(got: list[Any]) -> Generator[Any, Any, Any]:
    """Fails while it is closed."""
    try:
        yield 1
        yield 2
    finally:
        got.append("cleaned")
        raise OSError


MOVES = st.one_of(
    st.just(("next",)),
    st.tuples(st.just("send"), st.sampled_from(["text", 0])),
    st.tuples(st.just("throw"), st.sampled_from([ValueError, KeyError, StopIteration, KeyboardInterrupt])),
    st.just(("throw", GeneratorExit)),
    st.just(("close",)),
)


def played(moves: Sequence[tuple[Any, ...]], do: Callable[..., Any]) -> list[Any]:
    """What a generator answers to each move: the value, or the exception, whether it is the one thrown, and its past.

    An exception that stays in a variable keeps what it was raised in alive, so only its type is kept.
    """
    seen: list[Any] = []
    for name, *values in (*moves, ("close",), ("close",)):
        thrown = values[0]("mine") if name == "throw" else None
        try:
            seen.append(do(name, *([thrown] if thrown is not None else values)))
        except BaseException as error:
            seen.append((type(error), str(error), error is thrown, type(error.__context__), type(error.__cause__)))
            if isinstance(error, StopIteration):
                seen.append(error.value)
    return seen


def collector() -> Collector:
    return Collector(lambda _: None)


@pytest.mark.parametrize("make", [counting, stubborn, quiet, clinging, clumsy])
@given(moves=st.lists(MOVES, max_size=6))
def test_a_tapped_generator_does_what_it_does_without_the_tap(
    make: Callable[[list[Any]], Generator[Any, Any, Any]], moves: list[tuple[Any, ...]]
) -> None:
    def outcome(*, is_tapped: bool) -> tuple[Any, ...]:
        got: list[Any] = []
        response = StreamingResponse(make(got))
        if is_tapped:
            assert tap(response, [collector(), collector()], "run")
        generator: Any = response.response_gen

        def do(name: str, *values: Any) -> Any:
            return next(generator) if name == "next" else getattr(generator, name)(*values)

        return played(moves, do), [type(one) if isinstance(one, BaseException) else one for one in got]

    assert outcome(is_tapped=True) == outcome(is_tapped=False)


async def acounting(got: list[Any]) -> AsyncGenerator[Any, Any]:
    for number in range(3):
        got.append((yield number))  # noqa: PERF401


async def astubborn(got: list[Any]) -> AsyncGenerator[Any, Any]:
    while len(got) < 4:
        try:
            got.append((yield len(got)))
        except ValueError as error:
            got.append(error)
        except KeyError:
            raise OSError from None


async def aclumsy(got: list[Any]) -> AsyncGenerator[Any, Any]:
    try:
        yield 1
        yield 2
    finally:
        got.append("cleaned")
        raise OSError


def at_once(work: Any) -> Any:
    """The result of something to be awaited that awaits nothing."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError


@pytest.mark.parametrize("make", [acounting, astubborn, aclumsy])
@given(moves=st.lists(MOVES, max_size=6))
def test_a_tapped_async_generator_does_what_it_does_without_the_tap(
    make: Callable[[list[Any]], AsyncGenerator[Any, Any]], moves: list[tuple[Any, ...]]
) -> None:
    def outcome(*, is_tapped: bool) -> tuple[Any, ...]:
        got: list[Any] = []
        response = AsyncStreamingResponse(make(got))
        if is_tapped:
            assert tap(response, [collector(), collector()], "run")
        generator: Any = response.response_gen

        def do(name: str, *values: Any) -> Any:
            return at_once(anext(generator) if name == "next" else getattr(generator, f"a{name}")(*values))

        return played(moves, do), [type(one) if isinstance(one, BaseException) else one for one in got]

    assert outcome(is_tapped=True) == outcome(is_tapped=False)
