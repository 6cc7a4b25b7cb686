"""Handles of operations that are on their way, and what makes futures of them."""

from __future__ import annotations

from collections.abc import Callable

from onetape import Tensor
from onetape._C._distributed import Work as Work
from onetape.futures import Future


def caught(call: Callable[[], None]) -> BaseException | None:
    """The exception that a call raises."""
    try:
        call()
    except Exception as error:
        return error
    return None


def get_future(work: Work) -> Future[list[Tensor]]:
    """A future of the tensors that hold the results."""
    future: Future[list[Tensor]] = Future()

    def finish() -> None:
        error = work.exception()
        if error is None:
            future.set_result(work._results())
        else:
            future.set_exception(error)

    work._then(finish)
    return future


Work.get_future = get_future  # type: ignore[method-assign, assignment]
