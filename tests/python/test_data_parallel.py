"""DistributedDataParallel and ZeroRedundancyOptimizer: N processes train as one with the whole batch would."""

from __future__ import annotations

import copy
import time
from datetime import timedelta
from typing import Any

import pytest

import onetape as torch
import onetape.distributed as dist
from onetape import nn
from onetape.distributed.algorithms.ddp_comm_hooks import default_hooks
from onetape.distributed.optim import ZeroRedundancyOptimizer
from onetape.futures import Future
from onetape.nn.parallel import DistributedDataParallel
from tests.python.support.ranks import run

pytestmark = pytest.mark.skipif(not dist.is_gloo_available(), reason="built without Gloo")


def bits(tensors: Any) -> list[list[float]]:
    return [tensor.detach().flatten().tolist() for tensor in tensors]


def network(seed: int = 0) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(6, 50), nn.Tanh(), nn.Linear(50, 40), nn.ReLU(), nn.Linear(40, 3))


def batch(step: int, count: int = 12) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(step)
    return torch.randn(count, 6, generator=generator), torch.randint(0, 3, (count,), generator=generator)


def part(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.chunk(dist.get_world_size())[dist.get_rank()]


def same_everywhere(tensors: Any) -> bool:
    """To the last bit."""
    everyone: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, bits(tensors))
    return all(one == everyone[0] for one in everyone)


def trains(options: dict[str, Any], set_to_none: bool) -> None:
    # Rank 0's parameters become those of all.
    model = DistributedDataParallel(network(dist.get_rank()), **options)
    alone = network(0)
    assert bits(model.parameters()) == bits(alone.parameters())
    assert [name for name, _ in model.named_parameters()] == [f"module.{name}" for name, _ in alone.named_parameters()]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    single = torch.optim.SGD(alone.parameters(), lr=0.1, momentum=0.9)
    for step in range(5):
        x, y = batch(step)
        optimizer.zero_grad(set_to_none=set_to_none)
        nn.functional.cross_entropy(model(part(x)), part(y)).backward()
        assert same_everywhere([p.grad for p in model.parameters()])
        single.zero_grad(set_to_none=set_to_none)
        nn.functional.cross_entropy(alone(x), y).backward()
        for mine, theirs in zip(model.parameters(), alone.parameters(), strict=True):
            assert torch.allclose(mine.grad, theirs.grad, rtol=1e-4, atol=1e-6)
        optimizer.step()
        single.step()
    assert same_everywhere(model.parameters())
    assert all(
        torch.allclose(a, b, rtol=1e-4, atol=1e-6) for a, b in zip(model.parameters(), alone.parameters(), strict=True)
    )


@pytest.mark.parametrize("world", [2, 3])
@pytest.mark.parametrize(
    "options", [{}, {"bucket_cap_mb": 0.0005}, {"gradient_as_bucket_view": True}, {"find_unused_parameters": True}]
)
def test_as_one_process(world: int, options: dict[str, Any]) -> None:
    run(world, trains, options, options.get("gradient_as_bucket_view", False) and world == 2)


def accumulates(options: dict[str, Any]) -> None:
    model = DistributedDataParallel(network(), **options)
    alone = network()
    batches = [batch(step) for step in range(3)]
    for index, (x, y) in enumerate(batches):
        if index < 2:
            with model.no_sync():
                nn.functional.cross_entropy(model(part(x)), part(y)).backward()
            assert not same_everywhere([p.grad for p in model.parameters()])
        else:
            nn.functional.cross_entropy(model(part(x)), part(y)).backward()
        nn.functional.cross_entropy(alone(x), y).backward()
    assert same_everywhere([p.grad for p in model.parameters()])
    for mine, theirs in zip(model.parameters(), alone.parameters(), strict=True):
        assert torch.allclose(mine.grad, theirs.grad, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"gradient_as_bucket_view": True}])
def test_no_sync(options: dict[str, Any]) -> None:
    run(2, accumulates, options)


