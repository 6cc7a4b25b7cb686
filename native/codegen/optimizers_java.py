"""The Java classes of the optimizers and of their options."""

from __future__ import annotations

import ast

from native.codegen.optimizers import Check, Optimizer, Option

NOTE = "// Written by native/codegen from native/ops/optimizers.opt.\n"
COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def field(name: str) -> str:
    """weight_decay -> weightDecay."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def place(number: str) -> str:
    """How an option's number is read: betas[0] -> betas.get(0)."""
    name, _, index = number.partition("[")
    return f"{field(name)}.get({index[:-1]})"


def java(node: ast.expr) -> str:
    """A condition of the table in Java."""
    match node:
        case ast.Compare(left, [ast.Is()], [ast.Constant(None)]):
            return f"Double.isNaN({java(left)})"
        case ast.Compare(left, [ast.In()], [ast.Tuple([ast.Constant(None), *words])]):
            return f"oneOf({', '.join([java(left), *(java(word) for word in words)])})"
        case ast.Compare(left, ops, comparators):
            sides = [left, *comparators]
            pairs = zip(sides, ops, sides[1:])
            return " && ".join(f"{java(a)} {COMPARE[type(op)]} {java(b)}" for a, op, b in pairs)
        case ast.BoolOp(op, values):
            sign = " && " if isinstance(op, ast.And) else " || "
            return sign.join(f"({java(value)})" for value in values)
        case ast.UnaryOp(ast.Not(), operand):
            return f"!({java(operand)})"
        case ast.Name(name):
            return place(name)
        case ast.Subscript(ast.Name(name), ast.Constant(int() as index)):
            return place(f"{name}[{index}]")
        case ast.Constant(int() | float() as value):
            return repr(value)
        case ast.Constant(str() as word):
            return f'"{word}"'
    raise ValueError(f"a check cannot have {ast.unparse(node)}")


def message(text: str) -> str:
    """'Invalid lr: {lr}' -> "Invalid lr: " + lr.get()."""
    parts = []
    for i, part in enumerate(text.replace("}", "{").split("{")):
        if part:
            parts.append(place(part) if i % 2 else f'"{part}"')
    return " + ".join(parts)


def check_lines(check: Check) -> str:
    return f"    require({java(check.condition)}, {message(check.message)});\n"


def literal(option: Option) -> str:
    """What a field starts with."""
    match option.kind:
        case "bool":
            return f"new BoolPointer({option.default.lower()})"
        case "int":
            return f"new LongPointer(new long[] {{{option.default}}})"
        case _ if option.words:
            return "new AtomicReference<>()"
        case _ if option.count > 1:
            numbers = option.default.replace("None", "Double.NaN").replace("(", "(new double[] {").replace(")", "})")
            return f"new DoublePointer{numbers}"
        case _:
            return f"new DoublePointer(new double[] {{{option.default}}})"


def holder(option: Option) -> str:
    """The type of a field."""
    if option.words:
        return "AtomicReference<String>"
    return {"bool": "BoolPointer", "int": "LongPointer"}.get(option.kind, "DoublePointer")


def fields(options: list[Option]) -> str:
    return "".join(f"  private final {holder(o)} {field(o.name)} = {literal(o)};\n" for o in options)


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def accessors(one: Optimizer, option: Option) -> str:
    name, store = option.name, field(option.name)
    given = ["value"] if option.count == 1 else ["first", "second", "third"][: option.count]
    kind = "String" if option.words else {"bool": "boolean", "int": "long"}.get(option.kind, "double")
    taken = ", ".join(f"{kind} {one}" for one in given)
    puts = [f"{store}.put({i}, {one});" for i, one in enumerate(given)]
    if option.count == 1:
        puts = [f"{store}.{'set' if option.words else 'put'}(value);"]
    put = "\n    ".join(puts)
    note = ", in which nan stands for None" if option.kind == "pair?" else ""
    return f"""
  /** {capital(option.text)}{note}. */
  public {"String" if option.words else holder(option)} {name}() {{
    return {store}{".get()" if option.words else ""};
  }}

  /** Sets {name}: {option.text}; returns this. */
  public {one.name}Options {name}({taken}) {{
    {put}
    return this;
  }}
"""


def value(option: Option) -> str:
    """What a group's map holds of an option."""
    if option.kind.startswith("flag"):
        return {"None": "null", "False": "false", "True": "true"}[option.default]
    numbers = [place(number) for number in option.numbers]
    if option.kind == "pair?":
        return f"optionalFirst({', '.join(numbers)})"
    if option.kind == "int":
        return f"Math.toIntExact({numbers[0]})"
    return f"List.of({', '.join(numbers)})" if option.count > 1 else numbers[0]


