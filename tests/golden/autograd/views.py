"""Views, changes in place, version counters, detach and data."""

from __future__ import annotations

from typing import Any

from tests.golden.autograd.record import Log, case


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(list(values) or [1.0, 2.0, 3.0, 4.0], requires_grad=True)


def name_of(tensor: Any) -> Any:
    return tensor.grad_fn.name() if tensor.grad_fn is not None else None


@case
def in_place_on_a_leaf(torch: Any, log: Log) -> None:
    x = leaf(torch)
    log.error(lambda: x.add_(1))
    log.error(lambda: x[0].mul_(2))
    log.error(lambda: x.view(2, 2).mul_(2))
    log.error(lambda: x.detach().mul_(2))
    with torch.no_grad():
        x.mul_(2)
        x[0].add_(1)
    log(x, x.is_leaf, x.requires_grad, x._version, name_of(x))
    x.sum().backward()
    log(x.grad)


@case
def in_place_on_a_result(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    log(name_of(y), y._version)
    y.mul_(3)
    log(name_of(y), y._version)
    y.add_(1)
    y.sum().backward()
    log(x.grad, y)


@case
def in_place_breaks_what_was_saved(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    z = y * y
    y.add_(1)
    log.error(lambda: z.sum().backward())
    e = x.exp()
    e.add_(1)
    log.error(lambda: e.sum().backward())
    w = leaf(torch, 1.0, 2.0)
    m = w * w
    with torch.no_grad():
        w.add_(1)
    log.error(lambda: m.sum().backward())
    a = torch.ones(2, 3, requires_grad=True)
    b = torch.ones(3, 2, requires_grad=True) * 2
    c = a.mm(b)
    b.zero_()
    log.error(lambda: c.sum().backward())
    s = x.sigmoid()
    t = s.tanh()
    t[0] = 5
    log.error(lambda: t.sum().backward())
    q = x * 1
    r = q[0] * q[1]
    q.zero_()
    log.error(lambda: r.backward())


@case
def view_of_a_result_changed(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    v = y[:2]
    v.mul_(3)
    log(name_of(y), name_of(v), y, y._version, v._version)
    log([f.name() if f else None for f, _ in y.grad_fn.next_functions])
    y.sum().backward()
    log(x.grad)


@case
def base_changed_after_its_view(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    v = y[1:3]
    y.mul_(5)
    log(name_of(v), name_of(y))
    v.sum().backward()
    log(x.grad, v)


@case
def view_of_a_view_changed(torch: Any, log: Log) -> None:
    x = leaf(torch, *(float(i) for i in range(1, 9)))
    y = x * 1
    v = y.view(2, 4)
    w = v[1]
    u = w[1:3]
    u.mul_(10)
    log(name_of(u), name_of(w), name_of(v), name_of(y))
    log(u._base is y, w._base is y, v._base is y)
    (y * torch.arange(8.0)).sum().backward(retain_graph=True)
    log(x.grad)
    x.grad = None
    (w * w).sum().backward()
    log(x.grad)


@case
def view_changed_by_a_tensor_with_history(torch: Any, log: Log) -> None:
    x = leaf(torch)
    b = leaf(torch, 10.0, 20.0)
    y = x.clone()
    y[1:3] = b * 2
    y[0] += 7
    log(name_of(y), y)
    (y * y).sum().backward()
    log(x.grad, b.grad)


@case
def detach_and_data(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    d = y.detach()
    log(d.requires_grad, d._version, d._is_view(), d.is_leaf)
    z = (y * y).sum()
    d.mul_(2)
    log(y._version, d._version)
    log.error(lambda: z.backward())
    y = x * 2
    z = (y * y).sum()
    y.data.mul_(3)
    log(y._version, y.data._version, y.data.requires_grad, y)
    z.backward()
    log(x.grad)


@case
def versions(torch: Any, log: Log) -> None:
    x = torch.zeros(4)
    log(x._version)
    x.add_(1)
    v = x[:2]
    log(x._version, v._version)
    v.add_(1)
    x[0] = 3
    log(x._version, v._version)
    with torch.no_grad():
        x.fill_(1)
    log(x._version)
    y = x.clone()
    log(y._version, x.detach()._version, x.data._version)
    x.data.zero_()
    log(x._version)
    x.detach_()
    x.requires_grad_()
    log(x._version)
    x.grad = torch.ones(4)
    log(x._version)
    out = torch.zeros(2)
    torch.add(torch.ones(2), 1, out=out)
    log(out._version)
    torch.autograd.graph.increment_version(x)
    log(x._version)
    torch.autograd.graph.increment_version([x, y])
    log(x._version, y._version)


@case
def data_assigned(torch: Any, log: Log) -> None:
    x = leaf(torch)
    x.data = torch.tensor([5.0, 6.0])
    log(x, x.requires_grad, x.is_leaf, x.shape)
    (x * x).sum().backward()
    log(x.grad)
    log.error(lambda: setattr(x, "data", torch.tensor([1, 2])))
    log.error(lambda: setattr(x, "data", 3))
    y = x * 2
    y.data = torch.zeros(2)
    log(y, name_of(y))


@case
def detach_in_place(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    y.detach_()
    log(y.requires_grad, y.is_leaf, name_of(y))
    z = x * 3
    v = z[0]
    log.error(lambda: v.detach_())
    x.detach_()
    log(x.requires_grad)


@case
def requires_grad_of_results(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    log.error(lambda: y.requires_grad_(False))
    log.error(lambda: setattr(y, "requires_grad", False))
    log.error(lambda: y.requires_grad_(True).requires_grad)
    log.error(lambda: torch.tensor([1, 2]).requires_grad_())
    log.error(lambda: setattr(torch.tensor([True]), "requires_grad", True))
    log.error(lambda: torch.zeros(2, dtype=torch.int64, requires_grad=True))
    log.error(lambda: setattr(torch.zeros(2), "requires_grad", 1))
    log.error(lambda: x.requires_grad_(False).requires_grad)
    v = torch.zeros(4)[1:]
    log(v.requires_grad_().is_leaf, v._is_view())
    log.error(lambda: v.mul_(2))


@case
def is_view_and_base(torch: Any, log: Log) -> None:
    x = torch.zeros(4)
    log(x._is_view(), x._base, x[:2]._is_view(), x[:2]._base is x, x.view(2, 2)[0]._base is x)
    log(x.detach()._is_view(), x.data._is_view(), x.clone()._is_view(), x.contiguous()._is_view())
    log(x.reshape(2, 2)._is_view(), x.expand(2, 4)._is_view(), x.t()._is_view(), x.unfold(0, 2, 1)._is_view())
    log(x.squeeze()._is_view(), x.diagonal()._is_view() if x.dim() > 1 else None, x.narrow(0, 0, 1)._is_view())


@case
def overlapping_memory(torch: Any, log: Log) -> None:
    e = torch.ones(1).expand(4)
    log.error(lambda: e.add_(1))
    log.error(lambda: e.mul_(torch.ones(4)))
    log.error(lambda: e.copy_(torch.ones(4)))


@case
def out_takes_no_history(torch: Any, log: Log) -> None:
    x = leaf(torch)
    out = torch.zeros(4)
    log.error(lambda: torch.mul(x, 2, out=out))
    log.error(lambda: torch.mul(torch.ones(4), 2, out=x))
    with torch.no_grad():
        torch.mul(x, 2, out=out)
    log(out)


@case
def in_place_with_a_gradient_of_the_other_operand(torch: Any, log: Log) -> None:
    plain = torch.ones(3)
    w = leaf(torch, 1.0, 2.0, 3.0)
    plain.mul_(w)
    log(plain.requires_grad, plain.is_leaf, name_of(plain))
    plain.sum().backward()
    log(w.grad)
    whole = torch.ones(2, dtype=torch.int64)
    log.error(lambda: whole.add_(w[:2]))


@case
def in_place_of_a_retained_result(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    y.sum().backward()
    log(x.grad, y.grad)
    a = x * 2
    seen: list[Any] = []
    a.register_hook(lambda g: seen.append(("before", g)))
    a.mul_(4)
    a.register_hook(lambda g: seen.append(("after", g)))
    a.sum().backward()
    log(seen)


@case
def fill_and_zero_cut_history(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    y.zero_()
    log(name_of(y), y.requires_grad)
    y.sum().backward()
    log(x.grad)
    z = x * 2
    z[:2].fill_(7)
    z.sum().backward()
    log(x.grad)
    w = x * 2
    w.copy_(torch.ones(4))
    w.sum().backward()
    log(x.grad)
