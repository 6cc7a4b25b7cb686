"""What a case notes of its run, so that runs of PyTorch and of this library can be compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

CASES: dict[str, Callable[[Any, Log], None]] = {}


def case(function: Callable[[Any, Log], None]) -> Callable[[Any, Log], None]:
    """Adds a case, under the name of its file and its function."""
    group = function.__module__.rpartition(".")[2]
    CASES[f"{group}.{function.__name__}"] = function
    return function


class Log:
    """A list of what happened, in plain values that JSON keeps."""

    def __init__(self) -> None:
        self.entries: list[Any] = []

    def __call__(self, *values: Any) -> None:
        self.entries.append([plain(v) for v in values])

    def error(self, action: Callable[[], Any]) -> None:
        """Notes what the action raises: the class and the first line, or what it returns."""
        try:
            value = action()
        except Exception as error:  # whatever it is, it is noted
            self.entries.append(text_of(error))
        else:
            self.entries.append(["no error", plain(value)])


def text_of(error: BaseException) -> str:
    first = (str(error).splitlines() or [""])[0]
    first = re.sub(r"0x[0-9a-f]+", "0x…", first).replace("onetape", "torch")
    return f"{type(error).__name__}: {first}"


def plain(value: Any) -> Any:
    """A value as JSON has it; a tensor as its elements, rounded to what both libraries agree on."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.detach().tolist())
    return type(value).__name__
