"""Views that were made in no_grad, by operators with several results, or before their base had a history."""

from __future__ import annotations

from typing import Any

from tests.golden.autograd.record import Log, case


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(list(values) or [1.0, 2.0, 3.0, 4.0], requires_grad=True)


def name_of(tensor: Any) -> Any:
    return tensor.grad_fn.name() if tensor.grad_fn is not None else None


@case
def in_place_on_a_view_of_a_leaf_made_in_no_grad(torch: Any, log: Log) -> None:
    x = leaf(torch)
    with torch.no_grad():
        v = x[:2]
        log(v.requires_grad, name_of(v), v._is_view())
        v.mul_(3)
    log(x, x._version, v._version)
    log.error(lambda: v.mul_(2))
    log.error(lambda: v.requires_grad)
    log.error(lambda: v.is_leaf)
    log.error(lambda: name_of(v))


@case
def view_of_a_result_made_in_no_grad(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    with torch.no_grad():
        v = y[:2]
    log(v.requires_grad, name_of(v))
    log.error(lambda: v.mul_(2))
    with torch.no_grad():
        v.mul_(2)
    log(y, y._version, name_of(y))
    log.error(lambda: name_of(v))
    log.error(lambda: v.requires_grad)
    y.sum().backward()
    log(x.grad)


@case
def plain_base_given_history_through_a_view(torch: Any, log: Log) -> None:
    base = torch.zeros(4)
    v = base[:2]
    w = leaf(torch, 3.0, 4.0)
    v.copy_(w)
    log(base.requires_grad, name_of(base), v.requires_grad, name_of(v), base.is_leaf, v.is_leaf)
    (base * 2).sum().backward()
    log(w.grad)
    other = base[2:]
    log(other.requires_grad, name_of(other))


@case
def plain_view_made_before_its_base_got_history(torch: Any, log: Log) -> None:
    base = torch.zeros(4)
    early = base[1:3]
    w = leaf(torch)
    base.add_(w)
    log(early.requires_grad, name_of(early), early.is_leaf)
    early.sum().backward()
    log(w.grad)


@case
def multi_output_views(torch: Any, log: Log) -> None:
    for make in (
        lambda y: y.split(2),
        lambda y: y.chunk(2),
        lambda y: y.unbind(0),
        lambda y: y.view(2, 2).unbind(1),
        lambda y: y.split([1, 3]),
        lambda y: torch.tensor_split(y, 2),
    ):
        x = leaf(torch)
        y = x * 2
        parts = make(y)
        log(name_of(parts[0]), parts[0]._is_view(), parts[0]._base is y, parts[0]._version)
        log.error(lambda parts=parts: parts[0].mul_(2))
        log.error(lambda parts=parts: parts[1][..., :1].mul_(2))
        with torch.no_grad():
            parts[0].mul_(2)
        log(y, y._version)
        log(name_of(y))


@case
def multi_output_views_of_plain_tensors(torch: Any, log: Log) -> None:
    plain = torch.arange(4.0)
    a, b = plain.split(2)
    a.mul_(10)
    w = leaf(torch, 1.0, 2.0)
    log(plain)
    log.error(lambda: b.mul_(w))


@case
def multi_output_views_of_a_base_changed_later(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    a, _ = y.split(2)
    y.mul_(3)
    log(a)
    log.error(lambda: name_of(a))
    log.error(lambda: a.sum().backward())


@case
def multi_output_views_made_in_no_grad(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    with torch.no_grad():
        a, b = y.split(2)
        a.mul_(2)
    log.error(lambda: b.mul_(2))
    log(a.requires_grad, y)


@case
def leaf_that_is_a_view(torch: Any, log: Log) -> None:
    base = torch.zeros(4)
    v = base[:2].requires_grad_()
    log(v.is_leaf, base.requires_grad)
    (v + 1).sum().backward()
    log(v.grad)
    base.add_(1)
    log(v, v.is_leaf, name_of(v))
