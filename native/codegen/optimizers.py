"""Reads the table of the optimizers (native/ops/optimizers.opt), which says itself how it is written."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from native.codegen.tables import TableError

FILE = "optimizers.opt"
KINDS = {"rate": 1, "float": 1, "int": 1, "bool": 1, "pair": 2, "pair?": 2, "triple": 3, "flag": 0, "flag?": 0}
"""The kinds of options, with how many numbers a step takes of each; words stand for themselves."""
FORMS = ("number", "like", "rows", "columns")


@dataclass(frozen=True)
class Option:
    """One option; ``numbers`` are what a step takes of it."""

    name: str
    kind: str
    default: str
    text: str
    keyword_only: bool

    @property
    def words(self) -> list[str]:
        """Those that the option may be, besides None."""
        return self.kind.split("|") if "|" in self.kind else []

    @property
    def count(self) -> int:
        return 1 if self.words else KINDS[self.kind]

    @property
    def numbers(self) -> list[str]:
        return [f"{self.name}[{i}]" for i in range(self.count)] if self.count > 1 else [self.name] * self.count


@dataclass(frozen=True)
class Check:
    condition: ast.expr
    message: str
    python_only: bool


@dataclass(frozen=True)
class State:
    name: str
    form: str
    value: str
    of: str
    condition: str | None
    late: bool


@dataclass
class Optimizer:
    """One block of the table."""

    name: str
    doc: str = ""
    options: list[Option] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    eager: bool = False
    real: bool = False
    dims: tuple[int, str] | None = None
    same: Optimizer | None = None
    fixed: dict[str, str] = field(default_factory=dict)

    @property
    def numbers(self) -> list[str]:
        """What a step takes, in order."""
        return [number for option in self.options for number in option.numbers]

    def option(self, name: str) -> Option:
        return next(option for option in self.options if option.name == name)


class Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[str, Optimizer] = {}

    def read(self) -> list[Optimizer]:
        current: Optimizer | None = None
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            try:
                if not line.startswith(" "):
                    (name,) = re.fullmatch(r"optimizer (\w+)", line).groups()  # type: ignore[union-attr]
                    current = self.found.setdefault(name, Optimizer(name))
                    continue
                word, _, rest = line.strip().partition(" ")
                if current is None or not hasattr(self, f"read_{word}"):
                    raise ValueError(f"'{word}' is not a field of an optimizer")
                getattr(self, f"read_{word}")(current, rest.strip())
            except (AttributeError, KeyError, SyntaxError, ValueError) as error:
                raise TableError(f"{self.path}:{number}: cannot be read: {line.strip()} ({error})") from error
        for optimizer in self.found.values():
            self.finish(optimizer)
        return list(self.found.values())

    def finish(self, one: Optimizer) -> None:
        names = [option.name for option in one.options]
        if not one.doc or not names:
            raise TableError(f"{self.path}: {one.name} has no doc or no options")
        if one.keys and sorted(one.keys) != sorted(names):
            raise TableError(f"{self.path}: the keys of {one.name} are not its options")
        one.keys = one.keys or names
        if one.same:
            one.checks, one.states, one.eager = one.same.checks, one.same.states, one.same.eager
            one.real, one.dims = one.same.real, one.same.dims
            one.keys = one.same.keys

    def read_doc(self, one: Optimizer, rest: str) -> None:
        one.doc = rest

    def read_option(self, one: Optimizer, rest: str) -> None:
        if rest == "*":
            self.keyword_only = one.name
            return
        found = re.fullmatch(r"(\w+): (\S+) = (.+?)(?: \| (.+))?", rest)
        name, kind, default, text = found.groups()  # type: ignore[union-attr]
        if (kind not in KINDS and "|" not in kind) or bool(text) == kind.startswith("flag"):
            raise ValueError(f"kind {kind}, text {text}")
        one.options.append(Option(name, kind, default, text or "", getattr(self, "keyword_only", "") == one.name))

    def read_keys(self, one: Optimizer, rest: str) -> None:
        one.keys = [name.strip() for name in rest.split(",")]

    def read_check(self, one: Optimizer, rest: str, python_only: bool = False) -> None:
        condition, _, message = rest.partition(" : ")
        one.checks.append(Check(ast.parse(condition, mode="eval").body, message, python_only))

    def read_python(self, one: Optimizer, rest: str) -> None:
        self.read_check(one, rest, python_only=True)

    def read_state(self, one: Optimizer, rest: str) -> None:
        found = re.fullmatch(r"(\w+): (\w+) = (\S+)(?: of (matrices|vectors))?(?: if (\w+))?( late)?", rest)
        name, form, value, of, condition, late = found.groups()  # type: ignore[union-attr]
        if form not in FORMS or (form in ("rows", "columns") and of != "matrices"):
            raise ValueError(f"form {form} of {of}")
        for option in (condition, None if value[0].isdigit() else value):
            if option is not None and option not in one.numbers:
                raise ValueError(f"there is no option {option}")
        one.states.append(State(name, form, value, of or "all", condition, bool(late)))

    def read_eager(self, one: Optimizer, rest: str) -> None:
        one.eager = True

    def read_real(self, one: Optimizer, rest: str) -> None:
        one.real = True

    def read_dims(self, one: Optimizer, rest: str) -> None:
        number, _, message = rest.partition(" : ")
        one.dims = (int(number), message)

    def read_same(self, one: Optimizer, rest: str) -> None:
        name, option, value = re.fullmatch(r"(\w+): (\w+) = (\w+)", rest).groups()  # type: ignore[union-attr]
        one.same = self.found[name]
        one.fixed[option] = value


def load_optimizers(folder: Path) -> list[Optimizer]:
    """The optimizers of a folder of tables; none where it has no such table."""
    path = folder / FILE
    return Reader(path).read() if path.exists() else []
