"""Tensors without elements: what they are, where they come from, and what cannot be asked of them."""

import copy
import io
import pickle
import threading

import numpy as np
import pytest

import onetape as torch

META = torch.device("meta")


def meta(*size, **options):
    return torch.empty(*size, device="meta", **options)


def test_what_a_tensor_is():
    x = meta(2, 3, dtype=torch.float64)
    assert x.device == META
    assert x.is_meta
    assert not x.is_cpu
    assert not x.is_cuda
    assert x.get_device() == -1
    assert x.data_ptr() == 0
    assert x.type() == "torch.meta.DoubleTensor"
    assert x.untyped_storage().nbytes() == 48
    assert x.untyped_storage().device == META
    assert len(x) == 2
    assert x.t().stride() == (1, 3)
    assert x[:, 1:].storage_offset() == 1


TEXTS = {
    "tensor(..., device='meta', size=(2, 3))": lambda: meta(2, 3),
    "tensor(..., device='meta', size=(3,), dtype=torch.int64)": lambda: meta(3, dtype=torch.int64),
    "tensor(..., device='meta', size=(), requires_grad=True)": lambda: meta((), requires_grad=True),
    "tensor(..., device='meta', size=(), grad_fn=<MulBackward0>)": lambda: meta((), requires_grad=True) * 2,
    "tensor(..., device='meta', size=(0,))": lambda: meta(0),
}


@pytest.mark.parametrize("text", TEXTS)
def test_text(text):
    assert repr(TEXTS[text]()) == text


def test_text_of_what_shows_it():
    assert f"{meta(3)}" == "tensor(..., device='meta', size=(3,))"
    assert f"{meta(())}" == "tensor(..., device='meta', size=())"
    assert repr(meta(3).untyped_storage()) == "...\n[torch.storage.UntypedStorage(device=meta) of size 12]"
    assert "tensor(..., device='meta', size=(2,), requires_grad=True)" in repr(torch.nn.Parameter(meta(2)))


NO_DATA = (NotImplementedError, "Cannot copy out of meta tensor; no data!")
NO_ITEM = (RuntimeError, "Tensor.item() cannot be called on meta tensors")
NO_ARRAY = (
    TypeError,
    "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
)
REFUSED = {
    "to": (lambda: meta(3).to("cpu"), NO_DATA),
    "cpu": (lambda: meta(3).cpu(), NO_DATA),
    "tolist": (lambda: meta(3).tolist(), NO_DATA),
    "tolist of a number": (lambda: meta(()).tolist(), NO_DATA),
    "type_as": (lambda: meta(3).type_as(torch.ones(1)), NO_DATA),
    "copy_": (lambda: torch.ones(3).copy_(meta(3)), NO_DATA),
    "setting an element": (lambda: torch.ones(3).__setitem__(0, meta(())), NO_DATA),
    "item": (lambda: meta(()).item(), NO_ITEM),
    "item of several": (
        lambda: meta(3).item(),
        (RuntimeError, "a Tensor with 3 elements cannot be converted to Scalar"),
    ),
    "bool": (lambda: bool(meta(())), NO_ITEM),
    "float": (lambda: float(meta(())), NO_ITEM),
    "int": (lambda: int(meta(())), NO_ITEM),
    "is_nonzero": (lambda: meta(()).is_nonzero(), NO_ITEM),
    "allclose": (lambda: torch.allclose(meta(3), meta(3)), NO_ITEM),
    "number of classes": (lambda: torch.nn.functional.one_hot(meta(2, dtype=torch.int64)), NO_ITEM),
    "numpy": (lambda: meta(3).numpy(), NO_ARRAY),
    "asarray": (lambda: np.asarray(meta(3)), NO_ARRAY),
    "numpy with a gradient": (lambda: meta(3, requires_grad=True).numpy(), NO_ARRAY),
    "memoryview": (lambda: memoryview(meta(3)), (BufferError, "a tensor on meta has no buffer")),
    "dlpack": (lambda: meta(3).__dlpack__(), (BufferError, "Cannot pack tensors on meta")),
    "dlpack device": (lambda: meta(3).__dlpack_device__(), (ValueError, "Unknown device type meta for Dlpack")),
    "storage": (
        lambda: meta(3).untyped_storage()[0],
        (NotImplementedError, "Not available for 'meta' device type"),
    ),
    "generator": (lambda: torch.Generator(device="meta"), (RuntimeError, "META device type not an accelerator.")),
    "grad": (
        lambda: setattr(torch.ones(2, requires_grad=True), "grad", meta(2)),
        (
            RuntimeError,
            "attempting to assign a gradient with device type 'meta' to a tensor with device type 'cpu'. Please ensure "
            "that the gradient and the tensor are on the same device",
        ),
    ),
    "data": (
        lambda: setattr(torch.ones(2), "data", meta(2)),
        (
            RuntimeError,
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type.",
        ),
    ),
    "gradient": (
        lambda: (meta(2, requires_grad=True) * 2).backward(torch.ones(2)),
        (RuntimeError, "invalid gradient at index 0 - expected device meta but got cpu"),
    ),
    "gradient of a copy": (lambda: torch.ones(2, requires_grad=True).to("meta").sum().backward(), NO_DATA),
    "module": (
        lambda: torch.nn.Linear(2, 2, device="meta").to("cpu"),
        (
            NotImplementedError,
            "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
            "torch.nn.Module.to() when moving module from meta to a different device.",
        ),
    ),
}


