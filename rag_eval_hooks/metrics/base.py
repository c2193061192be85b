"""What a measure is: a value with a name you can type."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from functools import cache
from typing import Any, ClassVar, Literal, Self, TypeVar, get_args, get_origin, get_type_hints

from rag_eval_hooks.errors import MetricSpecError
from rag_eval_hooks.record import Attribution, MetricResult, RagRun
from rag_eval_hooks.record.evaluation import Labels

__all__ = ["MAX_K", "Metric", "Need", "metric_classes", "parse_metric", "register"]

MAX_K = 1_000_000_000
"""Largest cut-off; anything above is a slip."""

Need = Literal["question", "retrieved", "context", "labels", "utility", "claims", "citations", "gold_answer"]

LIST_ALL = "`rag-eval-hooks metrics` lists all"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
SPEC = re.compile(r"\s*([^()@\s]+)\s*(?:\(([^()]*)\))?\s*(?:@\s*([^()@\s]*))?\s*")
WHOLE = re.compile(r"[0-9]{1,10}")
SHOWN = 60
SYNONYMS = {
    "recall": "R",
    "precision": "P",
    "mrr": "RR",
    "reciprocalrank": "RR",
    "map": "AP",
    "averageprecision": "AP",
    "faithfulness": "Groundedness",
    "success": "Hit",
    "hitrate": "Hit",
}
"""What others call our measures, in small letters."""


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """Base of all measures: a frozen value that scores one run and touches nothing else.

    A measure is a frozen dataclass; its fields are its parameters. Parameters are texts from a `Literal`, whole
    numbers or finite floats, each with a default; a field `k` is the cut-off and is written `@k`. Two measures with
    equal parameters are equal, hash alike, and print the same name.

    To add your own, decorate it with `@register` above `@dataclass(frozen=True, kw_only=True)`, and give it a
    docstring with the formula. `score` may be called from any thread; it does no I/O and does not change its input.

    Raises:
        MetricSpecError: When built with a parameter that is out of range, not finite or unknown.
    """

    name: ClassVar[str] = ""
    """The name as typed; the class name where a subclass sets none."""
    version: ClassVar[int] = 1
    """Raised whenever the same run could get another value; stored with every evaluation."""
    needs: ClassVar[frozenset[Need]] = frozenset()
    """What must be known of a run for the measure to have a value."""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """Lowest and highest value there can be, infinite where there is none; intervals of averages rest on them."""
    lower_is_better: ClassVar[bool] = False
    """Whether a small value is good: comparisons and lists of the worst runs go by it."""
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {}
    """Lowest and highest value of parameters that are numbers, by name; both ends are allowed."""
    use_when: ClassVar[str] = ""
    """When this is the measure to take; the catalogue prints it."""
    avoid_when: ClassVar[str] = ""
    """When another measure says more; the catalogue prints it."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__

    def __post_init__(self) -> None:
        for field in fields(self):
            checked = _check(type(self), field.name, getattr(self, field.name))
            object.__setattr__(self, field.name, checked)
        # Names are asked for with every result: made once, outside the fields, so it takes no part in equality.
        object.__setattr__(self, "_spec", _spec(self))

    @abstractmethod
    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the measure's value for one run, or null with the reason.

        Args:
            run: What happened.
            attribution: What attribution concluded about it; a measure that needs it and gets None has no value.
        """

    def scored(self, value: float) -> MetricResult:
        """Returns a result with this value, under this measure's name."""
        return MetricResult(metric=str(self), value=value, labels=self.labels_used)

    def not_scored(self, reason: str) -> MetricResult:
        """Returns a result without a value, for this reason (one word, such as `no_gold`)."""
        return MetricResult(metric=str(self), value=None, reason=reason, labels=self.labels_used)

    @property
    def labels_used(self) -> Labels | None:
        """Which labels the value rests on; the parameter `labels` where the measure has one."""
        return getattr(self, "labels", None)

    def __str__(self) -> str:
        return str(self.__dict__["_spec"])

    def __matmul__(self, k: object) -> Self:
        """Returns this measure with the cut-off `k`: `nDCG() @ 10`."""
        if "k" not in _parameters(type(self)):
            raise MetricSpecError(f"{self.name} takes no cut-off; write it without @{_shown(k)}")
        return replace(self, k=k)  # type: ignore[call-arg]  # checked just above; the base class has no k


MetricType = TypeVar("MetricType", bound=type[Metric])

_registry: dict[str, type[Metric]] = {}


