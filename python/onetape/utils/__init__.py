"""Helpers around training."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from onetape.utils import checkpoint as checkpoint

if TYPE_CHECKING:
    from onetape.utils import data as data
    from onetape.utils import dlpack as dlpack
    from onetape.utils import metrics as metrics
    from onetape.utils import tensorboard as tensorboard
    from onetape.utils._summary import summary as summary

_LAZY = {
    "data": ("data", ""),
    "dlpack": ("dlpack", ""),
    "metrics": ("metrics", ""),
    "summary": ("_summary", "summary"),
    "tensorboard": ("tensorboard", ""),
}
"""Loaded when first asked for: name -> module, and the name in it."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'onetape.utils' has no attribute '{name}'")
    module, attribute = _LAZY[name]
    loaded = import_module(f"onetape.utils.{module}")
    return getattr(loaded, attribute) if attribute else loaded


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
