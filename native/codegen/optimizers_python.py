"""The Python classes of the optimizers."""

from __future__ import annotations

import ast
import textwrap

from native.codegen.optimizers import Optimizer, Option

HEADER = '''\
"""The optimizers whose steps are native code. Written by native/codegen from native/ops/optimizers.opt."""

from __future__ import annotations

from typing import Any

from onetape._C import Tensor
from onetape.optim.optimizer import NativeOptimizer, check_flavours

__all__ = [@names@]
'''
TYPES = {
    "rate": "float | Tensor",
    "float": "float",
    "int": "int",
    "bool": "bool",
    "pair": "tuple[float, float]",
    "pair?": "tuple[float | None, float]",
    "triple": "tuple[float, float, float]",
    "flag": "bool",
    "flag?": "bool | None",
}
FLAGS = {
    "foreach": "taken as in PyTorch: all steps here are of whole groups",
    "fused": "taken as in PyTorch: all steps here are fused",
    "capturable": "taken as in PyTorch, without effect",
    "differentiable": "refused: a step is not part of a graph",
}
INDENT = " " * 8


def parameter(option: Option, tensor_pairs: bool) -> str:
    kind = "str | None" if option.words else TYPES[option.kind]
    if option.kind == "pair" and tensor_pairs:
        kind = "tuple[float | Tensor, float | Tensor]"
    return f"{INDENT}{option.name}: {kind} = {option.default},\n"


def signature(one: Optimizer) -> str:
    lines = [f"{INDENT}self,\n", f"{INDENT}params: Any,\n"]
    keyword_only = False
    tensor_pairs = any(check.python_only for check in one.checks)
    for option in one.options:
        if option.keyword_only and not keyword_only:
            lines.append(f"{INDENT}*,\n")
            keyword_only = True
        lines.append(parameter(option, tensor_pairs))
    return "    def __init__(\n" + "".join(lines) + "    ) -> None:\n"


def docstring(one: Optimizer) -> str:
    lines = [one.doc, "", "params: the parameters, or groups of them."]
    for option in one.options:
        text = option.text or FLAGS[option.name]
        lines += textwrap.wrap(f"{option.name}: {text}.", 110, subsequent_indent="    ")
    return '    """' + "\n    ".join(lines).replace("\n    \n", "\n\n") + '\n    """\n'


def checks(one: Optimizer) -> str:
    text = f"{INDENT}if isinstance(lr, Tensor) and lr.numel() != 1:\n"
    text += f'{INDENT}    raise ValueError("Tensor lr must be 1-element")\n'
    for check in one.checks:
        prefix = "f" if "{" in check.message else ""
        text += f"{INDENT}if not ({ast.unparse(check.condition)}):\n"
        text += f'{INDENT}    raise ValueError({prefix}"{check.message}")\n'
    names = [option.name for option in one.options]
    usual = {"foreach": "None", "fused": "None", "differentiable": "False"}
    flavours = [name if name in names else otherwise for name, otherwise in usual.items()]
    return text + f"{INDENT}check_flavours({', '.join(flavours)})\n"


def check_of_dims(one: Optimizer) -> str:
    if one.dims is None:
        return ""
    dims, message = one.dims
    text = f"{INDENT}for group in self.param_groups:\n{INDENT}    for p in group['params']:\n"
    text += f"{INDENT}        if p.ndim != {dims}:\n"
    return text + f'{INDENT}            raise ValueError(f"{message.replace("{size}", "{p.size()}")}")\n'


def body(one: Optimizer) -> str:
    if one.same:
        names = [o.name if not o.keyword_only else f"{o.name}={o.name}" for o in one.options]
        fixed = [f"{name}={value}" for name, value in one.fixed.items()]
        return f"{INDENT}super().__init__(params, {', '.join(names + fixed)})\n"
    keys = "".join(f'{INDENT}    "{key}": {key},\n' for key in one.keys)
    made = f"{INDENT}defaults = {{\n{keys}{INDENT}}}\n{INDENT}super().__init__(params, defaults)\n"
    return checks(one) + made + check_of_dims(one)


def attributes(one: Optimizer) -> str:
    if one.same:
        fixed = ", ".join(f'"{name}": {value}' for name, value in one.fixed.items())
        return f"    _fixed = {{{fixed}}}\n"
    numbers = "".join(f'"{state.name}", ' for state in one.states if state.form == "number")
    later = [one.option(key) for key in one.keys if one.option(key).kind.startswith(("flag", "bool"))]
    defaults = ", ".join(f'"{option.name}": {option.default}' for option in later)
    text = f'    _table = "{one.name}"\n    _numbers = ({numbers.strip()})\n    _later = {{{defaults}}}\n'
    return text + ("    _eager = True\n" if one.eager else "")


def class_text(one: Optimizer) -> str:
    base = one.same.name if one.same else "NativeOptimizer"
    return f"class {one.name}({base}):\n{docstring(one)}\n{attributes(one)}\n{signature(one)}{body(one)}"


def generate_optimizers(optimizers: list[Optimizer]) -> dict[str, str]:
    if not optimizers:
        return {}
    header = HEADER.replace("@names@", ", ".join(f'"{one.name}"' for one in optimizers))
    classes = "".join(f"\n\n{class_text(one)}" for one in optimizers)
    return {"python/onetape/optim/_optimizers.py": header + classes}
