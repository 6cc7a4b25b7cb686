"""Devices that are not there: every way of asking for one gives the error of a PyTorch built without it."""

import copy
import io
import pickle
import threading

import pytest

import onetape as torch

X = torch.ones(2)

ASKING = {
    "cuda": lambda: X.cuda(),
    "cuda index": lambda: X.cuda(0),
    "cuda non_blocking": lambda: X.double().cuda(non_blocking=True),
    "to": lambda: X.to("cuda"),
    "to index": lambda: X.to("cuda:1"),
    "to number": lambda: X.to(0),
    "to device": lambda: X.to(torch.device("cuda")),
    "to keyword": lambda: X.to(device="cuda", dtype=torch.float64),
    "ones": lambda: torch.ones(2, device="cuda"),
    "ones number": lambda: torch.ones(2, device=0),
    "zeros": lambda: torch.zeros(2, device="cuda"),
    "empty": lambda: torch.empty(2, device="cuda"),
    "full": lambda: torch.full((2,), 1.0, device="cuda"),
    "arange": lambda: torch.arange(3, device="cuda"),
    "linspace": lambda: torch.linspace(0, 1, 3, device="cuda"),
    "eye": lambda: torch.eye(3, device="cuda"),
    "tensor": lambda: torch.tensor([1.0], device="cuda"),
    "as_tensor": lambda: torch.as_tensor([1.0], device="cuda"),
    "rand": lambda: torch.rand(2, device="cuda"),
    "randn": lambda: torch.randn(2, device="cuda"),
    "randint": lambda: torch.randint(3, (2,), device="cuda"),
    "randperm": lambda: torch.randperm(3, device="cuda"),
    "zeros_like": lambda: torch.zeros_like(X, device="cuda"),
    "rand_like": lambda: torch.rand_like(X, device="cuda"),
    "full_like": lambda: torch.full_like(X, 2, device="cuda"),
    "new_zeros": lambda: X.new_zeros(2, device="cuda"),
    "new_tensor": lambda: X.new_tensor([2.0], device="cuda"),
    "new_full": lambda: X.new_full((2,), 1, device="cuda"),
    "module": lambda: torch.nn.Linear(2, 2).cuda(),
    "module to": lambda: torch.nn.Linear(2, 2).to("cuda"),
    "module made": lambda: torch.nn.Linear(2, 2, device="cuda"),
    "parameter": lambda: torch.nn.Parameter(X).cuda(),
    "current_device": lambda: torch.cuda.current_device(),
    "set_device": lambda: torch.cuda.set_device(0),
    "synchronize": lambda: torch.cuda.synchronize(),
    "get_device_name": lambda: torch.cuda.get_device_name(0),
    "get_device_capability": lambda: torch.cuda.get_device_capability(),
    "get_device_properties": lambda: torch.cuda.get_device_properties(0),
    "init": lambda: torch.cuda.init(),
}


@pytest.mark.parametrize("how", ASKING)
def test_cuda_is_refused(how):
    with pytest.raises(AssertionError, match="^Torch not compiled with CUDA enabled$"):
        ASKING[how]()


def test_questions_have_answers():
    assert torch.cuda.is_available() is False
    assert torch.cuda.is_initialized() is False
    assert torch.cuda.is_bf16_supported() is False
    assert torch.cuda.device_count() == 0
    assert torch.cuda.memory_allocated() == torch.cuda.max_memory_allocated() == 0
    assert torch.cuda.memory_reserved() == torch.cuda.max_memory_reserved() == 0
    torch.cuda.manual_seed(0)
    torch.cuda.manual_seed_all(0)
    torch.cuda.empty_cache()
    assert torch.device("cuda").type == "cuda"
    assert X.is_cuda is False
    assert X.get_device() == -1
    assert X.cpu() is X


def test_other_devices_are_refused():
    with pytest.raises(RuntimeError, match="PyTorch is not linked with support for mps devices"):
        X.to("mps")
    with pytest.raises(RuntimeError, match="^Invalid device string: 'cuda:x'"):
        X.to("cuda:x")
    with pytest.raises(RuntimeError, match="^Device string must not be empty$"):
        torch.device("")


def test_every_name_of_pytorch_is_a_device():
    names = (
        "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia privateuseone"
    )
    for name in names.split():
        assert torch.device(name).type == name
        assert str(torch.device(name, 1)) == f"{name}:1"
    listed = ", ".join(names.split())
    for wrong in ("gpu", "CPU", "metal"):
        with pytest.raises(RuntimeError) as raised:
            torch.device(wrong)
        assert str(raised.value) == f"Expected one of {listed} device type at start of device string: {wrong}"
    for wrong in ("cuda1", "3", "cpu:-1"):
        with pytest.raises(RuntimeError, match="^Invalid device string: "):
            torch.device(wrong)


