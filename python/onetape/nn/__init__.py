"""Neural networks: modules, their parameters, and the functions behind them."""

from typing import TYPE_CHECKING, Any

from onetape.nn import functional, init, modules, parameter, utils
from onetape.nn._factory import factory_kwargs
from onetape.nn.modules import *
from onetape.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

if TYPE_CHECKING:
    from onetape.nn import parallel as parallel

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter"]
__all__ += ["factory_kwargs", "functional", "init", "modules", "parallel", "parameter", "utils"]
__all__ += modules.__all__


def __getattr__(name: str) -> Any:
    """Loads what is for several processes when it is first asked for."""
    if name != "parallel":
        raise AttributeError(f"module 'onetape.nn' has no attribute '{name}'")
    from importlib import import_module

    return import_module("onetape.nn.parallel")
