"""Datasets, samplers and the loader that makes batches of them, as in ``torch.utils.data``."""

from onetape.utils.data._utils.collate import default_collate as default_collate
from onetape.utils.data._utils.collate import default_convert as default_convert
from onetape.utils.data._utils.worker import get_worker_info as get_worker_info
from onetape.utils.data.dataloader import DataLoader as DataLoader
from onetape.utils.data.dataset import ChainDataset as ChainDataset
from onetape.utils.data.dataset import ConcatDataset as ConcatDataset
from onetape.utils.data.dataset import Dataset as Dataset
from onetape.utils.data.dataset import IterableDataset as IterableDataset
from onetape.utils.data.dataset import StackDataset as StackDataset
from onetape.utils.data.dataset import Subset as Subset
from onetape.utils.data.dataset import TensorDataset as TensorDataset
from onetape.utils.data.dataset import random_split as random_split
from onetape.utils.data.distributed import DistributedSampler as DistributedSampler
from onetape.utils.data.readers import MNIST as MNIST
from onetape.utils.data.readers import decode_image as decode_image
from onetape.utils.data.readers import read_csv as read_csv
from onetape.utils.data.readers import read_idx as read_idx
from onetape.utils.data.readers import read_image as read_image
from onetape.utils.data.sampler import BatchSampler as BatchSampler
from onetape.utils.data.sampler import RandomSampler as RandomSampler
from onetape.utils.data.sampler import Sampler as Sampler
from onetape.utils.data.sampler import SequentialSampler as SequentialSampler
from onetape.utils.data.sampler import SubsetRandomSampler as SubsetRandomSampler
from onetape.utils.data.sampler import WeightedRandomSampler as WeightedRandomSampler

__all__ = [
    "MNIST",
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "decode_image",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
    "read_csv",
    "read_idx",
    "read_image",
]
