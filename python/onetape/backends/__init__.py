"""torch.backends: which other libraries this build computes with, for programs that ask."""

from onetape.backends import cuda as cuda
from onetape.backends import cudnn as cudnn
from onetape.backends import mkl as mkl
from onetape.backends import mkldnn as mkldnn
from onetape.backends import mps as mps
from onetape.backends import openmp as openmp

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
