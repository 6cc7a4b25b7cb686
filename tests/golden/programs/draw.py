"""Draws instructions for a `Machine`: most fit the tensors that it has."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

from tests.golden.programs.machine import Machine, Program
from tests.golden.programs.names import BINARY, CHANGING_BINARY, CHANGING_UNARY, NOT_COMPLEX, UNARY
from tests.golden.samples import COMPLEX


class Draw:
    """Draws instructions that fit a machine's registers."""

    def __init__(self, rng: random.Random, machine: Machine, dtype: str) -> None:
        self.rng, self.machine, self.dtype = rng, machine, dtype

    # ---- operands ----

    def places(self, fits: Callable[[Any], bool] = lambda _: True) -> list[int]:
        """The registers with numbers that fit."""
        return [
            place
            for place, t in enumerate(self.machine.registers)
            if t is not None and (t.is_floating_point() or t.is_complex()) and is_sound(t) and fits(t)
        ]

    def any(self, fits: Callable[[Any], bool] = lambda _: True) -> str | None:
        """A register, rather a late one that requires a gradient."""
        found = self.places(fits)
        weights = [(3 if self.machine.registers[i].requires_grad else 1) * (1 + i) for i in found]
        return f"${self.rng.choices(found, weights)[0]}" if found else None

    def tensor(self, register: str) -> Any:
        return self.machine.value(register)

    def like(self, t: Any) -> str:
        """A register that can be broadcast to the shape of a tensor; where there is none, a new constant."""
        shape = list(t.shape)

        def fits(other: Any) -> bool:
            missing = len(shape) - other.dim()
            return missing >= 0 and all(a in (1, b) for a, b in zip(other.shape, shape[missing:], strict=True))

        found = self.any(fits)
        return found if found and self.rng.random() < 0.9 else self.constant(shape)

    def same(self, t: Any) -> str:
        found = self.any(lambda other: other.shape == t.shape)
        return found if found and self.rng.random() < 0.9 else self.constant(list(t.shape))

    def constant(self, shape: list[int]) -> str:
        return self.put(["const", shape, self.rng.randrange(63), self.dtype])

    def put(self, instruction: list[Any]) -> str:
        """Runs an instruction that another one needs."""
        self.needed.append(instruction)
        self.machine.step(instruction)
        return f"${len(self.machine.registers) - 1}"

    needed: Program

    def ints(self, shape: list[int], high: int) -> str:
        count = math.prod(shape)
        return self.put(["ints", shape, [self.rng.randrange(max(high, 1)) for _ in range(count)]])

    def bools(self, shape: list[int]) -> str:
        return self.put(["bools", shape, [self.rng.randrange(2) for _ in range(math.prod(shape))]])

    def number(self) -> float:
        return self.rng.choice([0.5, -1.5, 2.0, 0.25, -0.75, 1.25])

    def dim(self, t: Any) -> int:
        return self.rng.randrange(t.dim()) if t.dim() else 0

    def dims(self, t: Any) -> list[int]:
        return sorted(self.rng.sample(range(t.dim()), self.rng.randint(1, t.dim()))) if t.dim() else []

    def flag(self) -> bool:
        return self.rng.random() < 0.5

    # ---- instructions ----

    def instruction(self) -> list[Any] | None:
        """An instruction that the operators' tables allow for the dtype, or None; `needed` are those before it."""
        found = self.any_instruction()
        return found if found and self.is_declared(found[0]) else None

    def is_declared(self, name: str) -> bool:
        return self.dtype not in COMPLEX or name.rstrip("_") not in NOT_COMPLEX

    def any_instruction(self) -> list[Any] | None:
        self.needed = []
        kinds: list[tuple[int, Callable[[str, Any], list[Any] | None]]] = [
            (8, self.unary), (12, self.binary), (5, self.ternary), (8, self.reduction), (16, self.view),
            (6, self.several_views), (6, self.rearrangement), (7, self.joined), (8, self.indexed), (6, self.product),
            (7, self.changing_unary), (12, self.changing_binary), (7, self.changing_indexed),
            (4, self.cut), (4, self.setting), (6, self.hooked), (3, self.called), (5, self.backward), (5, self.grad),
        ]  # fmt: skip
        make = self.rng.choices([make for _, make in kinds], [weight for weight, _ in kinds])[0]
        x = self.any()
        broken = [i for i, t in enumerate(self.machine.registers) if t is not None and not is_sound(t)]
        if broken and self.rng.random() < 0.1:
            return [
                self.rng.choice(["neg", "sum", "neg_", "t", "detach", "retain_grad"]),
                f"${self.rng.choice(broken)}",
            ]
        return make(x, self.tensor(x)) if x else None

    def unary(self, x: str, t: Any) -> list[Any]:
        if self.rng.random() < 0.1:
            return ["to", x, self.rng.choice(["float32", "float64", self.dtype])]
        return [self.rng.choice(UNARY), x]

    def binary(self, x: str, t: Any) -> list[Any]:
        r = self.rng.random()
        if r < 0.2:
            return [self.rng.choice(["add", "sub", "mul", "div", "rsub", "pow", "remainder"]), x, self.number()]
        if r < 0.3:
            return ["clamp", x, -0.5, self.rng.choice([0.25, 0.75])]
        return [self.rng.choice(BINARY), x, self.like(t)]

    def ternary(self, x: str, t: Any) -> list[Any]:
        a = self.like(t)
        kind = self.rng.randrange(5)
        if kind == 0:
            return ["where", self.bools(list(t.shape)), x, a]
        if kind == 1:
            return ["lerp", x, a, self.number() if self.flag() else self.like(t)]
        if kind == 2:
            return ["masked_fill", x, self.bools(list(t.shape)), self.number()]
        return [self.rng.choice(["addcmul", "addcdiv", "addcmul"]), x, a, self.like(t)]

    def reduction(self, x: str, t: Any) -> list[Any] | None:
        kind = self.rng.randrange(9)
        if kind == 0 or not t.dim():
            return [self.rng.choice(["sum", "mean", "prod", "var", "std", "norm", "median", "amax", "max", "logit"]), x]
        if kind < 4:
            name = self.rng.choice(["sum", "mean", "amax", "amin", "logsumexp", "nansum", "sum", "mean"])
            return [name, x, self.dims(t), self.flag()]
        if kind == 4:
            return [self.rng.choice(["var", "std"]), x, self.dims(t), True, self.flag()]
        if kind == 5:
            return [self.rng.choice(["max", "min", "prod", "median"]), x, self.dim(t), self.flag()]
        if kind == 6:
            return [self.rng.choice(["cumsum", "cumprod", "cummax", "softmax", "log_softmax"]), x, self.dim(t)]
        if kind == 7:
            return ["sort", x, self.dim(t), self.flag()]
        return ["topk", x, self.rng.randint(1, max(1, t.shape[-1])), -1, self.flag(), True]

    def view(self, x: str, t: Any) -> list[Any] | None:
        n = t.dim()
        kind = self.rng.randrange(15)
        if kind == 0:
            return ["unsqueeze", x, self.rng.randrange(n + 1)]
        if kind == 1:
            return ["expand", x, [self.rng.choice([2, 3]) if size == 1 else size for size in [1, *t.shape]]]
        if kind == 2:
            return [self.rng.choice(["view", "reshape"]), x, self.other_shape(t)]
        if kind == 3:
            return [self.rng.choice(["view_as", "reshape_as", "expand_as"]), x, self.same(t)]
        if kind == 4 and t.is_contiguous() and t.numel() > 3:
            return ["as_strided", x, [2, 2], [1, self.rng.choice([1, 2])], t.storage_offset()]
        if not n:
            return ["alias" if self.flag() else "detach", x] if self.rng.random() < 0.2 else None
        d = self.dim(t)
        if kind == 5:
            return ["select", x, d, self.rng.randrange(max(t.shape[d], 1))]
        if kind in (6, 7) and t.shape[d] > 1:  # all of a dimension is an alias in Python
            start = self.rng.randint(0, t.shape[d] - 1)
            end = self.rng.randint(start, t.shape[d] - (start == 0))
            return ["slice", x, d, start, end, self.rng.choice([1, 1, 2])]
        if kind == 8:
            start = self.rng.randrange(max(t.shape[d], 1))
            return ["narrow", x, d, start, self.rng.randint(0, t.shape[d] - start)]
        if kind == 9 and n > 1:
            return ["diagonal", x, self.rng.choice([0, 0, 1, -1]), 0, 1]
        if kind == 10:
            return ["squeeze", x, *([d] if self.flag() else [])]
        if kind == 11:
            return ["unfold", x, d, self.rng.randint(1, 2), self.rng.randint(1, 2)]
        if kind == 12:
            order = self.rng.sample(range(n), n)
            return ["permute", x, order] if self.flag() else ["movedim", x, [0], [n - 1]]
        if kind == 13:
            return ["flatten", x, *([0, d] if self.flag() else [])]
        return ["transpose", x, d, self.dim(t)] if n != 2 or self.flag() else ["t", x]

    def other_shape(self, t: Any) -> list[int]:
        shape = list(t.shape)
        self.rng.shuffle(shape)
        return self.rng.choice([shape, [-1], [1, *shape], [t.numel()]])

    def several_views(self, x: str, t: Any) -> list[Any] | None:
        if not t.dim():
            return None
        d = self.dim(t)
        kind = self.rng.randrange(5)
        if kind == 0:
            return ["unbind", x, d]
        if kind == 1:
            return ["chunk", x, self.rng.randint(1, 3), d]
        if kind == 2:
            first = self.rng.randint(0, t.shape[d])
            return ["split", x, [first, t.shape[d] - first], d]
        return [self.rng.choice(["split", "tensor_split"]), x, self.rng.randint(1, 3), d]

    def rearrangement(self, x: str, t: Any) -> list[Any] | None:
        n = t.dim()
        if not n:
            return ["repeat", x, [2]]
        kind = self.rng.randrange(7)
        if kind == 0:
            return ["flip", x, self.dims(t)]
        if kind == 1:
            return ["roll", x, [self.rng.randint(-2, 2)], [self.dim(t)]]
        if kind == 2:
            return [self.rng.choice(["repeat", "tile"]), x, [2] + [1] * (n - 1)]
        if kind == 3 and n > 1:
            return [self.rng.choice(["tril", "triu"]), x, self.rng.randint(-1, 1)]
        if kind == 4 and n > 1:
            return ["rot90", x, self.rng.randint(0, 3), [0, 1]]
        if kind == 5:
            return ["diag_embed", x]
        return ["repeat_interleave", x, 2, self.dim(t)]

    def joined(self, x: str, t: Any) -> list[Any]:
        others = [x, *(self.same(t) for _ in range(self.rng.randint(0, 2)))]
        self.rng.shuffle(others)
        return [self.rng.choice(["cat", "stack"]), others, self.dim(t)]

    def indexed(self, x: str, t: Any) -> list[Any] | None:
        if not t.dim() or not t.numel():
            return None
        d = self.dim(t)
        size = t.shape[d]
        kind = self.rng.randrange(9)
        if kind == 0:
            return ["gather", x, d, self.ints(list(t.shape), size)]
        if kind == 1:
            return ["index_select", x, d, self.ints([self.rng.randint(1, 3)], size)]
        if kind == 2:
            return ["take", x, self.ints([2, 2], t.numel())]
        if kind == 3:
            return ["masked_select", x, self.bools(list(t.shape))]
        if kind == 4:
            return [self.rng.choice(["scatter", "scatter_add"]), x, d, self.ints(list(t.shape), 1), self.same(t)]
        if kind == 5:
            shape = [2 if i == d else length for i, length in enumerate(t.shape)]
            values = self.any(lambda other: list(other.shape) == shape) or self.constant(shape)
            name = self.rng.choice(["index_add", "index_add", "index_copy"])
            return [name, x, d, self.distinct(size) if name == "index_copy" else self.ints([2], size), values]
        if kind == 6:
            return ["index_fill", x, d, self.ints([2], size), self.number()]
        if kind == 7:
            return ["take_along_dim", x, self.ints(list(t.shape), size), d]
        return ["index", x, self.ints([self.rng.randint(1, 3)], t.shape[0])]

    def distinct(self, size: int) -> str:
        """Two different places."""
        return self.put(["ints", [2], self.rng.sample(range(size), 2) if size > 1 else [0, 0]])

    def product(self, x: str, t: Any) -> list[Any] | None:
        n = t.dim()
        if not n:
            return None
        right = self.any(lambda other: other.dim() in (1, 2) and other.numel() and other.shape[0] == t.shape[-1])
        right = right or self.constant([t.shape[-1], 2])
        columns = self.tensor(right).dim()
        if n == 2 and columns == 2:
            shape = [t.shape[0], self.tensor(right).shape[1]]
            other = self.any(lambda one: list(one.shape) == shape)
            if other and self.flag():
                return ["addmm", other, x, right]
            return [self.rng.choice(["mm", "matmul"]), x, right]
        if n == 1 and columns == 1:
            return [self.rng.choice(["dot", "outer", "matmul"]), x, right]
        if n == 2 and columns == 1:
            return [self.rng.choice(["mv", "matmul"]), x, right]
        return ["matmul", x, right]

    # ---- changes in place ----

    def changeable(self) -> str | None:
        """What may be changed, rather than a leaf that is refused; leaves as copies too."""
        return self.any(lambda t: (not (t.is_leaf and t.requires_grad) or self.rng.random() < 0.1) and not overlaps(t))

    def changing_unary(self, x: str, t: Any) -> list[Any] | None:
        x = self.changeable() or x
        if self.rng.random() < 0.3:
            return self.rng.choice([["clamp_", x, -0.5, 0.5], ["fill_", x, self.number()], ["fill_", x, self.like(t)]])
        return [self.rng.choice(CHANGING_UNARY) + "_", x]

    def changing_binary(self, x: str, t: Any) -> list[Any] | None:
        x = self.changeable() or x
        t = self.tensor(x)
        r = self.rng.random()
        if r < 0.25:
            return [self.rng.choice(["add_", "mul_", "sub_", "div_", "pow_"]), x, self.number()]
        if r < 0.4:
            return [self.rng.choice(["addcmul_", "addcdiv_", "lerp_"]), x, self.like(t), self.like(t)]
        return [self.rng.choice(CHANGING_BINARY) + "_", x, self.like(t)]

    def changing_indexed(self, x: str, t: Any) -> list[Any] | None:
        x = self.changeable() or x
        t = self.tensor(x)
        if not t.dim() or not t.numel():
            return None
        d = self.dim(t)
        size = t.shape[d]
        kind = self.rng.randrange(5)
        if kind == 0:
            return ["masked_fill_", x, self.bools(list(t.shape)), self.number()]
        if kind == 1:
            return [self.rng.choice(["scatter_", "scatter_add_"]), x, d, self.ints(list(t.shape), 1), self.same(t)]
        if kind == 2:
            return ["index_fill_", x, d, self.ints([2], size), self.number()]
        if kind == 3:
            shape = [2 if i == d else length for i, length in enumerate(t.shape)]
            values = self.any(lambda other: list(other.shape) == shape) or self.constant(shape)
            return ["index_add_", x, d, self.ints([2], size), values]
        return ["index_put_", x, [self.ints([2], t.shape[0])], self.constant([2, *t.shape[1:]]), self.flag()]

    # ---- autograd ----

    def cut(self, x: str, t: Any) -> list[Any]:
        return [self.rng.choice(["detach", "detach", "data", "clone", "detach_"]), x]

    def setting(self, x: str, t: Any) -> list[Any]:
        r = self.rng.random()
        if r < 0.5:
            return ["mode", not self.machine.torch.is_grad_enabled()]
        if r < 0.7:
            return ["packing", self.machine.hooks is None]
        return ["requires_grad_", x, self.rng.random() < 0.8]

    def hooked(self, x: str, t: Any) -> list[Any]:
        kind = self.rng.randrange(6)
        if kind == 0:
            return ["scale", x, self.number()]
        if kind == 1:
            return ["watch", x]
        if kind == 2:
            return ["node", x]
        if kind == 3:
            return ["accumulated", self.any(lambda t: t.is_leaf and t.requires_grad) or x]
        return ["retain_grad", x]

    def called(self, x: str, t: Any) -> list[Any]:
        return [self.rng.choice(["function", "checkpoint"]), x]

    def roots(self) -> list[str]:
        found = self.places(lambda t: t.requires_grad and not t.is_leaf) or self.places()
        late = found[-4:]
        return [f"${place}" for place in self.rng.sample(late, min(len(late), self.rng.choice([1, 1, 2, 3])))]

    def backward(self, x: str, t: Any) -> list[Any]:
        twice = self.rng.random() < 0.15
        return ["backward", self.roots(), twice, twice or self.rng.random() < 0.8]

    def grad(self, x: str, t: Any) -> list[Any]:
        inputs = self.places(lambda t: t.requires_grad)
        leaves = self.places(lambda t: t.requires_grad and t.is_leaf)
        chosen = leaves if self.rng.random() < 0.7 else self.rng.sample(inputs, min(len(inputs), 2))
        twice = self.rng.random() < 0.6
        return ["grad", self.roots(), [f"${place}" for place in chosen or self.places()[:1]], twice, True]


def is_sound(t: Any) -> bool:
    """Not a view that lost its history, of which nothing can be asked."""
    try:
        return t.is_leaf is not None
    except RuntimeError:
        return False


def overlaps(t: Any) -> bool:
    """Does a tensor show an element twice? What happens to its copies in a change in place is not defined. Expanded
    tensors are none of these, since they are refused."""
    places = {0}
    count = 1
    for size, step in zip(t.shape, t.stride(), strict=True):
        if step or size == 1:
            places = {place + step * i for place in places for i in range(size)}
            count *= size
    return len(places) < count
