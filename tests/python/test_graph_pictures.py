"""Pictures of the recorded graph."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import onetape as torch


def small_graph() -> torch.Graph:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    loss = (w * w + b).sum()
    return torch.graph(loss, params={"w": w, "b<&>": b, "loss": loss}, title="A <small> graph")


def test_dot_names_boxes_and_arrows() -> None:
    dot = small_graph().dot()
    labels = re.findall(r'label="([^"]*)", shape', dot)
    assert sorted(labels) == [
        "AddBackward0",
        "ExpandBackward0",
        "MulBackward0",
        "SumBackward0",
        "b<&>\\n() float32",
        "loss\\n() float32",
        "w\\n(2) float32",
    ]
    assert dot.count("->") == len(labels) - 1
    assert 'label="2×"' in dot


def test_svg_and_html_are_well_formed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    graph = small_graph()
    svg = ElementTree.fromstring(graph.svg())
    titles = [t.text for t in svg.iter("{http://www.w3.org/2000/svg}title") if t.text]
    assert any(title.startswith("b<&>\n() float32") for title in titles)
    assert any(title.startswith("MulBackward0\nkeeps w (2) float32") for title in titles)
    page = graph.html()
    assert "<title>A &lt;small&gt; graph</title>" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_save_goes_by_the_ending(tmp_path: Path) -> None:
    graph = small_graph()
    assert graph.save(tmp_path / "g.dot").read_text(encoding="utf-8") == graph.dot()
    assert graph.save(str(tmp_path / "g.html")).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(ValueError, match=r"not as \.png"):
        graph.save(tmp_path / "g.png")


def test_a_tensor_without_a_graph() -> None:
    assert "result" in torch.graph(torch.ones(2)).dot()
    with pytest.raises(TypeError):
        torch.graph([torch.ones(2), 3]).dot()  # type: ignore[list-item]
