"""The operator reference of the site: one page a family, one heading an operator."""

from __future__ import annotations

from native.codegen.python_docs import signature
from native.codegen.tables import Op

__all__ = ["generate"]


def calls(name: str, overloads: list[Op]) -> str:
    """How Python calls it, as one block of code."""
    lines: list[str] = []
    for op in overloads:
        if "function" in op.forms:
            lines.append("torch." + signature(name, op, False, ""))
        if "functional" in op.forms:
            lines.append("torch.nn.functional." + signature(name, op, False, ""))
        if "method" in op.forms:
            lines.append("Tensor." + signature(name, op, True, ""))
        if "inplace" in op.forms:
            lines.append("Tensor." + signature(f"{name}_", op, True, "_"))
    return "```python\n" + "\n".join(dict.fromkeys(lines)) + "\n```\n"


def facts(op: Op) -> list[str]:
    rows = [f"- `{name}`: {meaning}" for name, meaning in op.args.items()]
    rows += [f"- raises `{error.partition(': ')[0]}`: {error.partition(': ')[2]}" for error in op.raises]
    if op.aliases:
        rows.append("- also called " + ", ".join(f"`{alias}`" for alias in op.aliases))
    if op.slots:
        rows.append("- behind " + ", ".join(f"`{slot}`" for slot in op.slots))
    rows.append("- dtypes: " + ", ".join(op.dtypes))
    if not op.differentiable:
        rows.append(f"- no gradient ({op.gradient.removeprefix('none: ')})")
    return rows


def section(name: str, overloads: list[Op]) -> str:
    text = f"## {name} {{ #{name} }}\n\n{calls(name, overloads)}\n"
    seen: list[str] = []
    for op in overloads:
        part = f"{op.doc}\n\n" + "\n".join(facts(op)) + "\n"
        if op.example:
            part += f"\n```python\n{op.example}\n```\n"
        if part not in seen:
            seen.append(part)
    return text + "\n".join(seen)


def page(family: str, ops: list[Op]) -> str:
    names: dict[str, list[Op]] = {}
    for op in ops:
        names.setdefault(op.name, []).append(op)
    text = f"# {family.replace('_', ' ').capitalize()}\n\n{ops[0].heading}\n\n"
    return text + "\n".join(section(name, overloads) for name, overloads in names.items())


def index(families: dict[str, list[Op]]) -> str:
    text = "# Operators\n\nEvery operator of the tables, family by family; Java has the same names and arguments.\n\n"
    for family, ops in families.items():
        names = dict.fromkeys(op.name for op in ops)
        links = ", ".join(f"[{name}]({family}.md#{name})" for name in names)
        text += f"- **[{family.replace('_', ' ')}]({family}.md)**: {links}\n"
    return text


def generate(ops: list[Op]) -> dict[str, str]:
    """File name -> text."""
    families: dict[str, list[Op]] = {}
    for op in ops:
        if op.forms != ["engine"]:
            families.setdefault(op.family, []).append(op)
    files = {f"docs/{family}.md": page(family, members) for family, members in families.items()}
    files["docs/operators.md"] = index(families)
    return files
