"""The C++ tables of the optimizers."""

from __future__ import annotations

from native.codegen.optimizers import Optimizer, State

HEADER = """\
// Written by native/codegen from native/ops/optimizers.opt.
#pragma once

#include "ops/optimizer_table.h"

namespace onetape::optimizers {
"""


def constant(name: str) -> str:
    """weight_decay -> kWeightDecay; betas[0] -> kBetas0."""
    words = name.replace("[", "_").replace("]", "").split("_")
    return "k" + "".join(word[0].upper() + word[1:] for word in words)


def option_row(number: str, one: Optimizer) -> str:
    name, _, place = number.partition("[")
    option = one.option(name)
    may_be_none = str(option.kind == "pair?" and place == "0]").lower()
    return f'{{"{name}", {place[0] if place else -1}, {may_be_none}, "{"|".join(option.words)}"}}'


def words(one: Optimizer) -> list[str]:
    """Enumerations of the words that options may be."""
    found = [option for option in one.options if option.words]
    return [
        f"enum {constant(option.name)[1:]} : int8_t {{ kNo{constant(option.name)[1:]}, "
        + ", ".join(constant(word) for word in option.words)
        + " };"
        for option in found
    ]


def state_row(state: State) -> str:
    option = "-1" if state.value[0].isdigit() else constant(state.value)
    value = state.value if option == "-1" else "0"
    condition = constant(state.condition) if state.condition else "-1"
    flags = ["false", "true"]
    form = f"StateForm::{state.form.capitalize()}, StateOf::{state.of.capitalize()}"
    return f'{{"{state.name}", {form}, {value}, {option}, {condition}, {flags[state.late]}}}'


def block(one: Optimizer) -> str:
    options = [constant(number) for number in one.numbers]
    lines = [
        f"namespace {one.name.lower()} {{",
        "enum Option : int8_t { " + ", ".join(options) + " };",
        *words(one),
        "enum State : int8_t { " + ", ".join(constant(s.name) + "State" for s in one.states) + " };",
        "inline constexpr OptimizerOption options[] = {" + ", ".join(option_row(n, one) for n in one.numbers) + "};",
        "inline constexpr OptimizerState states[] = {" + ", ".join(state_row(s) for s in one.states) + "};",
        "void step(ParameterStep& one);",
        f"}}  // namespace {one.name.lower()}",
    ]
    return "\n".join(lines)


def table(optimizers: list[Optimizer]) -> str:
    rows = []
    for one in optimizers:
        space = one.name.lower()
        flags = f"{one.eager}, {one.real}".lower()
        rows.append(f'    {{"{one.name}", {space}::options, {space}::states, {flags}, {space}::step}},\n')
    return "inline constexpr OptimizerTable tables[] = {\n" + "".join(rows) + "};\n"


def generate_optimizers(optimizers: list[Optimizer]) -> dict[str, str]:
    own = [one for one in optimizers if not one.same]
    if not own:
        return {}
    blocks = "\n".join(block(one) + "\n" for one in own)
    return {"cpp/optimizers.h": f"{HEADER}\n{blocks}\n{table(own)}\n}}  // namespace onetape::optimizers\n"}
