"""What the maker of the cases and their test share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("cases.json.gz")
DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def prepared(tensor: Any, case: dict[str, Any]) -> Any:
    """The tensor as the case wants it; for either library."""
    if case["state"]:
        tensor = tensor.requires_grad_()
    if case["transposed"]:
        tensor = tensor.transpose(0, -1)
    return tensor.view(tensor.shape) if case["state"] == "view" else tensor