def register(cls: MetricType) -> MetricType:
    """Makes a measure known by its name; a class decorator.

    Defining the same class again (a notebook cell run twice) replaces the old one.

    Raises:
        MetricSpecError: If the class is no frozen dataclass, its name cannot be typed or is taken, it has no formula
            or its parameters cannot be written in a name.
    """
    where = f"{cls.__module__}.{cls.__qualname__}"
    if "__dataclass_params__" not in cls.__dict__ or not is_dataclass(cls):
        raise MetricSpecError(f"{where} is no dataclass; put @dataclass(frozen=True, kw_only=True) below @register")
    if not NAME.fullmatch(cls.name):
        raise MetricSpecError(f"{where}: a measure's name is letters and digits, not {_shown(cls.name)}")
    if not (cls.__doc__ or "").strip() or (cls.__doc__ or "").startswith(f"{cls.__name__}("):
        raise MetricSpecError(f"{where} has no docstring; state what it means and its formula")
    other = _registry.get(cls.name)
    if other is not None and (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
        raise MetricSpecError(f"{where}: {cls.name} is already {other.__module__}.{other.__qualname__}; rename one")
    try:
        cls()
    except TypeError as error:
        raise MetricSpecError(f"{where} cannot be built without arguments: give every parameter a default") from error
    _registry[cls.name] = cls
    return cls


def metric_classes() -> Mapping[str, type[Metric]]:
    """Returns the registered measures by name, sorted by name without regard to case."""
    return dict(sorted(_registry.items(), key=lambda item: item[0].lower()))


def parse_metric(text: str) -> Metric:
    """Returns the measure that a name means; `parse_metric(str(m)) == m` for every measure `m`.

    Args:
        text: `Name`, `Name@k`, `Name(parameter=value, ...)` or `Name(parameter=value, ...)@k`.

    Raises:
        MetricSpecError: If there is no such measure or parameter; the message names the nearest one there is.

    >>> parse_metric("P(denominator=returned)@5")
    P(labels='gold', k=5, empty='null', level='chunk', denominator='returned')
    >>> str(parse_metric(" P( denominator = k ) @ 5 "))
    'P@5'
    """
    match = SPEC.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise MetricSpecError(f"cannot read {_shown(text)} as a measure; write Name(parameter=value)@k; {LIST_ALL}")
    name, inside, cutoff = match.groups()
    cls = _registry.get(name)
    if cls is None:
        raise MetricSpecError(f"unknown metric {_shown(name)}{_nearest(name, _registry)}{LIST_ALL}")
    values: dict[str, Any] = {}
    for part in (inside or "").split(",") if (inside or "").strip() else ():
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key or not value:
            raise MetricSpecError(f"{name}: expected parameter=value, got {_shown(part.strip())}; {LIST_ALL}")
        if key == "k":
            raise MetricSpecError(f"{name}: write the cut-off as {name}@{value[:SHOWN]}")
        if key in values:
            raise MetricSpecError(f"{name}: {key} is given twice")
        values[key] = _read(cls, key, value)
    if cutoff is not None:
        if "k" not in _parameters(cls):
            raise MetricSpecError(f"{name} takes no cut-off; write it without @{cutoff[:SHOWN]}")
        if not WHOLE.fullmatch(cutoff):
            raise MetricSpecError(f"{name}: k must be a whole number from 1 to {MAX_K}, got {_shown(cutoff)}")
        values["k"] = int(cutoff)
    return cls(**values)


@cache
def _parameters(cls: type[Metric]) -> Mapping[str, tuple[Any, Any]]:
    """The type and default of each parameter, in order of declaration."""
    hints = get_type_hints(cls)
    found = {field.name: (hints[field.name], field.default) for field in fields(cls)}
    for name, (hint, _) in found.items():
        if name != "k" and hint not in (int, float) and get_origin(hint) is not Literal:
            raise MetricSpecError(f"{cls.__name__}.{name}: a parameter is a Literal, an int or a float, not {hint}")
    return found


def _check(cls: type[Metric], name: str, value: Any) -> Any:
    """Returns the parameter's value in its own type, or says what is expected."""
    hint, _ = _parameters(cls)[name]
    if name == "k":
        if value is not None and (type(value) is not int or not 1 <= value <= MAX_K):
            raise MetricSpecError(f"{cls.name}: k must be a whole number from 1 to {MAX_K}, got {_shown(value)}")
        return value
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            expected = " or ".join(str(choice) for choice in get_args(hint))
            raise MetricSpecError(f"{cls.name}: {name} must be {expected}, got {_shown(value)}; {LIST_ALL}")
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise MetricSpecError(f"{cls.name}: {name} must be a finite number, got {_shown(value)}")
    if hint is int and not isinstance(value, int):
        raise MetricSpecError(f"{cls.name}: {name} must be a whole number, got {_shown(value)}")
    low, high = cls.ranges.get(name, (-math.inf, math.inf))
    if not low <= value <= high:
        between = f"from {_written(low)} to {_written(high)}"
        raise MetricSpecError(f"{cls.name}: {name} must be a number {between}, got {_shown(value)}")
    return hint(value)


def _read(cls: type[Metric], name: str, text: str) -> Any:
    """Returns a parameter's value from its text; `_check` judges it when the measure is built."""
    if name not in _parameters(cls):
        known = [key for key in _parameters(cls) if key != "k"]
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise MetricSpecError(f"{cls.name} has no parameter {_shown(name)}{_nearest(name, known)}{takes}; {LIST_ALL}")
    hint, _ = _parameters(cls)[name]
    if get_origin(hint) is Literal:
        return text
    try:
        return int(text) if hint is int and WHOLE.fullmatch(text.lstrip("-")) else float(text)
    except ValueError:
        return text


def _spec(metric: Metric) -> str:
    """The canonical name: parameters that differ from their default in brackets, then the cut-off."""
    inside = ",".join(
        f"{name}={_written(value)}"
        for name, (_, default) in _parameters(type(metric)).items()
        if name != "k" and (value := getattr(metric, name)) != default
    )
    k = getattr(metric, "k", None)
    return f"{metric.name}{f'({inside})' if inside else ''}{f'@{k}' if k is not None else ''}"


def _written(value: Any) -> str:
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _nearest(name: str, known: Any) -> str:
    synonym = SYNONYMS.get(name.lower().replace("_", "").replace("-", ""))
    if synonym in known:
        return f"; did you mean {synonym!r}? "
    by_lower = {key.lower(): key for key in known}
    close = get_close_matches(name.lower()[:SHOWN], list(by_lower), n=1, cutoff=0.5)
    return f"; did you mean {by_lower[close[0]]!r}? " if close else "; "


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."
