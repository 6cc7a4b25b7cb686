"""Training one module with several processes, as ``torch.nn.parallel``."""

from onetape.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel

__all__ = ["DistributedDataParallel"]
