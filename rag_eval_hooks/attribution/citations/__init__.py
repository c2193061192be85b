"""How answers cite: what the items can be called, which signs and words name them, and what each mark speaks for."""

__all__: list[str] = []
