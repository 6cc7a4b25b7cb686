"""The search for a length of a step that fulfils the strong Wolfe conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from onetape._C import Tensor

__all__ = ["strong_wolfe"]

DECREASE = 1e-4
"""The share of the decrease that the first slope promises which a good point has."""
CURVATURE = 0.9
"""The share of the first slope that the slope at a good point may still have."""
SMALLEST_BRACKET = 1e-9


@dataclass
class Point:
    """A place on the line: how far it is, the loss, the gradient and the slope there."""

    at: Any
    loss: float
    grad: Tensor
    slope: Any


def cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points with their slopes is least, within bounds."""
    low, high = bounds or ((a.at, b.at) if a.at <= b.at else (b.at, a.at))
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.at - b.at)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    left, right = (a, b) if a.at <= b.at else (b, a)
    share = (right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2)
    return min(max(right.at - (right.at - left.at) * share, low), high)


def strong_wolfe(
    evaluate: Callable[[Any], tuple[float, Tensor]],
    length: Any,
    direction: Tensor,
    loss: float,
    grad: Tensor,
    slope: Any,
    most: int,
) -> tuple[float, Tensor, Any, int]:
    """The loss, the gradient and the length at the point found, and the number of evaluations.

    evaluate: loss and gradient at a length of the step.
    length: the first length to try.
    loss, grad, slope: where the step starts.
    most: rounds of the search.
    """
    search = _Search(evaluate, direction, Point(0, loss, grad.clone(), slope), most)
    bracket = search.bracket(length)
    best = search.zoom(bracket) if len(bracket) > 1 else bracket[0]
    return best.loss, best.grad, best.at, search.evaluations


class _Search:
    def __init__(
        self, evaluate: Callable[[Any], tuple[float, Tensor]], direction: Tensor, start: Point, most: int
    ) -> None:
        self.evaluate = evaluate
        self.direction = direction
        self.start = start
        self.most = most
        self.rounds = 0
        self.evaluations = 0

    def point(self, at: Any) -> Point:
        loss, grad = self.evaluate(at)
        self.evaluations += 1
        return Point(at, loss, grad, grad.dot(self.direction))

    def too_high(self, point: Point) -> bool:
        return bool(point.loss > self.start.loss + DECREASE * point.at * self.start.slope)

    def flat(self, point: Point) -> bool:
        return bool(abs(point.slope) <= -CURVATURE * self.start.slope)

    def bracket(self, length: Any) -> list[Point]:
        """A good point, or two between which there is one."""
        before, now = self.start, self.point(length)
        while self.rounds < self.most:
            if self.too_high(now) or (self.rounds > 1 and now.loss >= before.loss):
                return [before, now]
            if self.flat(now):
                return [now]
            if now.slope >= 0:
                return [before, now]
            bounds = now.at + 0.01 * (now.at - before.at), now.at * 10
            further = cubic_minimum(before, now, bounds)
            before, now = now, self.point(further)
            self.rounds += 1
        return [self.start, now]

    def zoom(self, bracket: list[Point]) -> Point:
        """Makes the bracket smaller until one of its ends is good, or time is up; the lower end."""
        low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
        size = self.direction.abs().max()
        stuck = False
        while self.rounds < self.most:
            if abs(bracket[1].at - bracket[0].at) * size < SMALLEST_BRACKET:
                break
            length, stuck = self.inside(bracket, cubic_minimum(bracket[0], bracket[1]), stuck)
            now = self.point(length)
            self.rounds += 1
            if self.too_high(now) or now.loss >= bracket[low].loss:
                bracket[high] = now
                low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
                continue
            done = self.flat(now)
            if not done and now.slope * (bracket[high].at - bracket[low].at) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = now
            if done:
                break
        return bracket[low]

    def inside(self, bracket: list[Point], length: Any, stuck: bool) -> tuple[Any, bool]:
        """Keeps a new point away from the ends if the search comes too near to one of them again."""
        ends = [point.at for point in bracket]
        least, most = min(ends), max(ends)
        margin = 0.1 * (most - least)
        if not min(most - length, length - least) < margin:
            return length, False
        if not (stuck or length >= most or length <= least):
            return length, True
        nearer_to_most = abs(length - most) < abs(length - least)
        return (most - margin if nearer_to_most else least + margin), False
