"""Writers of event files."""

from __future__ import annotations

import io
import itertools
import os
import socket
import threading
import time
from datetime import datetime
from types import TracebackType
from typing import Any

import onetape._C as _C
from onetape.utils.tensorboard import summaries
from onetape.utils.tensorboard.records import Message, record

__all__ = ["FileWriter", "SummaryWriter"]

_numbers = itertools.count()
"""Makes the names of this process's files differ."""

_SESSION_START = 1
"""Says that what earlier runs wrote from the step on is void."""


class FileWriter:
    """One event file. Threads may share it.

    max_queue: events that wait in memory at most
    flush_secs: seconds they wait at most, if anything is written later
    """

    def __init__(
        self, log_dir: str | os.PathLike[str], max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = ""
    ) -> None:
        self._log_dir = os.fspath(log_dir)
        os.makedirs(self._log_dir, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
        self._file = open(os.path.join(self._log_dir, name + filename_suffix), "ab")  # noqa: SIM115
        self._lock = threading.Lock()
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._waiting = 0
        self._flushed = time.monotonic()
        self._write(Message().float64(1, time.time()).data(3, "brain.Event:2"))
        self.flush()

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self._log_dir

    def _write(self, event: Message) -> None:
        data = record(event.encoded())
        with self._lock:
            self._file.write(data)
            self._waiting += 1
            if self._waiting > self._max_queue or time.monotonic() - self._flushed > self._flush_secs:
                self._flush()

    def add_summary(self, summary: Message, global_step: int | None = None, walltime: float | None = None) -> None:
        """Writes what is shown at a step."""
        event = Message().float64(1, time.time() if walltime is None else walltime)
        self._write(event.integer(2, None if global_step is None else int(global_step)).data(5, summary))

    def purge(self, step: int) -> None:
        """Says that everything from the step on, written by earlier runs, is void."""
        log = Message().integer(1, _SESSION_START)
        self._write(Message().float64(1, time.time()).integer(2, step).data(7, log))

    def _flush(self) -> None:
        self._file.flush()
        self._waiting = 0
        self._flushed = time.monotonic()

    def flush(self) -> None:
        """Writes what waits in memory."""
        with self._lock:
            self._flush()

    def close(self) -> None:
        """Ends the file; closing again does nothing."""
        with self._lock:
            self._file.close()


class SummaryWriter:
    """Writes curves, distributions, pictures and texts for TensorBoard.

    log_dir: the folder; a new one below ``runs`` if not given
    comment: the end of that folder's name
    purge_step: everything from this step on that earlier runs wrote there is void
    max_queue, flush_secs: events wait in memory, so many and so long at most
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = os.fspath(log_dir)
        self.purge_step = purge_step
        self._options = (max_queue, flush_secs, filename_suffix)
        self.all_writers: dict[str, FileWriter] = {}
        self.file_writer = self._writer(self.log_dir)

    def _writer(self, folder: str) -> FileWriter:
        if folder not in self.all_writers:
            self.all_writers[folder] = writer = FileWriter(folder, *self._options)
            if self.purge_step is not None:
                writer.purge(self.purge_step)
        return self.all_writers[folder]

    def get_logdir(self) -> str:
        """The folder."""
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """A number of a curve: a number, or a tensor of one element."""
        made = summaries.scalar(tag, scalar_value, new_style, double_precision)
        self.file_writer.add_summary(made, global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: dict[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Numbers of several curves in one picture: each has a file in a folder of its own."""
        for tag, value in tag_scalar_dict.items():
            folder = f"{self.log_dir}/{main_tag.replace('/', '_')}_{tag}"
            self._writer(folder).add_summary(summaries.scalar(main_tag, value), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """The distribution of the elements of a tensor or array.

        bins: "tensorflow" for edges that grow by 10 %, a number of bins, or the edges

        Raises ValueError: there are no elements.
        """
        self.file_writer.add_summary(summaries.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """A picture: bytes, or numbers from 0 to 1, with the dimensions that dataformats names."""
        made = summaries.image(tag, summaries.pixels(img_tensor, dataformats))
        self.file_writer.add_summary(made, global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Several pictures in rows of eight."""
        made = summaries.image(tag, summaries.image_grid(img_tensor, dataformats))
        self.file_writer.add_summary(made, global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: int | None = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """A figure of matplotlib, closed afterwards if not said otherwise."""
        buffer = io.BytesIO()
        figure.savefig(buffer, format="rgba", dpi=figure.dpi)
        width, height = figure.canvas.get_width_height()
        raw = _C.frombuffer(bytearray(buffer.getvalue()), dtype=_C.uint8).view(height, width, 4)
        if close:
            from matplotlib import pyplot

            pyplot.close(figure)
        self.add_image(tag, raw, global_step, walltime, dataformats="HWC")

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """A text, which TensorBoard reads as Markdown."""
        self.file_writer.add_summary(summaries.text(tag, text_string), global_step, walltime)

    def flush(self) -> None:
        """Writes what waits in memory."""
        for writer in self.all_writers.values():
            writer.flush()

    def close(self) -> None:
        """Ends the files."""
        for writer in self.all_writers.values():
            writer.close()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
