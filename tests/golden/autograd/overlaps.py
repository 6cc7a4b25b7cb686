"""Changes in place of memory that an operand shows, too, and what views know of the history then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.golden.autograd.record import Log, case


def operators(torch: Any) -> dict[str, Callable[[Any, Any], Any]]:
    order = torch.tensor([1, 0])
    both = torch.tensor([True, True])
    return {
        "add_": lambda a, b: a.add_(b),
        "copy_": lambda a, b: a.copy_(b),
        "lerp_": lambda a, b: a.lerp_(b, 0.5),
        "addcmul_": lambda a, b: a.addcmul_(b, b),
        "addcdiv_": lambda a, b: a.addcdiv_(b, b),
        "index_add_": lambda a, b: a.index_add_(0, order, b),
        "index_copy_": lambda a, b: a.index_copy_(0, order, b),
        "index_put_": lambda a, b: a.index_put_((order,), b),
        "index_put_ accumulating": lambda a, b: a.index_put_((order,), b, True),
        "scatter_": lambda a, b: a.scatter_(0, order, b),
        "scatter_add_": lambda a, b: a.scatter_add_(0, order, b),
        "put_": lambda a, b: a.put_(order, b),
        "masked_scatter_": lambda a, b: a.masked_scatter_(both, b),
        "fill_": lambda a, b: a.fill_(b[0]),
        "masked_fill_": lambda a, b: a.masked_fill_(both, b[0]),
        "index_fill_": lambda a, b: a.index_fill_(0, order, b[0]),
        "setitem": lambda a, b: a.__setitem__(slice(0, 2), b),
        "setitem at indices": lambda a, b: a.__setitem__(order, b),
        "gt_": lambda a, b: a.gt_(b),
        "pow_": lambda a, b: a.pow_(b),
        "clamp_": lambda a, b: a.clamp_(b),
        "where": lambda a, b: torch.where(both, a, b, out=a),
        "add out": lambda a, b: torch.add(b, 1, out=a),
        "exp out": lambda a, b: torch.exp(b, out=a),
        "cat out": lambda a, b: torch.cat([b[:1], b[:1]], out=a),
    }


def pairs(torch: Any) -> dict[str, Callable[[], tuple[Any, Any]]]:
    def numbers(count: int) -> Any:
        return torch.arange(1.0, count + 1) / 4

    def itself() -> tuple[Any, Any]:
        x = numbers(2)
        return x, x

    def alike() -> tuple[Any, Any]:
        x = numbers(2)
        return x, x.view(2)

    def partly() -> tuple[Any, Any]:
        x = numbers(3)
        return x[:2], x[1:]

    def strided() -> tuple[Any, Any]:
        x = numbers(3)
        return x[::2], x[:2]

    def expanded() -> tuple[Any, Any]:
        return numbers(1).expand(2), numbers(2)

    def narrower() -> tuple[Any, Any]:
        x = numbers(4).view(2, 2)
        return x, x[0]

    return {f.__name__: f for f in (itself, alike, partly, strided, expanded, narrower)}


@case
def operands_that_lie_where_the_result_goes(torch: Any, log: Log) -> None:
    for kind, make in pairs(torch).items():
        for name, function in operators(torch).items():
            if kind == "narrower" and name not in ("add_", "addcmul_", "addcdiv_", "copy_", "pow_", "fill_", "lerp_"):
                continue
            if (kind, name) in (("expanded", "index_put_"), ("expanded", "setitem at indices")):
                continue  # which of two elements stays is not said
            a, b = make()

            def changed(a: Any = a, b: Any = b, function: Any = function) -> Any:
                function(a, b)
                return a

            log(kind, name)
            log.error(changed)


@case
def indices_that_lie_where_the_result_goes(torch: Any, log: Log) -> None:
    def fresh() -> tuple[Any, Any]:
        x = torch.tensor([0, 1, 0])
        return x[:2], x[1:]

    ones = torch.tensor([1, 1])
    for change in (
        lambda x, i: x.scatter_(0, i, 1),
        lambda x, i: x.index_add_(0, i, ones),
        lambda x, i: x.index_copy_(0, i, ones),
        lambda x, i: x.index_put_((i,), ones),
        lambda x, i: x.index_fill_(0, i, 1),
        lambda x, i: x.put_(i, ones),
    ):
        log.error(lambda change=change: change(*fresh()))
    mask = torch.tensor([True, False, True])
    log.error(lambda: mask[:2].masked_fill_(mask[1:], False))


@case
def a_view_as_operand_of_a_change(torch: Any, log: Log) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    v = y.view_as(y)
    y.mul_(v)
    log(y)
    log.error(lambda: v.sum().backward())
    y = x * 1
    (whole,) = y.split(2)
    y.add_(whole)
    log(y.grad_fn.name())
    y.sum().backward()
    log(x.grad)
    log.error(lambda: whole.sum())
    x.grad = None
    y = torch.cat([x, x])
    v = y[:2]
    y[2:] = v
    v.sum().backward()
    log(x.grad)


@case
def an_expanded_view_of_what_was_changed(torch: Any, log: Log) -> None:
    x = torch.tensor([2.0], requires_grad=True)
    y = x * 3
    wide = y.expand(2, 2)
    y.mul_(5)
    log(wide.grad_fn.name())
    wide.sum().backward()
    log(x.grad)


@case
def views_made_while_nothing_is_recorded(torch: Any, log: Log) -> None:
    for base in (torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True) * 2):
        with torch.no_grad():
            view = base.t()
        log(view.requires_grad, view.is_leaf)
        log.error(lambda view=view: view.sum().backward())
        log.error(lambda view=view: view.backward(torch.ones(2, 2)))
        log.error(lambda view=view, base=base: torch.autograd.grad(base.sum(), view, allow_unused=True))
        log.error(lambda view=view, base=base: torch.autograd.grad((base * view).sum(), base)[0])
        log.error(view.retain_grad)
        log(view.grad)


@case
def data_counts_its_own_changes(torch: Any, log: Log) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    d = x.data
    part = d[:1]
    d.add_(1)
    log(x._version, d._version, part._version, d.detach()._version)
    part.mul_(2)
    log(x._version, d._version, part._version, x)
    y = (x * x).sum()
    x.data[0] = 7
    y.backward()
    log(x.grad)


@case
def detached_in_place_after_it_was_saved(torch: Any, log: Log) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y * y
    y.detach_()
    log.error(lambda: z.sum().backward())
    w = x.clone()
    u = (w * 3).sum()
    w.detach_()
    u.backward()
    log(x.grad)


@case
def what_keeps_nothing_is_gone_through_again(torch: Any, log: Log) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    c = torch.tensor([3.0, 4.0])
    for make in (lambda: x + c, lambda: torch.addcmul(x, c, c), lambda: x.view(2), lambda: x * c, lambda: x * 2):
        y = make().sum()
        y.backward()
        log.error(lambda y=y: y.backward())
    log(x.grad)


@case
def roots_are_looked_at_before_inputs(torch: Any, log: Log) -> None:
    plain = torch.ones(2)
    x = torch.ones(2, requires_grad=True)
    log.error(lambda: torch.autograd.grad(plain.sum(), plain))
    log.error(lambda: torch.autograd.grad(x.sum(), plain))


@case
def names_of_views_in_errors(torch: Any, log: Log) -> None:
    x = torch.ones(1, 2, requires_grad=True)
    for view in (lambda t: t.squeeze(0), lambda t: t.unbind(0)[0], lambda t: t.split(1, 1)[0].squeeze(1)):
        y = (x * 1).split(1, 0)[0]
        log.error(lambda view=view, y=y: view(y).mul_(2))
    t = torch.ones(3, 2, requires_grad=True).t()
    log(t.reshape(2, 3, 1).grad_fn.name(), t.flatten(0, 0).grad_fn.name())
