"""Scenarios of LBFGS."""

from __future__ import annotations

from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern


def bowl(x: Any, y: Any) -> Any:
    """A function without narrow valleys, in which rounding would decide the way."""
    return ((x - 0.3) ** 2 + 0.5 * (x + y) ** 2 + 0.125 * y**4).sum()


def minimised(dtype: str, steps: int = 20, **options: Any) -> Scenario:
    """Parameters, loss and state after some steps, with the state taken over in the middle."""

    def scenario(torch: Any) -> Any:
        x = pattern(torch, (3,), 1, dtype).requires_grad_()
        y = pattern(torch, (3, 1), 2, dtype).requires_grad_()
        unused = pattern(torch, (2,), 3, dtype).requires_grad_()
        sign = -1 if options.get("maximize") else 1
        optimizer = torch.optim.LBFGS([x, y, unused], **options)
        calls = 0

        def closure() -> Any:
            nonlocal calls
            calls += 1
            optimizer.zero_grad()
            loss = sign * bowl(x, y.view(3))
            loss.backward()
            return loss

        losses = []
        for step in range(steps):
            losses.append(optimizer.step(closure).detach())
            if step == steps // 2:
                saved = optimizer.state_dict()
                optimizer = torch.optim.LBFGS([x, y, unused], lr=0.3)
                optimizer.load_state_dict(saved)
        state = optimizer.state_dict()["state"][0]
        return {
            "calls": calls,
            "x": x,
            "y": y,
            "losses": losses,
            "counts": [state["func_evals"], state["n_iter"], len(state.get("old_dirs", []))],
            "keys": list(state),
            "groups": optimizer.state_dict()["param_groups"],
        }

    return scenario


def refusals(torch: Any) -> Any:
    leaf = torch.ones(2, requires_grad=True)
    optim = torch.optim

    def searched() -> Any:
        optimizer = optim.LBFGS([leaf], line_search_fn="golden")

        def closure() -> Any:
            optimizer.zero_grad()
            loss = (leaf * leaf).sum()
            loss.backward()
            return loss

        return optimizer.step(closure)

    return [
        attempt(action)
        for action in (
            lambda: optim.LBFGS([leaf], lr=-1),
            lambda: optim.LBFGS([leaf], lr=torch.ones(2)),
            lambda: optim.LBFGS([{"params": [leaf]}, {"params": [torch.ones(1)]}]),
            searched,
            lambda: repr(optim.LBFGS([leaf], max_iter=7)),
        )
    ]


EXACT: dict[str, Scenario] = {"refusals": refusals}
CLOSE: dict[str, Scenario] = {
    "plain": minimised("float64", lr=0.1, max_iter=3),
    "history": minimised("float64", lr=0.1, max_iter=4, history_size=2),
    "wolfe": minimised("float64", line_search_fn="strong_wolfe", max_iter=3, steps=6),
    "wolfe, many": minimised("float64", line_search_fn="strong_wolfe", steps=2),
    "wolfe, few": minimised("float64", line_search_fn="strong_wolfe", max_iter=4, max_eval=6, steps=6),
    "maximize": minimised("float64", lr=0.1, max_iter=3, maximize=True, line_search_fn="strong_wolfe", steps=4),
    "float32": minimised("float32", lr=0.1, max_iter=2, steps=6),
    "float32 wolfe": minimised("float32", line_search_fn="strong_wolfe", max_iter=3, steps=3),
}
"""Answers that may differ by rounding, since sums are taken in another order."""