@pytest.mark.parametrize("how", REFUSED)
def test_what_needs_elements(how):
    function, (kind, line) = REFUSED[how]
    with pytest.raises(kind) as raised:
        function()
    assert type(raised.value) is kind
    assert str(raised.value).splitlines()[0] == line


MIXED = {
    "add": lambda a, b: a + b,
    "add_": lambda a, b: a.add_(b),
    "eq": lambda a, b: a == b,
    "matmul": lambda a, b: a @ b,
    "cat": lambda a, b: torch.cat([a, b]),
    "where": lambda a, b: torch.where(a > 0, b, b),
    "out": lambda a, b: torch.add(b, b, out=a),
    "linear": lambda a, b: torch.nn.functional.linear(a, b),
    "gather": lambda a, b: torch.gather(a, 0, b.long()),
    "loss": lambda a, b: torch.nn.functional.mse_loss(a, b),
}


@pytest.mark.parametrize("how", MIXED)
def test_operands_of_two_devices(how):
    here, nowhere = torch.ones(2, 2), meta(2, 2)
    with pytest.raises(RuntimeError, match="^Tensor on device cpu is not on the expected device meta!$"):
        MIXED[how](nowhere, here)
    with pytest.raises(RuntimeError, match="^Tensor on device meta is not on the expected device cpu!$"):
        MIXED[how](here, nowhere)
    assert here.tolist() == [[1, 1], [1, 1]]


def test_what_goes_with_any_device():
    number = torch.tensor(2.0)
    assert (meta(3) + number).is_meta
    assert (number * meta(3)).is_meta
    assert meta(3).fill_(number).is_meta
    assert meta(5)[torch.tensor([0, 4])].shape == (2,)
    into = meta(3)
    into[:] = torch.ones(3)
    assert into.copy_(torch.ones(1)) is into
    assert torch.ones(2).to(meta(1, dtype=torch.int32)).dtype == torch.int32


def test_making():
    here = torch.ones(2, 3)
    made = [
        torch.tensor([[1.0]], device="meta"),
        torch.as_tensor(here, device="meta"),
        torch.asarray(here, device="meta"),
        here.to("meta"),
        here.to(META),
        meta(2).new_tensor([1.0]),
        meta(2).new_ones(3),
        torch.ones_like(meta(2)),
        torch.empty_like(here, device="meta"),
        torch.rand(2, generator=torch.Generator(), device="meta"),
    ]
    assert all(t.is_meta for t in made)
    assert torch.zeros_like(meta(2), device="cpu").tolist() == [0, 0]
    assert here.t().to("meta").stride() == (1, 3)


