"""Hooks on tensors and nodes, retained gradients, handles, hooks on saved tensors."""

from __future__ import annotations

import gc
from typing import Any

from tests.golden.autograd.record import Log, case


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


@case
def tensor_hook(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 3
    handle = y.register_hook(lambda g: g * 2)
    log(type(handle).__name__)
    y.sum().backward(retain_graph=True)
    log(x.grad)
    handle.remove()
    handle.remove()
    y.sum().backward()
    log(x.grad)


@case
def tensor_hooks_in_order(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 3
    x.register_hook(lambda g: log("x1", g) or g + 1)
    x.register_hook(lambda g: log("x2", g))
    y.register_hook(lambda g: log("y1", g) or g * 10)
    y.register_hook(lambda g: log("y2", g))
    y.retain_grad()
    y.register_hook(lambda g: log("y3", g) or g * 2)
    x.register_post_accumulate_grad_hook(lambda t: log("after", t.grad))
    y.sum().backward()
    log(x.grad, y.grad)


@case
def hook_errors(torch: Any, log: Log) -> None:
    x = leaf(torch)
    log.error(lambda: torch.ones(2).register_hook(lambda g: g))
    log.error(lambda: torch.ones(2).register_post_accumulate_grad_hook(lambda g: g))
    log.error(lambda: (x * 2).register_post_accumulate_grad_hook(lambda g: g))
    log.error(lambda: torch.ones(2).retain_grad())

    def with_hook(result: Any) -> Any:
        z = leaf(torch)
        y = z * 2
        y.register_hook(lambda g: result)
        y.sum().backward()
        return z.grad

    log.error(lambda: with_hook(None))
    log.error(lambda: with_hook(3))
    log.error(lambda: with_hook("a"))
    log.error(lambda: with_hook(torch.ones(3)))
    log.error(lambda: with_hook(torch.ones(1)))
    log.error(lambda: with_hook(torch.ones(2, dtype=torch.float64)))
    log.error(lambda: with_hook((torch.ones(2),)))
    y = x * 2
    x.register_post_accumulate_grad_hook(lambda t: t)
    log.error(lambda: y.sum().backward())


@case
def hook_that_raises(torch: Any, log: Log) -> None:
    x = leaf(torch)
    w = leaf(torch)
    y = x * 2
    z = y * w

    def bad(g: Any) -> None:
        raise KeyError("from the hook")

    handle = y.register_hook(bad)
    log.error(lambda: z.sum().backward())
    log(x.grad)
    handle.remove()
    v = leaf(torch)
    v.register_hook(bad)
    log.error(lambda: (v * 2).sum().backward())
    log(v.grad)
    u = leaf(torch)
    u.register_post_accumulate_grad_hook(bad)
    log.error(lambda: (u * 2).sum().backward())
    log(u.grad)


@case
def post_accumulate(torch: Any, log: Log) -> None:
    x = leaf(torch)
    seen: list[Any] = []

    def clear(t: Any) -> None:
        seen.append(t.grad.clone())
        t.grad = None

    handle = x.register_post_accumulate_grad_hook(clear)
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    log(seen, x.grad)
    handle.remove()
    (x * 3).sum().backward()
    log(x.grad)
    log(torch.autograd.grad((x * 5).sum(), x))
    log(len(seen))


@case
def node_hooks(torch: Any, log: Log) -> None:
    x = leaf(torch)
    w = leaf(torch, 3.0, 4.0)
    y = x * w
    node = y.grad_fn

    def after(grad_inputs: Any, grad_outputs: Any) -> Any:
        log("post", grad_inputs, grad_outputs)
        return tuple(g * 2 for g in grad_inputs)

    def before(grad_outputs: Any) -> Any:
        log("pre", grad_outputs)
        return (grad_outputs[0] * 10,)

    node.register_hook(after)
    node.register_prehook(before)
    y.register_hook(lambda g: log("tensor", g))
    y.retain_grad()
    y.sum().backward()
    log(x.grad, w.grad, y.grad)


@case
def node_hooks_in_order(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    node = y.grad_fn
    node.register_prehook(lambda go: log("pre1"))
    node.register_hook(lambda gi, go: log("post1"))
    y.register_hook(lambda g: log("tensor1"))
    node.register_prehook(lambda go: log("pre2"))
    h = node.register_hook(lambda gi, go: log("post2"))
    y.register_hook(lambda g: log("tensor2"))
    y.sum().backward(retain_graph=True)
    h.remove()
    y.sum().backward()


@case
def node_hook_errors(torch: Any, log: Log) -> None:
    def run(kind: str, result: Any) -> Any:
        x = leaf(torch)
        y = x * leaf(torch)
        node = y.grad_fn
        if kind == "post":
            node.register_hook(lambda gi, go: result)
        else:
            node.register_prehook(lambda go: result)
        y.sum().backward()
        return x.grad

    log.error(lambda: run("post", None))
    log.error(lambda: run("post", (torch.ones(2),)))
    log.error(lambda: run("post", torch.ones(2)))
    log.error(lambda: run("post", (torch.ones(2), 3)))
    log.error(lambda: run("post", (torch.ones(2), None)))
    log.error(lambda: run("post", (torch.ones(3), torch.ones(2))))
    log.error(lambda: run("post", 5))
    log.error(lambda: run("pre", torch.ones(2) * 7))
    log.error(lambda: run("pre", (torch.ones(2) * 7,)))
    log.error(lambda: run("pre", (torch.ones(2), torch.ones(2))))
    log.error(lambda: run("pre", (3,)))
    log.error(lambda: run("pre", ()))


@case
def accumulator_hooks(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    acc = y.grad_fn.next_functions[0][0]
    log(acc.name(), acc.variable is x)
    acc.register_prehook(lambda go: log("pre", go) or (go[0] * 3,))
    acc.register_hook(lambda gi, go: log("post", gi, go))
    x.register_hook(lambda g: log("tensor", g))
    x.register_post_accumulate_grad_hook(lambda t: log("accumulated", t.grad))
    y.sum().backward()
    log(x.grad)


@case
def hooks_and_grad(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    x.register_hook(lambda g: log("x", g) or g * 5)
    y.register_hook(lambda g: log("y", g) or g * 7)
    x.register_post_accumulate_grad_hook(lambda t: log("accumulated"))
    log(torch.autograd.grad(y.sum(), x, retain_graph=True))
    log(torch.autograd.grad(y.sum(), y, retain_graph=True))
    log(torch.autograd.grad(y.sum(), [x, y], retain_graph=True))
    y.sum().backward(inputs=[x], retain_graph=True)
    log(x.grad, y.grad)
    y.retain_grad()
    y.sum().backward(inputs=[y])
    log(x.grad, y.grad)


@case
def captured_before_pre_hooks(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    z = y * 3
    y.grad_fn.register_prehook(lambda go: log("pre", go) or (go[0] * 10,))
    y.register_hook(lambda g: log("tensor", g) or g * 2)
    log(torch.autograd.grad(z.sum(), y, retain_graph=True))
    log(torch.autograd.grad(z.sum(), [x, y], retain_graph=True))


@case
def retained_gradients(torch: Any, log: Log) -> None:
    x = leaf(torch)
    x.retain_grad()
    log(x.retains_grad)
    y = x * 2
    log(y.retains_grad)
    y.retain_grad()
    y.retain_grad()
    log(y.retains_grad)
    z = (y * y).sum()
    z.backward(retain_graph=True)
    log(y.grad, x.grad)
    z.backward()
    log(y.grad, x.grad)
    y.grad = None
    log(y.grad)
    t = x * 1
    t.retain_grad()
    t.register_hook(lambda g: g * 100)
    t.sum().backward()
    log(t.grad)
    u = x * 1
    u.register_hook(lambda g: g * 100)
    u.retain_grad()
    u.sum().backward()
    log(u.grad)


@case
def grad_of_a_result(torch: Any, log: Log) -> None:
    import warnings

    x = leaf(torch)
    y = x * 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        log(y.grad)
    log([type(w.message).__name__ for w in caught], [str(w.message)[:60] for w in caught])


@case
def handles(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    with y.register_hook(lambda g: log("inside")) as handle:
        log(handle is not None)
        y.sum().backward(retain_graph=True)
    y.sum().backward(retain_graph=True)
    with y.grad_fn.register_hook(lambda gi, go: log("node")):
        y.sum().backward(retain_graph=True)
    with y.grad_fn.register_prehook(lambda go: log("prenode")):
        y.sum().backward(retain_graph=True)
    with x.register_post_accumulate_grad_hook(lambda t: log("accumulated")):
        y.sum().backward(retain_graph=True)
    y.sum().backward()
    a, b = y.register_hook(lambda g: None), y.register_hook(lambda g: None)
    log(b.id - a.id)


@case
def handle_removed_inside_its_hook(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    handles: list[Any] = []

    def once(g: Any) -> None:
        log("once")
        handles[0].remove()

    handles.append(y.register_hook(once))
    y.register_hook(lambda g: log("other"))
    y.sum().backward(retain_graph=True)
    y.sum().backward()


@case
def hook_registered_inside_a_hook(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    y.register_hook(lambda g: log("outer") or x.register_hook(lambda g: log("inner")) and None)
    y.sum().backward(retain_graph=True)
    y.sum().backward()


@case
def hooks_with_create_graph(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x**3
    y.register_hook(lambda g: log(torch.is_grad_enabled(), g.requires_grad) or g * x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    log(g, g.requires_grad)
    (h,) = torch.autograd.grad(g.sum(), x)
    log(h)
    y = x**3
    y.register_hook(lambda g: log(torch.is_grad_enabled(), g.requires_grad))
    y.sum().backward()


@case
def hook_sees_the_sum(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    y.register_hook(lambda g: log(g))
    x.register_hook(lambda g: log("x", g))
    (y * 3 + y * 4).sum().backward()
    a, b = (x * 1).split(1)
    a.register_hook(lambda g: log("a", g))
    b.register_hook(lambda g: log("b", g))
    a.sum().backward()


@case
def hook_that_changes_its_argument(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    y.register_hook(lambda g: g.clone().mul_(5))
    y.sum().backward()
    log(x.grad)


@case
def multi_grad_hook(torch: Any, log: Log) -> None:
    graph = torch.autograd.graph
    a, b, c, d = (leaf(torch, float(i), float(i + 1)) for i in range(1, 5))

    def hook(grads: Any) -> None:
        log("all", [g is not None for g in grads], [g for g in grads if g is not None])

    handle = graph.register_multi_grad_hook((a, b, c, d), hook)
    log(handle is not None)
    (a * b + c).sum().backward()
    (a * d).sum().backward()
    (b * b).sum().backward(inputs=(b,))
    handle.remove()
    (a * b).sum().backward()
    any_handle = graph.register_multi_grad_hook((a, b, c), lambda g: log("any", g), mode="any")
    (a * b).sum().backward()
    any_handle.remove()
    log.error(lambda: graph.register_multi_grad_hook((a,), hook, mode="some"))
    log.error(lambda: graph.register_multi_grad_hook((torch.ones(2),), hook))
    with graph.register_multi_grad_hook((a * 1,), hook):
        pass


@case
def node_metadata(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    y.grad_fn.metadata["note"] = [1, 2]
    gc.collect()
    log(y.grad_fn.metadata)
    z = y + 1
    del y
    gc.collect()
    log(z.grad_fn.next_functions[0][0].metadata)
    log(z.grad_fn.metadata, z.grad_fn is z.grad_fn, z.grad_fn == z.grad_fn)


@case
def node_class(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x * 2
    node_class = torch.autograd.graph.Node
    log(isinstance(y.grad_fn, node_class), issubclass(type(y.grad_fn), node_class))
    log(type(y.grad_fn).__name__, y.grad_fn.name(), isinstance(3, node_class))
    log(y.grad_fn._sequence_nr() < (y + 1).grad_fn._sequence_nr())
    log([(type(f).__name__, i) for f, i in y.grad_fn.next_functions])
    log((x + torch.ones(2)).grad_fn.next_functions[1])
    edge = torch.autograd.graph.get_gradient_edge(y)
    log(edge.node is y.grad_fn, edge.output_nr)
    leaf_edge = torch.autograd.graph.get_gradient_edge(x)
    log(leaf_edge.node.name(), leaf_edge.output_nr)
    log.error(lambda: torch.autograd.graph.get_gradient_edge(torch.ones(2)))
    log(torch.autograd.grad(y.sum(), edge))


@case
def post_accumulate_takes_the_gradient_away(torch: Any, log: Log) -> None:
    for twice in (False, True):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        x.register_post_accumulate_grad_hook(lambda leaf: setattr(leaf, "grad", None))
        (x * x).sum().backward(create_graph=twice)
        log(x.grad)
