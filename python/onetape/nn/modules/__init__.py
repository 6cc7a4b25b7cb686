"""The modules of onetape.nn, one family a file."""

from onetape.nn.modules import (
    activation,
    container,
    distance,
    dropout,
    flatten,
    linear,
    loss,
    normalization,
    parameter_container,
    sparse,
)
from onetape.nn.modules.activation import *
from onetape.nn.modules.container import *
from onetape.nn.modules.distance import *
from onetape.nn.modules.dropout import *
from onetape.nn.modules.flatten import *
from onetape.nn.modules.linear import *
from onetape.nn.modules.loss import *
from onetape.nn.modules.module import *
from onetape.nn.modules.normalization import *
from onetape.nn.modules.parameter_container import *
from onetape.nn.modules.sparse import *

__all__ = ["Module"]
__all__ += activation.__all__
__all__ += container.__all__
__all__ += distance.__all__
__all__ += dropout.__all__
__all__ += flatten.__all__
__all__ += linear.__all__
__all__ += loss.__all__
__all__ += normalization.__all__
__all__ += parameter_container.__all__
__all__ += sparse.__all__
