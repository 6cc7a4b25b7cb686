"""Checks the changelog, and reports the largest hand-written files and what the change added.

The change is everything since the branch left origin/main, where there is such a branch. A change to the sources must
add a line to the changelog's Unreleased section.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ["New", "Breaking", "Changes", "Fixes"]
SOURCES = ("native/", "python/", "java/")
SUFFIXES = {".cpp", ".gradle", ".h", ".java", ".md", ".ops", ".py", ".sh", ".cmake"}


def git(*arguments: str) -> str | None:
    """What git prints, or None where it fails."""
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else None


def check_changelog(text: str, version: str) -> list[str]:
    """What is wrong with the changelog's form."""
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if not sections or sections[0] != "Unreleased":
        return ["CHANGELOG.md: the first section must be 'Unreleased'"]
    unreleased = text.split("## Unreleased", 1)[1].split("\n## ", 1)[0]
    kinds = re.findall(r"^### (.+)$", unreleased, re.MULTILINE)
    problems = []
    if kinds != KINDS:
        problems.append(f"CHANGELOG.md: 'Unreleased' must have the kinds {', '.join(KINDS)}, in this order")
    if git("rev-parse", "--verify", f"refs/tags/v{version}") is not None and version not in sections:
        problems.append(f"CHANGELOG.md: release {version} has no section")
    return problems


def added_lines(base: str) -> dict[str, int]:
    """Lines that the change adds to each file."""
    numbers = {}
    for line in (git("diff", "--numstat", base) or "").splitlines():
        added, _, name = line.split("\t", 2)
        if added.isdigit():
            numbers[name] = int(added)
    return numbers


def report_sizes(added: dict[str, int]) -> None:
    names = (git("ls-files") or "").splitlines()
    sizes = []
    for name in names:
        path = ROOT / name
        if path.suffix in SUFFIXES and path.is_file():
            sizes.append((len(path.read_text(encoding="utf-8").splitlines()), name))
    print("The ten largest files, in lines:")
    for size, name in sorted(sizes, reverse=True)[:10]:
        change = f"  (+{added[name]})" if name in added else ""
        print(f"  {size:5}  {name}{change}")
    if added:
        print(f"The change adds {sum(added.values())} lines in {len(added)} files.")


def main() -> int:
    version = (ROOT / "VERSION").read_text().strip()
    problems = check_changelog((ROOT / "CHANGELOG.md").read_text(), version)
    base = git("merge-base", "HEAD", "origin/main")
    added = added_lines(base.strip()) if base else {}
    if any(name.startswith(SOURCES) for name in added) and not added.get("CHANGELOG.md"):
        problems.append("CHANGELOG.md: the change has no line here")
    report_sizes(added)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
