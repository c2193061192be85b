"""The texts that the fakes of all adapters find, by id."""

__all__ = ["TEXTS"]

TEXTS = {
    "a": "The Rhine rises in the Alps and passes through Basel before it turns north.",
    "b": "Basel has three harbours on the Rhine, which opened between 1906 and 1936.",
    "c": "The Jura mountains are north-west of the Swiss plateau and gave the Jurassic its name.",
    "d": "Cheese from the Emmental has holes that come from carbon dioxide.",
}
