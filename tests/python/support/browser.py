"""A real browser, Debian's chromium without a window, driven by its DevTools protocol over two pipes."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

PROGRAM = shutil.which("chromium")
SECONDS = 60.0
WIDTH, HEIGHT = 1200, 800


class Browser:
    """The browser, with one page open."""

    def __init__(self) -> None:
        assert PROGRAM
        self._folder = tempfile.TemporaryDirectory(prefix="onetape-browser-", ignore_cleanup_errors=True)
        reading, self._out = os.pipe()
        self._in, writing = os.pipe()
        # High, so that neither is in the way of the descriptors 3 and 4 that the browser uses.
        to_browser, from_browser = (fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (reading, writing))
        os.close(reading)
        os.close(writing)
        options = [
            "--headless=new",
            "--remote-debugging-pipe",
            "--no-sandbox",  # which does not work for root and in containers
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            f"--user-data-dir={self._folder.name}",
            f"--window-size={WIDTH},{HEIGHT}",
            "about:blank",
        ]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}', PROGRAM, *options],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._received = b""
        self._session: str | None = None
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def _message(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            more = os.read(self._in, 1 << 20) if ready else b""
            if not more:
                raise TimeoutError(f"the browser does not answer (it ended with {self._process.poll()})")
            self._received += more
        text, _, self._received = self._received.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        request: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._out, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while True:
            answer = self._message(until)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = SECONDS) -> Any:
        """Waits until an expression holds; returns its value."""
        until = time.monotonic() + seconds
        while not (value := self.run(condition)):
            if time.monotonic() > until:
                raise TimeoutError(f"never came to hold: {condition}")
            time.sleep(0.02)
        return value

    def frame(self) -> None:
        """Waits until what was asked for is drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x: float, y: float, count: int = 1) -> None:
        for i in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", clickCount=i)
            self.mouse("mouseReleased", x, y, button="left", clickCount=i)
        self.frame()

    def click_on(self, selector: str) -> None:
        """Clicks in the middle of an element."""
        place = f"(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector({json.dumps(selector)})"
        self.click(*self.run(f"{place}.getBoundingClientRect())"))

    def drag(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1)
        for part in (0.5, 1):
            self.mouse("mouseMoved", x0 + (x1 - x0) * part, y0 + (y1 - y0) * part, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)
        self.frame()

    def wheel(self, x: float, y: float, by: float) -> None:
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=by)
        self.frame()

    def write(self, text: str) -> None:
        self.call("Input.insertText", text=text)
        self.frame()

    def screenshot(self, path: Path) -> None:
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self) -> None:
        os.close(self._out)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        self._folder.cleanup()

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