def test_devices_that_are_only_named():
    with pytest.raises(AssertionError, match="^Torch not compiled with XPU enabled$"):
        torch.ones(2, device="xpu")
    for name in ("mps", "xla", "vulkan"):
        with pytest.raises(RuntimeError, match=f"^PyTorch is not linked with support for {name} devices$"):
            X.to(name)


def test_values():
    cuda = torch.device("cuda:1")
    assert cuda == torch.device("cuda", 1) != torch.device("cuda")
    assert hash(cuda) == hash(torch.device("cuda", 1))
    assert repr(cuda) == "device(type='cuda', index=1)"
    assert pickle.loads(pickle.dumps(cuda)) == copy.deepcopy(cuda) == cuda
    assert torch.device("cpu") != "cpu"
    assert torch.ones(2, device="cpu:0").device == X.to("cpu:1").device == torch.device("cpu")
    with pytest.raises(TypeError, match="^comparison not implemented$"):
        cuda < torch.device("cpu")  # noqa: B015
    for wrong in (None, 1.5):
        with pytest.raises(TypeError, match="^device\\(\\) received an invalid combination of arguments"):
            torch.device(wrong)


def test_the_device_of_new_tensors():
    assert torch.get_default_device() == torch.device("cpu")
    torch.set_default_device("meta")
    try:
        assert torch.get_default_device() == torch.device("meta")
        made = [torch.ones(2), torch.tensor([1.0]), torch.arange(3), torch.rand(2), torch.eye(2), torch.randperm(3)]
        made += [torch.as_tensor([1.0]), torch.asarray([1.0]), torch.nn.Linear(2, 2).weight]
        assert all(t.is_meta for t in made)
        others = [torch.ones_like(X), X.new_zeros(2), torch.ones(2, device="cpu"), X + 1, torch.from_numpy(X.numpy())]
        assert all(t.is_cpu for t in others)
    finally:
        torch.set_default_device(None)
    assert torch.ones(2).is_cpu
    with torch.device("meta") as entered:
        assert entered == torch.device("meta")
        with torch.device("cpu"):
            assert torch.ones(2).is_cpu
        assert torch.ones(2).is_meta
    assert torch.ones(2).is_cpu
    with pytest.raises(RuntimeError, match="^Expected one of cpu, cuda"):
        torch.set_default_device("gpu")
    with torch.device("cuda"), pytest.raises(AssertionError, match="^Torch not compiled with CUDA enabled$"):
        torch.ones(2)


def test_the_device_of_new_tensors_is_a_threads_own():
    torch.set_default_device("meta")
    try:
        found = []
        thread = threading.Thread(target=lambda: found.append(torch.ones(2).device))
        thread.start()
        thread.join()
        assert found == [torch.device("cpu")]
    finally:
        torch.set_default_device(None)


def test_programs_that_look_for_a_device_find_the_cpu():
    assert not torch.backends.mps.is_available()
    assert not torch.backends.mps.is_built()
    assert not torch.backends.cuda.is_built()
    assert not torch.backends.cudnn.is_available()
    torch.backends.cudnn.benchmark = True
    assert not torch.xpu.is_available()
    assert not torch.mps.is_available()
    assert not torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator() is None
    assert torch.cuda.device_count() == torch.xpu.device_count() == torch.accelerator.device_count() == 0
    assert torch.cpu.is_available()
    assert torch.cpu.device_count() == 1
    torch.cpu.synchronize()
    with pytest.raises(AssertionError, match="^Torch not compiled with XPU enabled$"):
        torch.xpu.current_device()
    with pytest.raises(AssertionError, match="^Torch not compiled with XPU enabled$"):
        X.xpu()


@pytest.mark.parametrize("where", ["cpu", torch.device("cpu"), {"cpu": "cpu"}, lambda storage, place: storage])
def test_map_location(where):
    file = io.BytesIO()
    torch.save(X, file)
    file.seek(0)
    assert torch.equal(torch.load(file, map_location=where), X)


def test_map_location_of_other_devices():
    file = io.BytesIO()
    torch.save({"weight": X}, file)

    def loaded(where):
        file.seek(0)
        return torch.load(file, map_location=where)["weight"]

    assert loaded("meta").is_meta
    assert loaded("meta").shape == X.shape
    for where in ("cuda", "cuda:0", torch.device("cuda"), {"cpu": "cuda:0"}):
        with pytest.raises(RuntimeError, match="^Attempting to deserialize object on a CUDA device but"):
            loaded(where)
    with pytest.raises(RuntimeError, match="^don't know how to restore data location of torch.storage.UntypedStorage"):
        loaded("foo")
