"""Pictures of the graph behind a tensor."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from onetape import _C
from onetape._C import Tensor

__all__ = ["Graph", "graph"]


class Graph:
    """The recorded graph behind some tensors: leaves, operations, results, and how data flows between them."""

    def __init__(self, tensors: Sequence[Tensor], names: Mapping[str, Tensor], title: str) -> None:
        self._tensors = tuple(tensors)
        self._names = dict(names)
        self._title = title

    def _text(self, form: str) -> str:
        return str(_C._graph_text(self._tensors, tuple(self._names), tuple(self._names.values()), form, self._title))

    def dot(self) -> str:
        """The graph in Graphviz's language."""
        return self._text("dot")

    def svg(self) -> str:
        """A picture: drawn by Graphviz where its program `dot` is installed, else by the engine."""
        program = shutil.which("dot")
        if program:
            drawn = subprocess.run([program, "-Tsvg"], input=self.dot().encode(), capture_output=True, check=False)
            if drawn.returncode == 0:
                return drawn.stdout.decode()
        return self._text("svg")

    def html(self) -> str:
        """A page that needs nothing else: drag it, zoom with the wheel, search, click a box to see what hangs on it."""
        return self._text("html")

    def save(self, path: str | Path) -> Path:
        """Writes the graph in the form that the name ends with: .dot, .svg or .html."""
        target = Path(path)
        forms = {".dot": self.dot, ".svg": self.svg, ".html": self.html}
        if target.suffix not in forms:
            raise ValueError(
                f"a graph is saved as .dot, .svg or .html, not as {target.suffix or 'a file without ending'}"
            )
        target.write_text(forms[target.suffix](), encoding="utf-8")
        return target

    def _repr_svg_(self) -> str:
        return self._text("svg")

    def __str__(self) -> str:
        return self.dot()


def graph(
    tensors: Tensor | Sequence[Tensor], params: Mapping[str, Tensor] | None = None, title: str = "The recorded graph"
) -> Graph:
    """The graph from the leaves to the given tensors.

    params: names of leaves and results, such as dict(model.named_parameters()).
    title: heading of the page that html() makes.
    """
    return Graph((tensors,) if isinstance(tensors, Tensor) else tensors, params or {}, title)
