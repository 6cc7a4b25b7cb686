"""Pictures of the graph behind a tensor."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from onetape import _C
from onetape._C import Tensor
from onetape._graph_recording import GraphRecording
from onetape._graph_server import GraphServer

if TYPE_CHECKING:
    from onetape.nn import Module

__all__ = ["Graph", "graph"]

# Graphviz draws well, but takes minutes for more than this.
_MOST_FOR_GRAPHVIZ = 1500
_GRAPHVIZ_SECONDS = 60


class Graph:
    """The recorded graph behind some tensors: leaves, operations, results, and how data flows between them."""

    def __init__(self, tensors: Sequence[Tensor], names: Mapping[str, Tensor], title: str) -> None:
        self._tensors = tuple(tensors)
        self._names = dict(names)
        self._title = title

    def _text(self, form: str) -> str:
        return str(_C._graph_text(self._tensors, tuple(self._names), tuple(self._names.values()), form, self._title))

    def dot(self) -> str:
        """The graph in Graphviz's language, with the modules as clusters."""
        return self._text("dot")

    def svg(self) -> str:
        """A picture, by Graphviz where its program `dot` is there and the graph not too large, else by the engine."""
        program = shutil.which("dot")
        source = self.dot() if program else ""
        if program and source.count(" [label=") <= _MOST_FOR_GRAPHVIZ:
            try:
                drawn = subprocess.run(
                    [program, "-Tsvg"],
                    input=source.encode(),
                    capture_output=True,
                    check=False,
                    timeout=_GRAPHVIZ_SECONDS,
                )
            except (OSError, subprocess.TimeoutExpired):
                return self._text("svg")
            if drawn.returncode == 0:
                return drawn.stdout.decode()
        return self._text("svg")

    def html(self) -> str:
        """A page that needs nothing else, no network either.

        Drag it, zoom with the wheel, fold modules, search, click a box to see what is known of it and what hangs on it.
        """
        return self._text("html")

    def json(self) -> str:
        """What is known of the graph, for programs.

        An object with ``nodes`` (kind, name, shape, module, saved_bytes, freed, grad_norm, places, details; what is not
        known is left out), ``edges`` (from node, to node, how often), ``modules`` (name, type, parent) and
        ``kept_bytes``.
        """
        return self._text("json")

    def save(self, path: str | Path) -> Path:
        """Writes the graph in the form that the name ends with: .dot, .svg, .html or .json."""
        target = Path(path)
        forms = {".dot": self.dot, ".svg": self.svg, ".html": self.html, ".json": self.json}
        if target.suffix not in forms:
            raise ValueError(
                f"a graph is saved as .dot, .svg, .html or .json, not as {target.suffix or 'a file without ending'}"
            )
        target.write_text(forms[target.suffix](), encoding="utf-8")
        return target

    def _repr_svg_(self) -> str:
        return self._text("svg")

    def __str__(self) -> str:
        return self.dot()


class _Graphs:
    """``onetape.graph``: the picture of a graph, what it can tell, and a live view.

    ``graph(loss, params=net)`` is the Graph behind a tensor; ``with graph.record():`` lets nodes note where they come
    from; ``graph.serve(net)`` shows a running training in the browser.
    """

    def __call__(
        self,
        tensors: Tensor | Sequence[Tensor],
        params: Mapping[str, Tensor] | Module | None = None,
        title: str = "The recorded graph",
    ) -> Graph:
        """The graph from the leaves to the given tensors.

        params: names of leaves and results, such as dict(model.named_parameters()), or a module whose parameters have
        their names.
        title: heading of the page that html() makes.
        """
        names = {} if params is None else params if isinstance(params, Mapping) else dict(params.named_parameters())
        return Graph((tensors,) if isinstance(tensors, Tensor) else tensors, names, title)

    def record(self) -> GraphRecording:
        """In a ``with`` block, nodes note where they come from.

        That is the line that called, the module whose forward() ran, the shapes of the results and the bytes kept for
        backward. Each node becomes dearer by some microseconds, on all threads.
        """
        return GraphRecording()

    def serve(
        self, params: Mapping[str, Tensor] | Module | None = None, *, port: int = 0, title: str = "Live graph"
    ) -> GraphServer:
        """Starts a live view of a training: see GraphServer.

        params: names of leaves, or the module that is trained.
        port: on 127.0.0.1; 0 takes a free one. OSError if it is taken.
        """
        return GraphServer(params, port, title)


graph = _Graphs()
