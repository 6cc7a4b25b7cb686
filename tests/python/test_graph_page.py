"""The page of a graph in a real browser: search, folding, zoom, gradient norms, large graphs, hostile names, live."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from onetape import nn
from tests.python.support import browser as browsers
from tests.python.support.browser import Browser

pytestmark = pytest.mark.skipif(not browsers.PROGRAM, reason="chromium is not installed")

HOSTILE = """</script><script>window.harmed=1</script><img src=x onerror="window.harmed=1">"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as started:
        yield started


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.second = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x)).tanh()


def step(net: nn.Module) -> torch.Tensor:
    with torch.graph.record():
        loss = net(torch.ones(3, 4)).square().mean()
    loss.backward()
    return loss


def open_graph(browser: Browser, folder: Path, graph: torch.Graph) -> None:
    browser.open(graph.save(folder / "graph.html").as_uri())
    browser.wait("document.body.dataset.scale")


def place_of(browser: Browser, condition: str) -> list[float]:
    """Where the middle of the first box that fulfils a condition on `box` and `node` is on the screen."""
    place: list[float] = browser.run(
        f"""(() => {{
        const fits = (box, node) => {condition};
        const box = page.canvas.view.boxes.find(box => fits(box, page.model.nodes[box.node] ?? {{}}));
        const frame = byId('view').getBoundingClientRect();
        const {{ x, y, scale }} = page.canvas.camera;
        return [frame.x + x + box.x * scale, frame.y + y + box.y * scale];
        }})()"""
    )
    return place


def shown(browser: Browser) -> int:
    return int(browser.run("document.body.dataset.shown"))


def scale(browser: Browser) -> float:
    return float(browser.run("document.body.dataset.scale"))


def test_norms_and_lines_are_told(browser: Browser, tmp_path: Path) -> None:
    net = Net()
    loss = step(net)
    open_graph(browser, tmp_path, torch.graph(loss, params=net, title="Größe 名 <b>"))
    assert browser.run("document.title") == browser.run("document.querySelector('h1').textContent") == "Größe 名 <b>"
    rows = browser.run(
        "[...document.querySelectorAll('#parameters tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
    )
    norms = {name: float(norm) for name, _, norm in rows}
    for name, parameter in net.named_parameters():
        assert parameter.grad is not None
        assert norms[name] == pytest.approx(parameter.grad.norm().item(), rel=1e-3), name
    browser.click(*place_of(browser, "node.name === 'TanhBackward0'"))
    told = browser.run("byId('more').innerText")
    assert "TanhBackward0" in told and "(3, 2) float32" in told and "24 bytes, freed by backward" in told
    assert "test_graph_page.py:" in told and "in forward" in told
    faded = browser.run("page.canvas.view.boxes.length - page.canvas.lit.size")
    assert faded == 0  # all hangs on it
    browser.click(*place_of(browser, "node.name === 'second.bias'"))
    assert browser.run("page.canvas.view.boxes.length - page.canvas.lit.size") > 0
    assert "gradient norm" in browser.run("byId('more').innerText")


def test_search_finds(browser: Browser, tmp_path: Path) -> None:
    net = Net()
    open_graph(browser, tmp_path, torch.graph(step(net), params=net))
    browser.click_on("#find")
    browser.write("RELU")
    assert browser.run("[...document.querySelectorAll('#found li')].map(li => li.textContent)") == [
        "ReluBackward0 (3, 8) float32 · Net.first.1"
    ]
    assert browser.run("page.canvas.found.size") == 1
    browser.click_on("#found li")
    assert "ReluBackward0" in browser.run("byId('more').innerText")
    x, y = place_of(browser, "node.name === 'ReluBackward0'")
    left, width, height = browser.run("(r => [r.x, r.width, r.height])(byId('view').getBoundingClientRect())")
    assert abs(x - left - width / 2) < 2 and abs(y - (browsers.HEIGHT - height / 2)) < 2  # in the middle
    browser.run("byId('find').select()")
    browser.write("no such thing")
    assert browser.run("document.body.dataset.found") == "0"
    assert browser.run("byId('found').children.length") == 0