def setter(option: Option) -> str:
    name, store = option.name, field(option.name)
    if option.count > 1:
        reader = "numbersOrNone" if option.kind == "pair?" else "numbers"
        usual = ", ".join(place(number) for number in option.numbers)
        given = ", ".join(f"{store}Given[{i}]" for i in range(option.count))
        return f'    double[] {store}Given = {reader}(numbers, "{name}", {usual});\n    {name}({given});\n'
    reader = "word" if option.words else {"bool": "flag", "int": "(long) number"}.get(option.kind, "number")
    return f'    {name}({reader}(numbers, "{name}", {store}.get()));\n'


def as_double(number: str, one: Optimizer, own: Optimizer) -> str:
    name = number.partition("[")[0]
    if name in own.fixed:
        return "1" if own.fixed[name] == "True" else "0"
    option = one.option(name)
    if option.words:
        quoted = ", ".join(f'"{word}"' for word in option.words)
        return f"numberOf({place(number)}, {quoted})"
    return f"{place(number)} ? 1 : 0" if option.kind == "bool" else place(number)


def put(one: Optimizer, key: str) -> str:
    if key in one.fixed:
        return f'    numbers.put("{key}", {one.fixed[key].lower()});\n'
    return f'    numbers.put("{key}", {value(one.option(key))});\n'


def options_class(one: Optimizer) -> str:
    own = [option for option in one.options if not option.kind.startswith("flag")]
    native = one.same or one
    kinds = {option.kind for option in own}
    lists = kinds & {"pair", "triple"}
    imports = ["java.util.LinkedHashMap"] + (["java.util.List"] if lists else []) + ["java.util.Map"]
    imports += ["java.util.concurrent.atomic.AtomicReference"] if any(option.words for option in own) else []
    imports += (["org.onetape.BoolPointer"] if "bool" in kinds else []) + ["org.onetape.DoublePointer"]
    imports += ["org.onetape.LongPointer"] if "int" in kinds else []
    head = "".join(f"import {name};\n" for name in imports)
    values = ",\n".join(f"      {as_double(n, native, one)}" for n in native.numbers)
    copies = "".join(f"    other.{o.name}({', '.join(place(number) for number in o.numbers)});\n" for o in own)
    puts = "".join(put(one, key) for key in one.keys)
    sets = "".join(setter(option) for option in own)
    required = "".join(check_lines(check) for check in one.checks if not check.python_only)
    return f"""{NOTE}package org.onetape.optim;

{head}
/** How {{@link {one.name}}} changes parameters. */
public final class {one.name}Options extends OptimizerOptions {{
{fields(own)}
  /** The options that are usual. */
  public {one.name}Options() {{}}

  /** The options that are usual, with another size of a step. */
  public {one.name}Options(double lr) {{
    lr(lr);
  }}

  @Override
  {one.name}Options copy() {{
    {one.name}Options other = new {one.name}Options();
{copies}    return other;
  }}

  @Override
  Map<String, Object> numbers() {{
    Map<String, Object> numbers = new LinkedHashMap<>();
{puts}    return numbers;
  }}

  @Override
  void set(Map<String, ?> numbers) {{
    refuse(numbers, "differentiable");
{sets}  }}

  @Override
  double[] values() {{
    return new double[] {{
{values}
    }};
  }}

  @Override
  void check() {{
{required}  }}

  @Override
  public double get_lr() {{
    return lr.get();
  }}

  @Override
  public void set_lr(double rate) {{
    lr.put(rate);
  }}
{"".join(accessors(one, option) for option in own)}}}
"""


def optimizer_class(one: Optimizer) -> str:
    native = one.same or one
    states = ", ".join(f'"{state.name}"' for state in native.states)
    required = ""
    if one.dims:
        required = f'\n    requireDims({one.dims[0]}, "{one.dims[1].partition("{size}")[0]}");'
    return f"""{NOTE}package org.onetape.optim;

import org.onetape.TensorVector;

/** {one.doc} */
public class {one.name} extends NativeOptimizer {{
  /** Changes the given parameters with the options that are usual. */
  public {one.name}(TensorVector params) {{
    this(params, new {one.name}Options());
  }}

  /** Changes the given parameters in steps of a size. */
  public {one.name}(TensorVector params, double lr) {{
    this(params, new {one.name}Options(lr));
  }}

  /** Changes the given parameters. */
  public {one.name}(TensorVector params, {one.name}Options options) {{
    this(group(params), options);
  }}

  /** Changes the given groups of parameters with the options that are usual. */
  public {one.name}(OptimizerParamGroupVector groups) {{
    this(groups, new {one.name}Options());
  }}

  /** Changes the given groups of parameters. */
  public {one.name}(OptimizerParamGroupVector groups, {one.name}Options options) {{
    super("{native.name}", options, {states});
    add(groups);{required}
  }}
}}
"""


def generate_optimizers(optimizers: list[Optimizer]) -> dict[str, str]:
    files = {}
    for one in optimizers:
        files[f"java/org/onetape/optim/{one.name}.java"] = optimizer_class(one)
        files[f"java/org/onetape/optim/{one.name}Options.java"] = options_class(one)
    return files
