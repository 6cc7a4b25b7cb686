"""Pictures of the recorded graph."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from onetape import nn

HOSTILE = """</script><script>alert(1)</script><!--"'&\\ \x01\n{{data}} 名 🙂"""


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
        "SumBackward0\\n() float32",
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
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def facts(*tensors: torch.Tensor, params: Any = None) -> dict[str, Any]:
    known: dict[str, Any] = json.loads(torch.graph(tensors, params=params).json())
    return known


def named(known: dict[str, Any], name: str) -> dict[str, Any]:
    (node,) = [node for node in known["nodes"] if node["name"] == name]
    return dict(node)


def module_of(known: dict[str, Any], node: dict[str, Any]) -> str:
    """The path of the module that a node belongs to."""
    names: list[str] = []
    at = node.get("module")
    while at is not None:
        names.insert(0, known["modules"][at]["name"])
        at = known["modules"][at].get("parent")
    return ".".join(names)


def test_what_is_known_without_a_recording() -> None:
    w = torch.ones(2, 3, requires_grad=True)
    loss = ((w * w).exp() * 2).exp().sum()
    known = facts(loss, params={"w": w, "loss": loss})
    assert [node["kind"] for node in known["nodes"]].count("operation") == 5
    assert named(known, "w") == {
        "kind": "leaf",
        "name": "w",
        "shape": "(2, 3) float32",
        "details": ["requires_grad: True"],
    }
    mul = next(node for node in known["nodes"] if node.get("saved_bytes") == 48)
    assert mul["name"] == "MulBackward0" and mul["details"] == ["keeps w (2, 3) float32"] * 2
    assert "places" not in mul and "module" not in mul and "shape" not in mul
    assert named(known, "SumBackward0")["shape"] == "() float32"  # it made what was asked about
    assert known["kept_bytes"] == 24 + 4 + 24  # the results of exp, the 2; the leaf is there anyway
    ids = {node["name"]: i for i, node in enumerate(known["nodes"])}
    assert [ids["w"], known["nodes"].index(mul), 2] in known["edges"]


def test_gradient_norms_after_backward() -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    loss = ((w * w).sum() / 2 + b * float("inf")).sum()
    assert "grad_norm" not in named(facts(loss, params={"w": w}), "w")
    loss.backward()
    known = facts(loss, params={"w": w, "b": b})
    assert named(known, "w")["grad_norm"] == 5
    assert named(known, "b")["grad_norm"] == "inf"
    complex_leaf = torch.tensor([3 + 4j], requires_grad=True)
    complex_leaf.abs().square().sum().backward()
    assert named(facts(complex_leaf), "leaf")["grad_norm"] == 10


def test_a_recording_knows_lines_shapes_and_bytes() -> None:
    w = torch.ones(3, requires_grad=True)
    with torch.graph.record():
        line = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]
        loss = (w.exp() + 1).sum()
    later = loss * 2
    known = facts(later)
    exp = named(known, "ExpBackward0")
    assert exp["places"] == [f"{__file__}:{line} in test_a_recording_knows_lines_shapes_and_bytes"]
    assert named(known, "AddBackward0")["shape"] == "(3) float32"
    assert exp["saved_bytes"] == 12 and "freed" not in exp
    assert "places" not in named(known, "MulBackward0")
    loss.backward()
    exp = named(facts(loss), "ExpBackward0")
    assert exp["saved_bytes"] == 12 and exp["freed"]
    assert f":{line} in" in torch.graph(loss).dot()


