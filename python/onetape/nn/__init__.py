"""Neural networks: modules, their parameters, and the functions behind them."""

from onetape.nn import functional, init, modules, parameter, utils
from onetape.nn.modules import *
from onetape.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter"]
__all__ += ["functional", "init", "modules", "parameter", "utils"]
__all__ += modules.__all__
