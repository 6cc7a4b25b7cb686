"""Files of tensors: safetensors, and NumPy's npy and npz. PyTorch's own files are those of onetape.save and load."""

from onetape.io import safetensors as safetensors
from onetape.io.npy import load_npy as load_npy
from onetape.io.npy import load_npz as load_npz
from onetape.io.npy import save_npy as save_npy
from onetape.io.npy import save_npz as save_npz