class Branches(nn.Module):
    """Uses one branch or the other."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.never = nn.Linear(6, 3), nn.Linear(6, 3), nn.Linear(2, 2)

    def forward(self, x: torch.Tensor, second: bool) -> dict[str, list[torch.Tensor]]:
        return {"out": [self.second(x) if second else self.first(x)]}


def unused() -> None:
    torch.manual_seed(0)
    plain = Branches()
    model = DistributedDataParallel(copy.deepcopy(plain), find_unused_parameters=True)
    x, _ = batch(0)
    for step in range(3):
        model.zero_grad()
        plain.zero_grad()
        # Each rank uses another branch in the second step.
        mine = step == 1 and dist.get_rank() == 1
        model(part(x), mine)["out"][0].sum().backward()
        halves = x.chunk(2)
        for rank, half in enumerate(halves):
            (plain(half, step == 1 and rank == 1)["out"][0].sum() / 2).backward()
        for got, expected in zip(model.module.parameters(), plain.parameters(), strict=True):
            assert (got.grad is None) == (expected.grad is None)
            assert got.grad is None or torch.allclose(got.grad, expected.grad, rtol=1e-4, atol=1e-6)
    strict = DistributedDataParallel(copy.deepcopy(plain))
    strict(part(x), False)["out"][0].sum().backward()
    with pytest.raises(RuntimeError, match="Expected to have finished reduction in the prior iteration"):
        strict(part(x), False)
    # A forward pass that nothing follows does no harm.
    model(part(x), False)
    model(part(x), False)["out"][0].sum().backward()


def test_unused_parameters() -> None:
    run(2, unused)


def buffers() -> None:
    torch.manual_seed(dist.get_rank())
    module = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 3))
    module[0].running_mean.fill_(float(dist.get_rank() + 5))
    model = DistributedDataParallel(module)
    assert model.module[0].running_mean[0].item() == 5.0
    x, y = batch(0)
    for _ in range(2):
        nn.functional.cross_entropy(model(part(x)), part(y)).backward()
    own = model.module[0].running_mean.clone()
    model.eval()
    with torch.no_grad():
        model(part(x))
    everyone: list[Any] = [None, None]
    dist.all_gather_object(everyone, own.tolist())
    assert everyone[0] != everyone[1]  # each has seen its own part last
    assert model.module[0].running_mean.tolist() == everyone[0]
    free = DistributedDataParallel(nn.BatchNorm1d(6), broadcast_buffers=False)
    free(part(x)).sum().backward()
    free(part(x)).sum().backward()
    assert not same_everywhere([free.module.running_mean])


def test_buffers() -> None:
    run(2, buffers)


def uneven(by_world: bool, hook: bool) -> Any:
    module = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 3))
    model = DistributedDataParallel(module, find_unused_parameters=hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = 2 + 2 * dist.get_rank()
    with model.join(divide_by_initial_world_size=by_world):
        for step in range(steps):
            x, y = batch(step)
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(part(x)), part(y)).backward()
            optimizer.step()
    assert same_everywhere([*model.parameters(), *model.buffers()])
    total = torch.ones(1)
    dist.all_reduce(total)
    return total.item(), bits(model.parameters())


@pytest.mark.parametrize("by_world", [True, False])
def test_uneven_inputs(by_world: bool) -> None:
    answers = run(3, uneven, by_world, not by_world)
    assert [total for total, _ in answers] == [3.0] * 3
    assert answers[0][1] == answers[2][1]


def throws() -> None:
    model = DistributedDataParallel(network())
    with pytest.raises(RuntimeError, match="exhausted inputs"), model.join(throw_on_early_termination=True):
        for step in range(1 + dist.get_rank()):
            x, y = batch(step)
            nn.functional.cross_entropy(model(part(x)), part(y)).backward()
    with model.join(enable=False):
        model(part(batch(0)[0])).sum().backward()


def test_early_termination() -> None:
    run(2, throws)


def hooks() -> None:
    x, y = batch(0)
    plain = DistributedDataParallel(network())
    nn.functional.cross_entropy(plain(part(x)), part(y)).backward()
    expected = [p.grad for p in plain.parameters()]

    def own(state: Any, bucket: dist.GradBucket) -> Future[Any]:
        assert bucket.buffer().dim() == 1 and len(bucket.gradients()) == len(bucket.parameters())
        state.append((bucket.index(), bucket.is_last()))
        return default_hooks.allreduce_hook(None, bucket)

    seen: list[Any] = []
    for hook, error in (
        (default_hooks.allreduce_hook, 1e-6),
        (default_hooks.fp16_compress_hook, 1e-3),
        (default_hooks.bf16_compress_hook, 1e-2),
        (lambda group, bucket: default_hooks.bf16_compress_hook(group, bucket), 1e-2),
        (own, 1e-6),
    ):
        for views in (False, True):
            model = DistributedDataParallel(network(), gradient_as_bucket_view=views, bucket_cap_mb=0.002)
            model.register_comm_hook(seen if hook is own else None, hook)
            for _ in range(2):
                model.zero_grad(set_to_none=not views)
                nn.functional.cross_entropy(model(part(x)), part(y)).backward()
            for got, want in zip(model.parameters(), expected, strict=True):
                assert torch.allclose(got.grad, want, rtol=error, atol=error), (hook, views)
            assert same_everywhere([p.grad for p in model.parameters()])
    assert seen and any(last for _, last in seen) and {index for index, _ in seen} > {0}
    model = DistributedDataParallel(network())
    model.register_comm_hook(None, lambda state, bucket: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model(part(x)).sum().backward()
    with pytest.raises(TypeError, match="must be callable"):
        model.register_comm_hook(None, 3)  # type: ignore[arg-type]
    own_gradients = DistributedDataParallel(network())
    own_gradients.register_comm_hook(None, default_hooks.noop_hook)
    own_gradients(part(x)).sum().backward()
    assert not same_everywhere([p.grad for p in own_gradients.parameters()])


def test_comm_hooks() -> None:
    run(2, hooks)


def other_models() -> tuple[str, str]:
    rank = dist.get_rank()
    with pytest.raises(RuntimeError) as shapes:
        DistributedDataParallel(nn.Linear(3, 4 + rank))
    with pytest.raises(RuntimeError) as count:
        DistributedDataParallel(nn.Linear(3, 4, bias=rank == 0))
    with pytest.raises(RuntimeError, match="is not needed when a module doesn't have any parameters"):
        DistributedDataParallel(nn.ReLU())
    model = DistributedDataParallel(nn.Linear(3, 4))  # the group can still be used
    with pytest.raises(RuntimeError, match="cannot be copied"):
        copy.deepcopy(model)
    with pytest.raises(ValueError, match="device_ids"):
        DistributedDataParallel(nn.Linear(3, 4), device_ids=[0])
    return str(shapes.value), str(count.value)


def test_other_models_are_refused() -> None:
    for rank, (shapes, count) in enumerate(run(2, other_models)):
        assert shapes.startswith(f"[{rank}]: params[0] of rank 0 with sizes [4, 3] of float32 appears not to match")
        assert "that of rank 1 with sizes [5, 3]" in shapes
        assert count == (
            "DDP expects same model across all ranks, but Rank 0 has 2 params, while rank 1 has inconsistent 1 params."
        )


def dies_in_backward() -> Any:
    model = DistributedDataParallel(network())
    dist.barrier()
    dist.set_timeout(timedelta(seconds=3))
    if dist.get_rank() == 1:
        return None
    begin = time.monotonic()
    with pytest.raises(dist.DistBackendError, match="no sign of life from rank 1"):
        model(batch(0)[0]).sum().backward()
    return time.monotonic() - begin


def test_a_rank_that_goes_during_backward() -> None:
    assert run(2, dies_in_backward)[0] < 5


def shares(optimizer_class: str, options: dict[str, Any]) -> None:
    kind = getattr(torch.optim, optimizer_class)
    alone, together = network(), network()
    plain = kind(alone.parameters(), lr=0.05, **options)
    zero = ZeroRedundancyOptimizer(together.parameters(), kind, lr=0.05, **options)
    schedule = torch.optim.lr_scheduler.StepLR(zero, 2, 0.5)
    other = torch.optim.lr_scheduler.StepLR(plain, 2, 0.5)
    for step in range(4):
        x, y = batch(step)
        for model, optimizer, steps in ((alone, plain, other), (together, zero, schedule)):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            steps.step()
        assert bits(alone.parameters()) == bits(together.parameters())
    owned = sum(p.numel() for p in zero.optim.param_groups[0]["params"])
    total = sum(p.numel() for p in together.parameters())
    assert owned < 0.8 * total and len(zero.optim.state) < len(plain.state)
    with pytest.raises(RuntimeError, match="Optimizer state has not been consolidated on this rank"):
        zero.state_dict()
    zero.consolidate_state_dict(to=1)
    if dist.get_rank() == 1:
        state, expected = zero.state_dict(), plain.state_dict()
        assert state["state"].keys() == expected["state"].keys()
        for number, values in expected["state"].items():
            for name, value in values.items():
                assert torch.equal(torch.as_tensor(state["state"][number][name]), torch.as_tensor(value))
        assert [group["params"] for group in state["param_groups"]] == [
            group["params"] for group in expected["param_groups"]
        ]
    # The state of one optimizer serves a group, too.
    fresh = ZeroRedundancyOptimizer(together.parameters(), kind, lr=1.0, **options)
    fresh.load_state_dict(copy.deepcopy(plain.state_dict()))
    assert fresh.param_groups[0]["lr"] == plain.param_groups[0]["lr"]
    for model, optimizer in ((alone, plain), (together, fresh)):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(batch(9)[0]), batch(9)[1]).backward()
        optimizer.step()
    assert bits(alone.parameters()) == bits(together.parameters())
    extra = nn.Parameter(torch.ones(3))
    fresh.add_param_group({"params": [extra], "lr": 0.5})
    extra.grad = torch.ones(3)
    fresh.step()
    assert extra[0].item() != 1 and len(fresh.param_groups) == 2
    with pytest.raises(ValueError, match="doesn't match the size"):
        zero.load_state_dict({"state": {}, "param_groups": [{"params": [0]}]})
    with pytest.raises(ValueError, match="leave them out"):
        ZeroRedundancyOptimizer([extra], kind, overlap_with_ddp=True)


@pytest.mark.parametrize(("optimizer_class", "options"), [("Adam", {}), ("SGD", {"momentum": 0.9})])
def test_zero_redundancy_optimizer(optimizer_class: str, options: dict[str, Any]) -> None:
    run(2, shares, optimizer_class, options)
