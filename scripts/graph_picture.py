"""Makes docs/graph.png: the page of one training step of a small residual network, as chromium shows it.

.venv/bin/python -m scripts.graph_picture
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import onetape as torch
from onetape import nn
from tests.python.support.browser import Browser

TARGET = Path(__file__).resolve().parent.parent / "docs" / "graph.png"


class Block(nn.Module):
    """x + second(relu(first(norm(x))))"""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.first = nn.Linear(size, 2 * size)
        self.second = nn.Linear(2 * size, size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = x + self.second(self.first(self.norm(x)).relu())
        return result


class Net(nn.Module):
    """Two blocks between two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(64, 16)
        self.blocks = nn.Sequential(Block(16), Block(16))
        self.leave = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.leave(self.blocks(self.enter(x)))
        return result


def main() -> None:
    torch.manual_seed(0)
    net = Net()
    with torch.graph.record():
        loss = nn.CrossEntropyLoss()(net(torch.randn(32, 64)), torch.arange(32) % 10)
    loss.backward()
    graph = torch.graph(loss, params={**dict(net.named_parameters()), "loss": loss}, title="One training step")
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        browser.open(graph.save(Path(folder) / "graph.html").as_uri())
        browser.wait("document.body.dataset.scale")
        browser.run("page.toggle(page.model.modules.find(m => m.path === 'Net.blocks.0').id)")
        browser.run("page.goTo(page.model.nodes.findIndex(n => n.name === 'blocks.1.first.bias'))")
        browser.run("(page.canvas.lit = null, page.canvas.zoom(0.72, 420, 80), page.canvas.pan(-120, 60))")
        browser.frame()
        browser.screenshot(TARGET)
    print(f"{TARGET}: {TARGET.stat().st_size // 1000} KB")


if __name__ == "__main__":
    main()
