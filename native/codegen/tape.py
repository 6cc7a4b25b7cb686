"""What a tape needs of the operators (tape_<family>.cpp): noticing a call, and making it again."""

from __future__ import annotations

from native.codegen.cpp import forms_of, joined, parameters, result_type
from native.codegen.tables import Op

# Type in a table -> how a Call hands over an argument (native/tape/call.h).
READERS = {
    "Tensor": "tensor",
    "Tensor?": "tensor",
    "Tensor|Scalar": "tensor",
    "Tensor[]": "tensors",
    "Tensor?[]": "tensors",
    "Scalar": "scalar",
    "Scalar?": "optional_scalar",
    "int": "integer",
    "int?": "optional_integer",
    "int[]": "ints",
    "int...": "ints",
    "int[]?": "optional_ints",
    "float": "real",
    "float?": "optional_real",
    "bool": "boolean",
    "bool?": "optional_boolean",
    "str": "text",
    "str?": "optional_text",
    "DType": "dtype",
    "DType?": "optional_dtype",
    "Generator?": "generator",
    "Options": "options",
}

# And the letter that says what may be given for it.
KINDS = {
    "Tensor": "t",
    "Tensor?": "T",
    "Tensor|Scalar": "n",
    "Tensor[]": "l",
    "Tensor?[]": "L",
    "Scalar": "s",
    "Scalar?": "S",
    "int": "i",
    "int?": "I",
    "int[]": "v",
    "int...": "v",
    "int[]?": "V",
    "float": "f",
    "float?": "F",
    "bool": "b",
    "bool?": "B",
    "str": "x",
    "str?": "X",
    "DType": "d",
    "DType?": "D",
    "Generator?": "G",
    "Options": "o",
}

SOURCE = """\
// Written by native/codegen from native/ops/{family}.ops.

#include "core/operand_device.h"
#include "ops.h"
#include "tape/recorder.h"

namespace onetape {{
namespace {{

using tape::Call;
using tape::Operator;

{runs}
const Operator operators[] = {{
{rows}}};
const bool known = tape::register_operators(operators);

}}  // namespace

namespace taped {{

{functions}
}}  // namespace taped
}}  // namespace onetape
"""


def parameter_names(op: Op, out: bool) -> str:
    return ",".join([*(["out"] if out else []), *(p.name for p in op.params)])


def placing(op: Op, out: str) -> str:
    """The parameters that say which device an operator runs on."""
    names = [p.name for p in op.params if p.type.startswith("Tensor") or p.type == "Options"]
    return joined("out" if out else "", *(name for name in names if name not in op.elsewhere))


def run_again(op: Op, ident: str, name: str, out: bool) -> str:
    """The function that makes a recorded call again."""
    shift = int(out)
    values = [f"call.{READERS[p.type]}({i + shift})" for i, p in enumerate(op.params)]
    passed = joined("call.tensor(0)" if out else "", *values)
    # Through ops::, without a watcher: what callers would get, be it for a new graph.
    result = f"ops::{name}({passed})"
    text = f"call.give({result});"
    return f"void run_{ident}(Call& call) {{ {text} }}  // {op.file}:{op.line}\n"


def generate(ops: list[Op]) -> dict[str, str]:
    """File name -> text."""
    files = {}
    for family in sorted({op.family for op in ops}):
        runs = []
        rows = []
        functions = []
        for op in ops:
            if op.family != family:
                continue
            for name, call, out in forms_of(op):
                ident = op.id + name.removeprefix(op.name)
                returns = result_type(op)
                draws = any(p.type == "Generator?" for p in op.params)
                makes = not any(p.type.startswith("Tensor") for p in op.params)
                kinds = ("t" if out else "") + "".join(KINDS[p.type] for p in op.params)
                count = -1 if op.results[0].type == "Tensor[]" else len(op.results)
                fields = [f'"{ident}"', f'"{parameter_names(op, bool(out))}"', f'"{kinds}"', str(count), f"run_{ident}"]
                fields += [str(draws).lower(), str(makes).lower(), f'"{op.tape}"']
                numbers = op.results[0].type not in ("Tensor", "Tensor[]")
                if not numbers:
                    runs.append(run_again(op, ident, name, bool(out)))
                    rows.append(f"    {{{', '.join(fields)}}},\n")
                arguments = joined("out" if out else "", *(p.name for p in op.params))
                functions.append(f"{returns} {name}({joined(out, parameters(op, False))}) {{\n")
                functions.append(f"  const auto run = [&] {{ return {call}; }};\n")
                noted = f'tape::run_for_number("{name}"' if numbers else f"tape::record_call(operators[{len(rows) - 1}]"
                functions.append(f"  const auto noted = [&] {{ return {joined(noted, 'run', arguments)}); }};\n")
                passed = joined(f'"{name}"', "noted", placing(op, out))
                functions.append(f"  return on_their_device({passed});\n}}\n")
        files[f"cpp/tape_{family}.cpp"] = SOURCE.format(
            family=family, runs="".join(runs), rows="".join(rows), functions="".join(functions)
        )
    return files
