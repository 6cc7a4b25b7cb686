"""Tensors that get another shape or other memory in place; values and texts are PyTorch's unless a test says so."""

import gc
import threading

import numpy as np
import pytest

import onetape as torch

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."


def counting(*shape: int) -> torch.Tensor:
    return torch.tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


VIEWS = {
    "t_": (lambda x: x.t_(), (3, 2), "TBackward1"),
    "transpose_": (lambda x: x.transpose_(0, -1), (3, 2), "TransposeBackward1"),
    "swapaxes_": (lambda x: x.swapaxes_(0, 1), (3, 2), "TransposeBackward1"),
    "swapdims_": (lambda x: x.swapdims_(0, 1), (3, 2), "TransposeBackward1"),
    "squeeze_": (lambda x: x.squeeze_(), (2, 3), "SqueezeBackward3"),
    "squeeze_ dim": (lambda x: x.squeeze_(0), (2, 3), "SqueezeBackward4"),
    "squeeze_ dims": (lambda x: x.squeeze_((0, 1)), (2, 3), "SqueezeBackward5"),
    "unsqueeze_": (lambda x: x.unsqueeze_(1), (2, 1, 3), "UnsqueezeBackward1"),
    "as_strided_": (lambda x: x.as_strided_((3, 2), (1, 3)), (3, 2), "AsStridedBackward1"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_in_place(name: str) -> None:
    change, shape, node = VIEWS[name]
    x = counting(2, 3)
    assert change(x) is x
    assert (x.shape, x._version) == (shape, 1)

    w = counting(2, 3).requires_grad_()
    y = w.clone()
    change(y)
    assert y.grad_fn is not None
    assert y.grad_fn.name() == node
    (y * y + 2 * y).sum().backward()
    assert w.grad.tolist() == [[2, 4, 6], [8, 10, 12]]

    w = counting(2, 3).requires_grad_()
    base = w.clone()
    view = base.view(2, 3)
    change(view)
    assert (base.grad_fn.name(), view.grad_fn.name(), base.shape) == ("CloneBackward0", node, (2, 3))
    (view * view).sum().backward(retain_graph=True)
    assert w.grad.tolist() == [[0, 2, 4], [6, 8, 10]]
    base.mul_(2)  # the view finds its history again
    w.grad = None
    (view * 3).sum().backward()
    assert w.grad.tolist() == [[6, 6, 6], [6, 6, 6]]

    with pytest.raises(RuntimeError, match=LEAF):
        change(counting(2, 3).requires_grad_())
    with pytest.raises(RuntimeError, match=VIEW_OF_LEAF):
        change(counting(2, 3).requires_grad_().view(2, 3))
    leaf = counting(2, 3).requires_grad_()
    with torch.no_grad():
        change(leaf)
    assert leaf.shape == shape
    assert leaf.requires_grad

    x = counting(2, 3)
    product = (counting(2, 3).requires_grad_() * x).sum()
    change(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation.*is at version 1; expected version 0"):
        product.backward()


def test_errors_of_views_in_place() -> None:
    with pytest.raises(RuntimeError, match=r"t_\(\) expects a tensor with <= 2 dimensions, but self is 3D"):
        counting(2, 3, 1).t_()
    for call in (lambda x: x.transpose_(0, 5), lambda x: x.squeeze_(4), lambda x: x.unsqueeze_(5)):
        x = counting(2, 3)
        with pytest.raises(IndexError, match="Dimension out of range"):
            call(x)
        assert (x.shape, x._version) == ((2, 3), 0)
    with pytest.raises(RuntimeError, match=r"setStorage: sizes \[9\], strides \[1\]"):
        counting(4).as_strided_((9,), (1,))
    with pytest.raises(RuntimeError, match="Output 0 of Unbind is a view and is being modified inplace"):
        counting(2, 3).requires_grad_().clone().unbind()[0].unsqueeze_(0)


@pytest.mark.parametrize("running", ["cumsum_", "cumprod_"])
def test_running_sums_and_products_in_place(running: str) -> None:
    w = counting(2, 3).requires_grad_()
    base = w.clone()
    view = base.view(2, 3)
    getattr(view, running)(0)
    assert (base.grad_fn.name(), view.grad_fn.name()) == ("CopySlices", "AsStridedBackward0")
    (view * view + 3 * base).sum().backward()
    plain = counting(2, 3).requires_grad_()
    result = getattr(plain, running[:-1])(0)
    (result * result + 3 * result).sum().backward()
    assert w.grad.tolist() == plain.grad.tolist()
    with pytest.raises(RuntimeError, match=LEAF):
        getattr(counting(2).requires_grad_(), running)(0)
    integers = torch.tensor([1, 2, 3], dtype=torch.int8)
    assert getattr(integers, running)(0) is integers
    assert integers.dtype == torch.int8


# ---- resize_ ----


def test_resize() -> None:
    x = counting(2, 3)
    assert x.resize_(2, 2) is x
    assert x.tolist() == [[0, 1], [2, 3]]
    assert x._version == 1
    assert x.resize_([2, 3]).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert x.resize_(10).tolist()[:6] == [0, 1, 2, 3, 4, 5]
    assert (x._version, x.untyped_storage().nbytes()) == (3, 40)
    assert x.resize_(10)._version == 3  # the same shape is no change
    assert x.resize_(()).item() == 0
    assert counting(2, 3).t().resize_(2, 2).tolist() == [[0, 1], [2, 3]]
    assert counting(6)[3:].resize_(2).tolist() == [3, 4]
    assert counting(4).resize_as_(counting(2, 3).t()).stride() == (2, 1)


def test_memory_that_grows_leaves_other_views_as_they_were() -> None:
    base = counting(6)
    view = base[3:]
    view.resize_(9)
    base[4] = 77  # in PyTorch the view would see it
    assert (view.tolist()[:3], base.tolist()) == ([3, 4, 5], [0, 1, 2, 3, 77, 5])


def test_errors_of_resize() -> None:
    for x in (counting(4).requires_grad_(), counting(4).requires_grad_() * 1):
        with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
            x.resize_(2)
        with torch.no_grad(), pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
            x.resize_as_(counting(2))
    x = counting(4)
    with pytest.raises(RuntimeError, match="numel: integer multiplication overflow"):
        x.resize_(-1)
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        x.resize_(2**62)
    with pytest.raises(TypeError, match="resize_"):
        x.resize_()
    assert (x.tolist(), x._version) == ([0, 1, 2, 3], 0)
    with torch.inference_mode():
        inside = counting(4)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        inside.resize_(2)


def test_memory_of_numpy_does_not_grow() -> None:
    array = np.arange(4.0)
    x = torch.from_numpy(array)
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        x.resize_(10)
    assert x.resize_(2).tolist() == [0, 1]
    assert not x.untyped_storage().resizable()
    exported = counting(100)
    shown = exported.numpy()
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        exported.resize_(1000)
    exported.set_(counting(2))
    gc.collect()
    assert shown[99] == 99


# ---- set_ ----


def test_set() -> None:
    x = counting(2, 3)
    assert x.set_() is x
    assert (x.shape, x._version, x.tolist()) == ((0,), 1, [])
    source = counting(6)
    x.set_(source, 1, (2, 2))
    assert (x.tolist(), x.storage_offset(), x._version, source._version) == ([[1, 2], [3, 4]], 1, 2, 0)
    source[1] = 50
    assert x[0, 0] == 50
    assert counting(4).set_(counting(2, 3).t()).stride() == (1, 3)
    assert counting(4).set_(source=torch.ones(3)).shape == (3,)
    assert counting(4).set_(source.untyped_storage()).shape == (6,)
    assert counting(4).set_(source.storage(), 2, (3,), (1,)).tolist() == [2, 3, 4]
    longer = counting(4).set_(torch.ones(3), 2, (5,), (1,))
    assert longer.untyped_storage().nbytes() == 28
    assert longer[0] == 1


def test_errors_of_set() -> None:
    x = counting(4)
    cases = {
        "Could not set tensor of type long int to a tensor of type float": lambda: x.set_(torch.ones(3).long()),
        "Expected a Storage of type float or an UntypedStorage": lambda: x.set_(torch.ones(3).long().storage()),
        "Tensor: invalid storage offset -1": lambda: x.set_(torch.ones(3), -1, (2,)),
        r"unequal size length \(1\) and stride length \(2\)": lambda: x.set_(torch.ones(3), 0, (2,), (1, 1)),
        "numel: integer multiplication overflow": lambda: x.set_(torch.ones(3), 0, (-2,)),
        r"Storage size calculation overflowed with sizes=\[2\] and strides=\[-1\]": lambda: x.set_(
            torch.ones(3), 2, (2,), (-1,)
        ),
        "Trying to resize storage that is not resizable": lambda: x.set_(
            torch.from_numpy(np.ones(3, np.float32)), 0, (9,)
        ),
    }
    for text, call in cases.items():
        with pytest.raises(RuntimeError, match=text):
            call()
        assert (x.tolist(), x._version) == ([0, 1, 2, 3], 0)
    with pytest.raises(RuntimeError, match=LEAF):
        counting(4).requires_grad_().set_(torch.ones(2))


def test_the_graph_refuses_set() -> None:
    y = counting(4).requires_grad_() * 1
    y.set_(torch.ones(2))
    assert y.grad_fn.name() == "NotImplemented"
    with pytest.raises(RuntimeError, match="derivative for set_ is not implemented"):
        y.sum().backward()
    plain = counting(4)
    plain[1:].set_(torch.ones(2))
    assert plain._version == 1  # a view and its base count together
    view = (counting(4).requires_grad_() * 1)[1:]
    view.set_(torch.ones(20))
    with pytest.raises(RuntimeError, match="derivative for set_ is not implemented"):
        view.sum().backward()


def test_a_tensor_counts_its_own_changes_when_it_gets_other_memory() -> None:
    x = counting(3)
    x.add_(1).add_(1)
    other = counting(5)
    x.data = other
    assert (x._version, other._version) == (2, 0)
    x.add_(1)
    assert (x._version, other._version) == (3, 0)


# ---- storages ----


def test_storages_change_their_size() -> None:
    x = counting(4)
    storage = x.untyped_storage()
    assert storage.resize_(100) is storage
    assert (storage.nbytes(), x.untyped_storage().nbytes(), x.tolist(), x._version) == (100, 100, [0, 1, 2, 3], 0)
    x[0] = 9
    assert storage.tolist()[2:4] == [16, 65]  # the tensor shows it still
    storage.resize_(8)
    assert (x.shape, x[:2].tolist(), len(storage)) == ((4,), [9, 1], 8)
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 8"):
        x.as_strided((4,), (1,))
    assert x.storage().resize_(9) is None
    assert x.untyped_storage().nbytes() == 36
    for wrong in ("a", 2.5):
        with pytest.raises(RuntimeError, match="resize_ expects an int, but got"):
            storage.resize_(wrong)
    with pytest.raises(RuntimeError, match="negative number"):
        storage.resize_(-1)
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        torch.from_numpy(np.arange(4.0)).untyped_storage().resize_(100)


def test_memory_given_up_under_a_tensor_reads_as_zeros() -> None:
    x = torch.ones(1 << 20)
    x.untyped_storage().resize_(0)
    assert x.sum().item() < 2048  # what stands in the first page and the last
    x.untyped_storage().resize_(4 << 20)
    assert x.fill_(2).sum().item() == 2 << 20


# ---- shifts ----


def test_shifts() -> None:
    x = torch.tensor([1, 2, -3])
    assert (x << 2).tolist() == [4, 8, -12]
    assert (x >> torch.tensor([1, 70, -3])).tolist() == [0, 0, -1]
    assert (x << 64).tolist() == (x << -1).tolist() == [0, 0, 0]
    assert (1 << torch.tensor([1, 2])).tolist() == [2, 4]
    assert (64 >> torch.tensor([1, 2])).tolist() == [32, 16]
    assert (torch.tensor([1, 2], dtype=torch.int8) << 300).dtype == torch.int8
    assert (torch.tensor([255], dtype=torch.uint8) >> 1).tolist() == [127]
    y = x
    y <<= 1
    assert y is x
    assert y.bitwise_right_shift_(1).tolist() == [1, 2, -3]
    assert torch.bitwise_left_shift(torch.tensor([1, 2]), 2, out=torch.zeros(2)).tolist() == [4, 8]
    for call in (lambda: x << 2.5, lambda: x.float() >> 1, lambda: torch.tensor([True]) << True):
        with pytest.raises(NotImplementedError, match='"[lr]shift_cpu" not implemented for'):
            call()
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        x.bitwise_left_shift_(2.5)
    with pytest.raises(TypeError, match="unsupported operand type"):
        x << "a"


# ---- threads ----


def on_threads(*actions: object) -> None:
    ends = threading.Event()
    faults: list[BaseException] = []

    def work(action: object) -> None:
        while not ends.is_set():
            try:
                action()
            except RuntimeError:
                continue
            except BaseException as fault:
                faults.append(fault)
                return

    threads = [threading.Thread(target=work, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    ends.wait(1.0)
    ends.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not faults


def test_shapes_change_while_others_compute() -> None:
    x = torch.ones(300, 300)
    other = torch.ones(300, 300)
    w = torch.ones(300, 300, requires_grad=True)

    def grow() -> None:
        x.resize_(2, 2)
        x.resize_(300, 300)

    def replace() -> None:
        x.data = torch.ones(5)
        x.data = torch.ones(300, 300)

    on_threads(
        grow,
        replace,
        lambda: x.t_(),
        lambda: x.set_(other),
        lambda: x.untyped_storage().resize_(0),
        lambda: (x + other).sum(),
        lambda: x @ x,
        lambda: (w * x).exp().sum().backward(),
        lambda: torch.add(other, x, out=torch.empty(0)),
        lambda: x.cumsum(0),
    )


def test_a_hook_may_wait_for_a_change() -> None:
    x = torch.ones(200, 200)
    w = torch.ones(200, 200, requires_grad=True)
    y = w * 2

    def hook(gradient: torch.Tensor) -> None:
        thread = threading.Thread(target=lambda: x.resize_(3))
        thread.start()
        thread.join(30)
        assert not thread.is_alive()

    y.register_hook(hook)
    y.sum().backward()
    assert x.shape == (3,)


def test_nothing_changes_while_an_operator_saves_a_tensor() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 1

    def pack(kept: torch.Tensor) -> torch.Tensor:
        y.data = torch.ones(1)
        return kept

    with (
        torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept),
        pytest.raises(RuntimeError, match="cannot be changed while an operator"),
    ):
        y.mul_(y)
    assert y.shape == (3,)
