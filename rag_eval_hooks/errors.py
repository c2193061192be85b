"""What we raise to the people who call us; every message says what to do next."""

__all__ = ["ConfigError", "InputError", "MetricSpecError", "MissingExtraError", "RagEvalHooksError"]


class RagEvalHooksError(Exception):
    """Base of everything this package raises on purpose."""


class ConfigError(RagEvalHooksError, ValueError):
    """An argument or option that cannot be used; raised when an object is built, not when it is used."""


class InputError(RagEvalHooksError, ValueError):
    """Input that cannot be read as a run."""


class MetricSpecError(RagEvalHooksError, ValueError):
    """A measure name or parameter that does not exist."""


class MissingExtraError(RagEvalHooksError, ImportError):
    """An optional package that is not installed; the message names the extra.

    Args:
        package: The import name that is missing.
        extra: The extra of this distribution that brings it.
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f'{package} is not installed; run: pip install "rag-eval-hooks[{extra}]"')
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[type["MissingExtraError"], tuple[str, str]]:
        return (type(self), (self.package, self.extra))