def test_copies_and_files():
    x = torch.empty_strided((2, 3), (1, 2), device="meta", requires_grad=True)
    for twin in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), copy.deepcopy([x, x])[1]):
        assert twin.is_meta
        assert twin.stride() == x.stride()
        assert twin.requires_grad


@pytest.mark.parametrize("kind", [torch.Tensor, torch.nn.Parameter])
def test_saved_files(kind):
    x = torch.empty_strided((2, 3), (1, 2), device="meta", dtype=torch.float64)
    file = io.BytesIO()
    torch.save({"x": torch.nn.Parameter(x) if kind is torch.nn.Parameter else x}, file)
    file.seek(0)
    twin = torch.load(file)["x"]
    assert type(twin) is kind
    assert twin.is_meta
    assert (twin.shape, twin.stride(), twin.dtype) == (x.shape, x.stride(), x.dtype)


def test_gradients():
    x, w = meta(4, 3), meta(3, 2, requires_grad=True)
    loss = torch.softmax(x @ w, 1).log().mean()
    loss.backward()
    assert w.grad.is_meta
    assert w.grad.shape == (3, 2)
    (torch.tanh(x @ w).sum() + loss.detach()).backward()  # adds to it
    assert w.grad.shape == (3, 2)
    (grad,) = torch.autograd.grad((x @ w).pow(3).sum(), w, create_graph=True)
    assert torch.autograd.grad(grad.sum(), w)[0].is_meta
    (w * 2).sum().backward(torch.tensor(1.0))


def test_large_tensors_take_no_memory():
    model = torch.nn.Sequential(torch.nn.Linear(1 << 20, 1 << 20, device="meta"), torch.nn.ReLU())
    model(meta(8, 1 << 20)).sum().backward()
    assert model[0].weight.grad.untyped_storage().nbytes() == 4 << 40


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "Adafactor", "NAdam"])
def test_optimizers(optimizer):
    w = torch.nn.Parameter(meta(3, 2))
    step = getattr(torch.optim, optimizer)([w], lr=0.1)
    for _ in range(2):
        (w * w).sum().backward()
        step.step()
        step.zero_grad()
    assert w.is_meta
    torch.nn.utils.clip_grad_norm_([w], 1.0)


class TestModules:
    def test_move(self):
        here = torch.nn.BatchNorm1d(3)
        moved = here.to("meta")
        assert moved is here
        assert all(t.is_meta for t in moved.state_dict().values())
        assert isinstance(moved.weight, torch.nn.Parameter)
        assert moved.weight.requires_grad

    def test_memory(self):
        model = torch.nn.Sequential(torch.nn.Linear(2, 3, device="meta"), torch.nn.BatchNorm1d(3, device="meta"))
        model.to_empty(device="cpu")
        assert all(t.is_cpu for t in model.state_dict().values())
        torch.nn.init.ones_(model[0].weight)
        assert model[0].weight.tolist() == [[1, 1]] * 3

    def test_state(self):
        here, nowhere = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2, device="meta")
        with pytest.warns(UserWarning, match="copying from a non-meta parameter in the checkpoint to a meta parameter"):
            nowhere.load_state_dict(here.state_dict())
        assert nowhere.weight.is_meta
        nowhere.load_state_dict(here.state_dict(), assign=True)
        assert torch.equal(nowhere.weight, here.weight)
        with pytest.raises(RuntimeError, match="Cannot copy out of meta tensor; no data!"):
            here.load_state_dict(torch.nn.Linear(2, 2, device="meta").state_dict())


def test_other_threads_see_the_device():
    x = meta(3, requires_grad=True)
    found = []

    def run():
        (x * 2).sum().backward()
        found.append(x.grad.device)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [META]


def test_changing_sizes():
    x = meta(3)
    assert x.resize_(2, 5).shape == (2, 5)
    assert x.untyped_storage().nbytes() == 40
    assert x.resize_(2).shape == (2,)
    assert x.is_meta
    assert meta(2).set_(x).is_meta
    x.untyped_storage().resize_(400)
    assert x.untyped_storage().nbytes() == 400