def test_folding_hides(browser: Browser, tmp_path: Path) -> None:
    net = Net()
    open_graph(browser, tmp_path, torch.graph(step(net), params=net))
    everything = shown(browser)
    has_relu = "page.canvas.view.boxes.some(b => page.model.nodes[b.node]?.name === 'ReluBackward0')"
    assert browser.run(has_relu)
    boxes = browser.run("[...document.querySelectorAll('#modules label')].map(l => l.textContent.trim())")
    assert boxes[0].startswith("Net") and boxes[1].startswith("first Sequential") and boxes[2].startswith("0 Linear")
    browser.click_on("#modules li:nth-child(2) input")
    inside = browser.run("page.model.modules.find(m => m.path === 'Net.first').all")
    assert shown(browser) == everything - inside + 1 and not browser.run(has_relu)
    # What a search finds in a folded module marks the module; going there opens it.
    browser.click_on("#find")
    browser.write("relu")
    assert browser.run("[...page.canvas.found].map(i => page.canvas.view.boxes[i].kind)") == ["folded"]
    browser.click_on("#found li")
    assert browser.run(has_relu)
    browser.click_on("#fold-all")
    assert browser.run("page.canvas.view.boxes.map(b => b.kind).sort()") == [
        *["folded"],
        *["operation"] * 2,
        "result",
    ]
    browser.click(*place_of(browser, "box.kind === 'folded'"), count=2)
    assert shown(browser) > 4
    browser.click_on("#unfold-all")
    assert shown(browser) == everything


def test_zoom_and_drag_move_the_picture(browser: Browser, tmp_path: Path) -> None:
    net = Net()
    open_graph(browser, tmp_path, torch.graph(step(net), params=net))
    browser.click_on("#fit")
    before = scale(browser)
    x, y = place_of(browser, "node.name === 'TanhBackward0'")
    browser.wheel(x, y, -200)
    assert scale(browser) > before * 1.2
    near = place_of(browser, "node.name === 'TanhBackward0'")
    assert abs(near[0] - x) < 2 and abs(near[1] - y) < 2  # what is under the pointer stays there
    browser.drag(700, 500, 760, 460)
    far = place_of(browser, "node.name === 'TanhBackward0'")
    assert abs(far[0] - near[0] - 60) < 2 and abs(far[1] - near[1] + 40) < 2
    browser.click_on("#zoom-out")
    browser.click_on("#fit")
    assert scale(browser) == pytest.approx(before)


def test_boxes_do_not_overlap_and_modules_hold_theirs(browser: Browser, tmp_path: Path) -> None:
    net = Net()
    w = torch.ones(2, requires_grad=True)
    y = step(net) * w
    for i in range(12):  # arrows that pass layers, and a leaf that many use
        y = (y * w + y.exp()).sum() * w if i % 3 else y.tanh() * w
    open_graph(browser, tmp_path, torch.graph(y, params={**dict(net.named_parameters()), "w": w}))
    overlapping = browser.run(
        """(() => { const b = page.canvas.view.boxes; let n = 0;
        for (let i = 0; i < b.length; ++i) for (let j = 0; j < i; ++j)
          n += Math.abs(b[i].x - b[j].x) * 2 < b[i].width + b[j].width - 0.1
            && Math.abs(b[i].y - b[j].y) * 2 < b[i].height + b[j].height;
        for (const g of page.canvas.view.groups.values()) for (const box of b) {
          const within = g.points.includes(box);
          const touches = Math.abs(g.x - box.x) * 2 < g.width + box.width - 0.1
            && box.y + box.height / 2 > g.y0 && box.y - box.height / 2 < g.y1;
          n += within !== touches;
        }
        return n; })()"""
    )
    assert overlapping == 0
    assert browser.run("page.canvas.view.boxes.filter(b => b.repeated).length") > 3
    upwards = "page.canvas.view.arrows.filter(a => a.points[1] >= a.points[a.points.length - 1]).length"
    assert browser.run(upwards) == 0


def test_ten_thousand_boxes_stay_usable(browser: Browser, tmp_path: Path) -> None:
    w = torch.ones(1, requires_grad=True)
    leaves = {f"w{i}": torch.ones(1, requires_grad=True) for i in range(5000)}
    y = w
    for leaf in leaves.values():
        y = y * leaf
    open_graph(browser, tmp_path, torch.graph(y, params=leaves))
    assert shown(browser) == 10_002
    assert int(browser.run("document.body.dataset.layout")) < 15_000  # 0.5 s on a machine with nothing else to do
    browser.click_on("#fit")
    for by in (-300, -300, 300, -600):
        browser.wheel(700, 400, by)
        assert browser.run("page.canvas.milliseconds") < 1500  # 20 to 80 ms
    browser.click_on("#find")
    browser.write("w4321")
    browser.click_on("#found li")
    assert "w4321" in browser.run("byId('more').innerText")


