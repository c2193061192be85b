"""Every convertible unit of the table, checked against pint's definitions."""

import pytest

from rag_eval_hooks.attribution.units import _MEASURES

NOT_IN_PINT = {"count:person", "points", "celsius", "fahrenheit", "decibel"}
"""No multiples of a base unit, or none that pint defines."""
ROWS = [
    (dimension, factor, names.split()[0])
    for dimension, rows in _MEASURES.items()
    if dimension not in NOT_IN_PINT
    for factor, names in rows.items()
    if not names.startswith("decade ")  # pint's decade is one of logarithms
]


@pytest.mark.parametrize(("dimension", "factor", "name"), ROWS, ids=[name for _, _, name in ROWS])
def test_factor_is_the_one_of_pint(dimension: str, factor: float, name: str) -> None:
    pint = pytest.importorskip("pint", reason="a package of the dev extra")
    units = pint.get_application_registry()
    others = [(other, value) for of, value, other in ROWS if of == dimension]
    base, value = min(others, key=lambda one: abs(one[1] - 1.0))

    def known(written: str) -> str:
        return written.replace("_", " ") if written.startswith(("square", "cubic")) else written

    expected = units.Quantity(1.0, known(name)).to(known(base)).magnitude
    # pint's acre is the one of the US survey foot, four millionths larger than the international one.
    assert factor / value == pytest.approx(expected, rel=1e-5)
