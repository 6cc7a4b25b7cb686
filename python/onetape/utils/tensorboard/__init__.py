"""Event files for TensorBoard, as ``torch.utils.tensorboard`` writes them."""

from onetape.utils.tensorboard.writer import FileWriter as FileWriter
from onetape.utils.tensorboard.writer import SummaryWriter as SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
