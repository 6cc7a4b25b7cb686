"""What nodes save for backward, and hooks on it."""

from __future__ import annotations

from typing import Any

from tests.golden.autograd.record import Log, case


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


@case
def saved_attributes(torch: Any, log: Log) -> None:
    x = leaf(torch)
    w = leaf(torch, 3.0, 4.0)
    y = x * w
    log(y.grad_fn._saved_self is x, y.grad_fn._saved_other is w)
    z = y.exp()
    log(z.grad_fn._saved_result, z.grad_fn._saved_result.grad_fn is z.grad_fn)
    p = (x * 1) * w
    log(p.grad_fn._saved_self, p.grad_fn._saved_self.grad_fn.name())
    z.sum().backward()
    log.error(lambda: y.grad_fn._saved_self)
    log.error(lambda: z.grad_fn._saved_result)
    log.error(lambda: (x + 1).grad_fn._saved_self)


@case
def saved_tensor_hooks(torch: Any, log: Log) -> None:
    graph = torch.autograd.graph
    x = leaf(torch)
    w = leaf(torch, 3.0, 4.0)

    def pack(t: Any) -> Any:
        log("pack", t, t.requires_grad)
        return ("packed", t.detach().clone())

    def unpack(p: Any) -> Any:
        log("unpack", p[0])
        return p[1] * 2

    with graph.saved_tensors_hooks(pack, unpack):
        y = x * w
        z = y.exp()
    log(z)
    z.sum().backward()
    log(x.grad, w.grad)


@case
def saved_tensor_hooks_nested(torch: Any, log: Log) -> None:
    graph = torch.autograd.graph
    x = leaf(torch)

    def hooks(name: str) -> Any:
        return graph.saved_tensors_hooks(lambda t: log("pack " + name) or t, lambda t: log("unpack " + name) or t)

    with hooks("outer"):
        a = x * x
        with hooks("inner"):
            b = a * a
        c = b * b
    d = c * c
    d.sum().backward()
    log(x.grad)


@case
def saved_tensor_hook_errors(torch: Any, log: Log) -> None:
    graph = torch.autograd.graph
    x = leaf(torch)

    def run(pack: Any, unpack: Any) -> Any:
        x.grad = None
        with graph.saved_tensors_hooks(pack, unpack):
            y = x * x
        y.sum().backward()
        return x.grad

    log.error(lambda: run(lambda t: t, lambda t: 3))
    log.error(lambda: run(lambda t: t, lambda t: None))
    log.error(lambda: run(lambda t: 1 / 0, lambda t: t))
    log.error(lambda: run(lambda t: t, lambda t: 1 / 0))
    log.error(lambda: run(lambda t: t.mul_(2), lambda t: t))
    log.error(lambda: run(lambda t: t.detach().mul_(2), lambda t: t))
    log(x)
    log.error(lambda: run(lambda t: None, lambda t: torch.ones(2)))
    log.error(lambda: run(lambda t: t, lambda t: torch.ones(3)))
    log.error(lambda: run(3, lambda t: t))
    x.grad = None
    log((x * x).sum().backward(), x.grad)


@case
def saved_tensor_hooks_see_changes(torch: Any, log: Log) -> None:
    graph = torch.autograd.graph
    x = leaf(torch)
    a = x * 1
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = a * a
    a.add_(1)
    log.error(lambda: y.sum().backward())
    a = x * 1
    with graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = a * a
    a.add_(1)
    log.error(lambda: y.sum().backward())
    log(x.grad)


@case
def saved_tensor_hooks_twice(torch: Any, log: Log) -> None:
    graph = torch.autograd.graph
    x = leaf(torch)
    with graph.saved_tensors_hooks(lambda t: t, lambda t: log("unpack") or t):
        y = x.exp()
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    log(g)
    (h,) = torch.autograd.grad(g.sum(), x)
    log(h)
    log.error(lambda: y.sum().backward())


@case
def saved_tensor_hooks_not_recording(torch: Any, log: Log) -> None:
    graph = torch.autograd.graph
    x = leaf(torch)
    with graph.saved_tensors_hooks(lambda t: log("pack") or t, lambda t: t):
        with torch.no_grad():
            _ = x * x
        _ = torch.ones(2) * torch.ones(2)
        _ = x + 1


@case
def save_on_cpu(torch: Any, log: Log) -> None:
    x = leaf(torch)
    with torch.autograd.graph.save_on_cpu():
        y = x * x
        z = y.exp()
    z.sum().backward()
    log(x.grad)
    with torch.autograd.graph.save_on_cpu(pin_memory=False):
        z = (x * x).sin()
    z.sum().backward()
    log(x.grad)


@case
def disabled_saved_tensor_hooks(torch: Any, log: Log) -> None:
    graph = torch.autograd.graph
    x = leaf(torch)

    def inside() -> None:
        with graph.disable_saved_tensors_hooks("not here"), graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            _ = x * x

    def outside() -> None:
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t), graph.disable_saved_tensors_hooks("not here"):
            _ = x * x

    log.error(inside)
    log.error(outside)
    with graph.saved_tensors_hooks(lambda t: log("pack") or t, lambda t: t):
        _ = x * x


@case
def raw_saved_hooks(torch: Any, log: Log) -> None:
    x = leaf(torch)
    w = leaf(torch, 3.0, 4.0)
    y = x * w
    y.grad_fn._raw_saved_self.register_hooks(lambda t: log("pack", t) or t.detach(), lambda t: log("unpack") or t * 2)
    log.error(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t))
    log.error(lambda: (x * w).grad_fn._raw_saved_self.register_hooks(lambda: 3, lambda t: t))
    y.sum().backward()
    log(x.grad, w.grad)
    log.error(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t))
