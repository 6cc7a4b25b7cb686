"""Makes docs/profiler.png: the flame graph of one training step of a small network, as chromium shows it.

.venv/bin/python -m scripts.profiler_picture
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import onetape as torch
from onetape import nn
from onetape.profiler import profile, record_function
from tests.python.support.browser import WIDTH, Browser

TARGET = Path(__file__).resolve().parent.parent / "docs" / "profiler.png"


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, images: torch.Tensor, labels: torch.Tensor) -> None:
    with record_function("forward"):
        loss = nn.functional.cross_entropy(model(images), labels)
    with record_function("backward"):
        loss.backward()
    with record_function("update"):
        optimizer.step()
        optimizer.zero_grad()


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16 * 13 * 13, 10))
    optimizer = torch.optim.Adam(model.parameters())
    images, labels = torch.randn(32, 1, 28, 28), torch.arange(32) % 10
    for _ in range(3):
        train_step(model, optimizer, images, labels)
    with profile(with_stack=True) as prof:
        train_step(model, optimizer, images, labels)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        page = Path(folder) / "flame.html"
        prof.export_flame_graph(page, "One training step")
        browser.open(page.as_uri())
        height = int(browser.run("document.getElementById('more').getBoundingClientRect().bottom"))
        browser.call(
            "Emulation.setDeviceMetricsOverride",
            width=WIDTH,
            height=min(height, 400),
            deviceScaleFactor=1,
            mobile=False,
        )
        browser.frame()
        browser.screenshot(TARGET)
    print(f"{TARGET}: {TARGET.stat().st_size // 1000} KB")


if __name__ == "__main__":
    main()
