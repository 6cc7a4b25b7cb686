"""The dtype of a product, by PyTorch: of two tensors (the second with dimensions or not), of a tensor and a number."""

from __future__ import annotations

import json
from typing import Any

from tests.golden.samples import DTYPES
from tests.golden.store import FOLDER

PATH = FOLDER / "promotion.json"
NUMBERS: dict[str, Any] = {"bool": True, "int": 2, "float": 0.5, "complex": 1j}


def table(torch: Any) -> dict[str, dict[str, dict[str, str | None]]]:
    """Kind of the second factor -> dtype of the first -> dtype or type of the second -> dtype of the product.

    None stands for complex numbers of half precision.
    """

    def product(first: str, second: Any) -> str | None:
        try:
            result = torch.ones(2, dtype=getattr(torch, first)) * second
        except (NotImplementedError, RuntimeError):
            return None
        name = str(result.dtype).removeprefix("torch.")
        return name if name in DTYPES else None

    def factors(kind: str) -> dict[str, Any]:
        if kind == "number":
            return NUMBERS
        shape = (2,) if kind == "tensor" else ()
        return {dtype: torch.ones(shape, dtype=getattr(torch, dtype)) for dtype in DTYPES}

    return {
        kind: {first: {name: product(first, second) for name, second in factors(kind).items()} for first in DTYPES}
        for kind in ("tensor", "zero-dim tensor", "number")
    }


def write(torch: Any) -> None:
    PATH.write_text(json.dumps({"torch": torch.__version__.split("+")[0], **table(torch)}, indent=1) + "\n")
