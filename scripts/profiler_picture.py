"""Makes docs/profiler.png, the flame graph of one training step of a small network as chromium shows it, and
docs/profiler-memory.svg, the memory of two such steps.

.venv/bin/python -m scripts.profiler_picture
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import onetape as torch
from onetape import nn
from onetape.profiler import profile, record_function
from tests.python.support.browser import WIDTH, Browser

DOCS = Path(__file__).resolve().parent.parent / "docs"
FLAMES = DOCS / "profiler.png"
MEMORY = DOCS / "profiler-memory.svg"
TRIES = 20


class Training:
    """A network, its optimizer and a batch."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(
            nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16 * 13 * 13, 10)
        )
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.images, self.labels = torch.randn(32, 1, 28, 28), torch.arange(32) % 10

    def step(self) -> None:
        with record_function("forward"):
            loss = nn.functional.cross_entropy(self.model(self.images), self.labels)
        with record_function("backward"):
            loss.backward()
        with record_function("update"):
            self.optimizer.step()
            self.optimizer.zero_grad()


def quickest(training: Training) -> profile:
    """The profile of the shortest of several steps: in the others the machine had something else to do."""
    found: list[tuple[float, profile]] = []
    for _ in range(TRIES):
        with profile(with_stack=True) as prof:
            start = time.perf_counter()
            training.step()
            found.append((time.perf_counter() - start, prof))
    return min(found, key=lambda pair: pair[0])[1]


def draw_flames(prof: profile) -> None:
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
        browser.screenshot(FLAMES)


def main() -> None:
    training = Training()
    draw_flames(quickest(training))
    with profile(profile_memory=True) as prof:
        training.step()
        training.step()
    prof.export_memory_timeline(MEMORY)
    for target in (FLAMES, MEMORY):
        print(f"{target}: {target.stat().st_size // 1000} KB")


if __name__ == "__main__":
    main()
