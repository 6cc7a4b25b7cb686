"""How tensors are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

from onetape import _C

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]

_NAMES = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")
_PROFILES: dict[str, dict[str, float]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": inf, "edgeitems": 3, "linewidth": 80},
}


def get_printoptions() -> dict[str, Any]:
    """The options by their names, as set_printoptions() takes them."""
    options: dict[str, Any] = dict(zip(_NAMES, _C._print_options(), strict=True))
    if options["threshold"] != inf:
        options["threshold"] = int(options["threshold"])
    return options


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors are written; what is None stays, but for sci_mode.

    precision: digits after the point.
    threshold: number of elements above which only the ends of the dimensions are shown.
    edgeitems: how many elements are shown at each end.
    linewidth: characters a line.
    profile: "default", "short" or "full": sets all of these first.
    sci_mode: True or False for or against powers of ten; None: where they help.
    """
    options = get_printoptions()
    options.update(_PROFILES.get(profile or "", {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    options.update({name: value for name, value in given.items() if value is not None})
    options["sci_mode"] = sci_mode
    _C._set_print_options(*(options[name] for name in _NAMES))


@contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Sets options for the length of a ``with`` block."""
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)