def test_many_modules_begin_folded(browser: Browser, tmp_path: Path) -> None:
    net = nn.Sequential(*[nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2), nn.ReLU()) for _ in range(80)])
    with torch.graph.record():
        loss = net(torch.ones(1, 2)).sum()
    open_graph(browser, tmp_path, torch.graph(loss, params=net))
    assert 80 < shown(browser) <= 250
    assert int(browser.run("document.body.dataset.total")) > 800
    browser.click_on("#unfold-all")
    assert shown(browser) == int(browser.run("document.body.dataset.total"))


def test_modules_called_again_make_no_trouble(browser: Browser, tmp_path: Path) -> None:
    """Folded, a module that is called twice depends on itself through what is between."""
    layer = nn.Linear(3, 3)
    with torch.graph.record():
        h = torch.ones(1, 3)
        for _ in range(5):
            h = layer(h).tanh()
    open_graph(browser, tmp_path, torch.graph(h, params=layer))
    browser.click_on("#fold-all")
    assert browser.run("page.canvas.view.boxes.length") == 7
    assert browser.run("page.canvas.view.arrows.some(a => a.back)")


def test_hostile_names_are_only_text(browser: Browser, tmp_path: Path) -> None:
    w = torch.ones(1, requires_grad=True)
    net = nn.Module()
    net.add_module(HOSTILE.replace(".", ""), nn.ReLU())
    net.forward = lambda x: next(net.children())(x)
    with torch.graph.record():
        loss = net(w)
    open_graph(browser, tmp_path, torch.graph(loss, params={HOSTILE: w, "loss": loss}, title=HOSTILE))
    assert browser.run("page.model.nodes.map(n => n.name)") == ["loss", "ReluBackward0", HOSTILE]
    assert browser.run("document.querySelector('h1').textContent") == HOSTILE
    assert HOSTILE in browser.run("byId('parameters').textContent")
    browser.click(*place_of(browser, "node.kind === 'leaf'"))
    assert HOSTILE in browser.run("byId('more').textContent")
    assert not browser.run("window.harmed") and browser.run("document.images.length") == 0


@pytest.mark.parametrize("tensors", [[], [torch.ones(2)]])
def test_graphs_of_nothing(browser: Browser, tmp_path: Path, tensors: Any) -> None:
    open_graph(browser, tmp_path, torch.graph(tensors))
    assert shown(browser) == len(tensors)
    browser.click_on("#fit")
    browser.click_on("#fold-all")
    assert browser.run("byId('module-part').hidden")


def test_live(browser: Browser) -> None:
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    stop = threading.Event()

    def train() -> None:
        while not stop.wait(0.001):
            optimizer.zero_grad()
            loss = net(torch.ones(3, 4)).square().mean()
            loss.backward()
            view.update(loss)
            optimizer.step()

    with torch.graph.serve(net, title="A training") as view:
        browser.open(view.url)
        assert "waiting for the first step" in browser.wait("byId('status').textContent")
        thread = threading.Thread(target=train)
        thread.start()
        try:
            browser.wait("Number(document.body.dataset.step) > 0")
            first = browser.run("Number(document.body.dataset.step)")
            browser.wait(f"Number(document.body.dataset.step) > {first}")
            # From the second graph on, modules and lines are known.
            browser.wait("byId('modules').children.length >= 4")
            assert browser.run("byId('status').className") == "live"
            browser.click_on("#modules li:nth-child(2) input")
            few = shown(browser)
            step = browser.run("Number(document.body.dataset.step)")
            browser.wait(f"Number(document.body.dataset.step) > {step}")
            assert shown(browser) == few  # a fold stays as it is from step to step
            norms = (
                "[...document.querySelectorAll('#parameters tbody td:last-child')].map(c => parseFloat(c.textContent))"
            )
            assert all(norm >= 0 for norm in browser.run(norms))
            browser.wait("document.querySelector('#parameters polyline').getAttribute('points').includes(' ')")
        finally:
            stop.set()
            thread.join()
    browser.wait("byId('status').textContent.includes('no longer live')")


def test_the_page_asks_nobody_else(browser: Browser, tmp_path: Path) -> None:
    net = Net()
    open_graph(browser, tmp_path, torch.graph(step(net), params=net))
    loaded = json.loads(browser.run("JSON.stringify(performance.getEntriesByType('resource').map(e => e.name))"))
    assert loaded == []
