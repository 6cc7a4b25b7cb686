"""The recorded graph: its nodes."""

from onetape._C import Node, RemovableHandle

__all__ = ["Node", "RemovableHandle"]