def test_anomaly_mode_notes_the_lines_too() -> None:
    w = torch.ones(3, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        loss = w.exp()
    assert "test_graph_pictures.py:" in named(facts(loss), "ExpBackward0")["places"][0]


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8))
        self.heads = nn.ModuleList([nn.Linear(8, 2), nn.Linear(8, 2)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.body(x).tanh()
        return torch.cat([head(x) for head in self.heads])


def test_modules_own_what_their_forward_makes() -> None:
    net = Net()
    with torch.graph.record():
        loss = nn.MSELoss()(net(torch.ones(3, 4)), torch.ones(6, 2)).exp()
    known = facts(loss, params=net)
    assert module_of(known, named(known, "TanhBackward0")) == "Net"
    assert module_of(known, named(known, "ReluBackward0")) == "Net.body.1"
    assert module_of(known, named(known, "MseLossBackward0")) == "MSELoss"
    assert module_of(known, named(known, "ExpBackward0")) == ""
    assert module_of(known, named(known, "body.2.weight")) == "Net.body.2"
    assert module_of(known, named(known, "heads.1.bias")) == "Net.heads.1"
    types = {module["name"]: module["type"] for module in known["modules"]}
    assert types["heads"] == "ModuleList" and types["body"] == "Sequential" and types["Net"] == "Net"
    dot = torch.graph(loss, params=net).dot()
    assert dot.count("subgraph cluster") == len(known["modules"]) == dot.count("  }\n")
    assert nn.Module.__call__.__name__ == "__call__"  # outside of a recording, calls are what they were


def test_a_leaf_that_modules_share_stands_outside_of_them() -> None:
    net = Net()
    net.heads[1].weight = net.heads[0].weight
    with torch.graph.record():
        loss = net(torch.ones(3, 4)).sum() + net.body[0].weight.sum()
    known = facts(loss, params=net)
    assert module_of(known, named(known, "heads.0.weight")) == "Net.heads"
    assert module_of(known, named(known, "body.0.weight")) == ""


def test_modules_that_nobody_registered_get_names_of_their_own() -> None:
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    with torch.graph.record(), torch.graph.record():
        y = second(first(torch.ones(1, 2)))
        y = first(y)  # again
    known = facts(y)
    paths = {module_of(known, node) for node in known["nodes"] if node["name"] == "AddmmBackward0"}
    assert paths == {"Linear", "Linear 2"}
    assert nn.Module.__call__.__name__ == "__call__"


def test_a_module_that_raises_is_left() -> None:
    class Failing(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            raise ArithmeticError("mine")

    w = torch.ones(1, requires_grad=True)
    with torch.graph.record():
        with pytest.raises(ArithmeticError, match="mine"):
            Failing()(w)
        y = w * 2
    assert module_of(facts(y), named(facts(y), "MulBackward0")) == ""
    recording = torch.graph.record()
    with recording, pytest.raises(RuntimeError, match="begun already"):
        recording.__enter__()


def test_threads_record_side_by_side() -> None:
    nets = [nn.Sequential(nn.Linear(2, 2), nn.ReLU()) for _ in range(4)]
    results: list[Any] = [None] * 4

    def run(i: int) -> None:
        for _ in range(50):
            results[i] = nets[i](torch.ones(1, 2))

    with torch.graph.record():
        threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    paths = set()
    for result in results:
        known = facts(result)
        paths.add(module_of(known, named(known, "AddmmBackward0")))
    assert paths == {"Sequential.0", "Sequential 2.0", "Sequential 3.0", "Sequential 4.0"}


def test_hostile_names_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    w = torch.ones(1, requires_grad=True)
    net = nn.Module()
    net.add_module(HOSTILE.replace(".", ""), nn.ReLU())
    with torch.graph.record():
        net.forward = lambda x: next(net.children())(x)
        loss = net(w)
    graph = torch.graph(loss, params={HOSTILE: w}, title=HOSTILE)
    known = json.loads(graph.json())
    assert named(known, HOSTILE)["kind"] == "leaf" and known["title"] == HOSTILE
    assert known["modules"][1]["name"] == HOSTILE
    page = graph.html()
    assert page.count("<script") == page.count("</script>") == 2 and "<script>alert" not in page
    if shutil.which("dot"):
        assert "名 🙂" in graph.svg()
        ElementTree.fromstring(graph.svg())
    monkeypatch.setattr(shutil, "which", lambda program: None)
    ElementTree.fromstring(graph.svg())
    with pytest.raises(UnicodeEncodeError):
        torch.graph(w, params={"\ud800": w}).dot()


def test_ten_thousand_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    w = torch.ones(1, requires_grad=True)
    y = w
    for _ in range(10_000):
        y = y * w
    graph = torch.graph(y, params={"w": w})
    assert len(json.loads(graph.json())["nodes"]) == 10_002
    assert graph.html().count("MulBackward0") == graph.dot().count("MulBackward0") == 10_000
    assert graph.svg().count('class="box operation"') == 10_000  # too many for Graphviz


def test_graphviz_that_fails_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert 'class="box leaf"' in small_graph().svg()


def test_save_goes_by_the_ending(tmp_path: Path) -> None:
    graph = small_graph()
    assert graph.save(tmp_path / "g.dot").read_text(encoding="utf-8") == graph.dot()
    assert graph.save(str(tmp_path / "g.html")).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert graph.save(tmp_path / "g.json").read_text(encoding="utf-8") == graph.json()
    with pytest.raises(ValueError, match=r"not as \.png"):
        graph.save(tmp_path / "g.png")


def test_a_tensor_without_a_graph() -> None:
    assert "result" in torch.graph(torch.ones(2)).dot()
    known = facts(torch.ones(2))
    assert known["nodes"][0]["details"] == ["requires_grad: False"] and known["edges"] == [] == known["modules"]
    assert json.loads(torch.graph([]).json())["nodes"] == []
    assert "<svg" in torch.graph([]).svg() and "digraph" in torch.graph([]).dot()


@pytest.mark.parametrize("bad", [[torch.ones(2), 3], None, [None], 3, "ab"])
def test_what_is_no_tensor_is_refused(bad: Any) -> None:
    with pytest.raises(TypeError):
        torch.graph(bad).dot()


def test_what_names_nothing_is_refused() -> None:
    w = torch.ones(1)
    with pytest.raises(TypeError):
        torch.graph(w, params={"w": 3}).dot()  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        torch.graph(w, params={3: w}).dot()  # type: ignore[dict-item]
    with pytest.raises(AttributeError):
        torch.graph(w, params=3)  # type: ignore[arg-type]
