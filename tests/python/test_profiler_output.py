"""What the profiler makes of what it saw: tables, traces, stacks, flame graphs and memory timelines."""

from __future__ import annotations

import gzip
import json
import re
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from onetape.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg
from onetape.profiler import profile, record_function, tensorboard_trace_handler
from tests.python.support import browser as browsers
from tests.python.support.browser import Browser


def step() -> None:
    model = torch.nn.Linear(64, 32)
    with record_function("forward"):
        loss = model(torch.ones(16, 64)).relu().sum()
    loss.backward()


@pytest.fixture(scope="module")
def prof() -> Iterator[profile]:
    with profile(record_shapes=True, profile_memory=True, with_stack=True) as recorded:
        step()
    yield recorded


# ---- tables ----


def test_averages(prof: profile) -> None:
    averages = {average.key: average for average in prof.key_averages()}
    events = prof.events()
    for key, average in averages.items():
        same = [event for event in events if event.name == key]
        assert average.count == len(same)
        assert average.cpu_time_total == pytest.approx(sum(event.cpu_time_total for event in same))
        assert average.self_cpu_time_total == pytest.approx(sum(event.self_cpu_time_total for event in same))
        assert average.cpu_memory_usage == sum(event.cpu_memory_usage for event in same)
    assert prof.key_averages().self_cpu_time_total == pytest.approx(events.self_cpu_time_total)
    total = prof.key_averages().total_average()
    assert (total.key, total.count) == ("Total", len(events))


def test_averages_by_shapes_and_calls() -> None:
    with profile(record_shapes=True, with_stack=True) as recorded:
        for size in (2, 3, 3):
            torch.ones(size) + 1
        torch.ones(3) + 1
    by_name = [group for group in recorded.key_averages() if group.key == "aten::add"]
    assert [(group.count, group.input_shapes) for group in by_name] == [(4, "")]
    by_shape = [group for group in recorded.key_averages(group_by_input_shape=True) if group.key == "aten::add"]
    assert [(group.count, group.input_shapes[0]) for group in by_shape] == [(1, [2]), (3, [3])]
    by_line = [group for group in recorded.key_averages(group_by_stack_n=1) if group.key == "aten::add"]
    assert [group.count for group in by_line] == [3, 1]
    assert all(len(group.stack) == 1 for group in by_line)


def test_averages_of_some_events(prof: profile) -> None:
    events = prof.events()
    chosen: EventList[FunctionEvent] = EventList(
        [event for event in events if event.scope == 1], profile=events._profile
    )
    assert {group.key for group in chosen.key_averages()} == {event.name for event in events if event.scope == 1}
    with pytest.raises(AssertionError, match="Expected tree to be built before calling key_averages"):
        EventList(events).key_averages()


def test_the_table_is_pytorchs() -> None:
    def average(key: str, self_us: float, total: float, count: int, memory: int) -> FunctionEventAvg:
        made = FunctionEventAvg()
        made.key, made.self_cpu_time_total, made.cpu_time_total, made.count = key, self_us, total, count
        made.cpu_memory_usage = made.self_cpu_memory_usage = memory
        return made

    rows = [average("aten::mm", 1.5, 2.25, 1, 512), average("a" * 60, 3e3, 4.5e6, 2, -3 << 20)]
    rule = "  ".join(["-" * 55, *["-" * 12] * 8, ""])
    titles = [
        "Self CPU %",
        "Self CPU",
        "CPU total %",
        "CPU total",
        "CPU time avg",
        "CPU Mem",
        "Self CPU Mem",
        "# of Calls",
    ]
    cut = ["99.95%", "3.000ms", "149925.04%", "4.500s", "2.250s", "-3.00 MB", "-3.00 MB", "2"]
    short = ["0.05%", "1.500us", "0.07%", "2.250us", "2.250us", "512 B", "512 B", "1"]

    def line(name: str, cells: list[str]) -> str:
        return "  ".join([name.rjust(55), *(cell.rjust(12) for cell in cells), ""])

    assert EventList(rows, profile_memory=True).table(sort_by="cpu_time_total", row_limit=-1).splitlines() == [
        rule,
        line("Name", titles),
        rule,
        line("a" * 52 + "...", cut),
        line("aten::mm", short),
        rule,
        "Self CPU time total: 3.002ms",
    ]
    assert EventList([]).table() == ""
    shown = EventList(rows).table(row_limit=1, header="title", time_unit="us", max_name_column_width=None)
    assert shown.splitlines()[1] == "title"
    assert "a" * 60 not in shown
    assert "1.500us" in shown and "Self CPU time total: 3001.500us" in shown
    with pytest.raises(AttributeError, match="'FunctionEventAvg' object has no attribute 'foo'"):
        EventList(rows).table(sort_by="foo")
    assert EventList(rows).table(sort_by="self_cuda_time_total").index("aten::mm") < 900


def test_the_columns_follow_what_was_noted(prof: profile) -> None:
    plain = prof.key_averages().table()
    assert "CPU Mem" in plain and "Input Shapes" not in plain and "Source Location" not in plain
    assert "[[32], [16, 64], [64, 32]" in prof.key_averages(group_by_input_shape=True).table()
    assert "test_profiler_output.py(" in prof.key_averages(group_by_stack_n=2).table()
    top = prof.events().table(top_level_events_only=True)
    assert "This report only display top-level ops statistics" in top
    assert "aten::addmm" not in top and "AddmmBackward0" in top


# ---- files ----


def trace_of(path: Path) -> list[dict[str, Any]]:
    loaded = json.loads(path.read_text())
    events: list[dict[str, Any]] = loaded["traceEvents"]
    return events


def test_chrome_trace(prof: profile, tmp_path: Path) -> None:
    prof.add_metadata("run", 'the "first"')
    prof.add_metadata_json("rate", "[1, 2]")
    prof.export_chrome_trace(tmp_path / "trace.json")
    loaded = json.loads((tmp_path / "trace.json").read_text())
    assert (loaded["run"], loaded["rate"], loaded["with_stack"]) == ('the "first"', [1, 2], 1)
    events = loaded["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert [span["name"] for span in spans] == [event.name for event in prof.events()]
    addmm = next(span for span in spans if span["name"] == "aten::addmm")
    assert addmm["cat"] == "cpu_op" and addmm["args"]["Input Dims"][:3] == [[32], [16, 64], [64, 32]]
    assert next(span for span in spans if span["name"] == "forward")["cat"] == "user_annotation"
    names = [event for event in events if event["ph"] == "M" and event["name"] == "thread_name"]
    assert [name["tid"] for name in names] == [threading.get_native_id()]
    memory = [event["args"] for event in events if event["name"] == "[memory]"]
    assert memory and memory[-1]["Total Allocated"] - memory[0]["Total Allocated"] == sum(
        change["Bytes"] for change in memory[1:]
    )
    with pytest.raises(ValueError):
        prof.add_metadata_json("bad", "{")


def test_arrows_lead_from_forward_to_backward(prof: profile, tmp_path: Path) -> None:
    prof.export_chrome_trace(tmp_path / "trace.json")
    events = trace_of(tmp_path / "trace.json")
    begins = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert begins.keys() == ends.keys() and len(begins) >= 3
    spans = {(event["tid"], event["ts"]): event["name"] for event in events if event["ph"] == "X"}
    pairs = {(spans[begins[i]["tid"], begins[i]["ts"]], spans[ends[i]["tid"], ends[i]["ts"]]) for i in begins}
    assert ("aten::addmm", "AddmmBackward0") in pairs
    assert ("aten::relu", "ReluBackward0") in pairs


def test_compressed_trace(prof: profile, tmp_path: Path) -> None:
    prof.export_chrome_trace(tmp_path / "trace.json.gz")
    assert json.loads(gzip.decompress((tmp_path / "trace.json.gz").read_bytes()))["traceEvents"]


def test_stacks(prof: profile, tmp_path: Path) -> None:
    prof.export_stacks(tmp_path / "stacks.txt")
    for line in (tmp_path / "stacks.txt").read_text().splitlines():
        path, count = line.rsplit(" ", 1)
        assert int(count) > 0 and " " not in path
        assert path.split(";")[-1].startswith("test") or "onetape" in path.split(";")[-1]
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.export_stacks(tmp_path / "stacks.txt", "calls")
    with profile() as plain:
        pass
    with pytest.raises(AssertionError, match=r"export_stacks\(\) requires with_stack=True"):
        plain.export_stacks(tmp_path / "stacks.txt")


def test_flame_graph_data(prof: profile, tmp_path: Path) -> None:
    prof.export_flame_graph(tmp_path / "flame.html", "A <step>")
    page = (tmp_path / "flame.html").read_text()
    assert "<title>A &lt;step&gt;</title>" in page
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data = json.loads(found[1])
    assert all(parent < i for i, parent in enumerate(data["parents"]))
    assert sum(data["selves"]) / 1e3 == pytest.approx(prof.events().self_cpu_time_total, rel=1e-6)
    assert sum(data["counts"]) == len(prof.events())
    at = data["names"].index("aten::addmm")
    path = []
    while at >= 0:
        path.append(data["names"][at])
        at = data["parents"][at]
    assert path[1] == "aten::linear" and path[-2] == "forward"
    assert any("step" in name for name in path)


def test_memory_timeline(prof: profile, tmp_path: Path) -> None:
    prof.export_memory_timeline(tmp_path / "memory.svg")
    root = ElementTree.parse(tmp_path / "memory.svg").getroot()
    assert root.tag.endswith("svg")
    assert any((text.text or "").startswith("peak ") for text in root.iter("{http://www.w3.org/2000/svg}text"))
    prof.export_memory_timeline(tmp_path / "memory.html", "cpu")
    assert "<svg" in (tmp_path / "memory.html").read_text()
    prof.export_memory_timeline(tmp_path / "memory.json.gz")
    times, sizes, kinds = json.loads(gzip.decompress((tmp_path / "memory.json.gz").read_bytes()))
    assert len(times) == len(sizes) and times == sorted(times)
    assert all(len(size) == len(kinds) for size in sizes)
    assert max(size[kinds.index("backward")] for size in sizes) >= 64 * 32 * 4
    assert min(min(size) for size in sizes) >= 0
    with pytest.raises(ValueError, match="a memory timeline is saved as"):
        prof.export_memory_timeline(tmp_path / "memory.png")
    with pytest.raises(ValueError, match="there is no memory of 'cuda:0'"):
        prof.export_memory_timeline(tmp_path / "memory.svg", "cuda:0")
    with profile() as plain:
        pass
    with pytest.raises(ValueError, match="profile_memory=True required"):
        plain.export_memory_timeline(tmp_path / "memory.svg")


def test_empty_profiles(tmp_path: Path) -> None:
    with profile(profile_memory=True, with_stack=True) as empty:
        pass
    assert len(empty.events()) == 0 and empty.key_averages().table() == ""
    empty.export_chrome_trace(tmp_path / "trace.json")
    empty.export_flame_graph(tmp_path / "flame.html")
    empty.export_memory_timeline(tmp_path / "memory.svg")
    empty.export_stacks(tmp_path / "stacks.txt")
    ElementTree.parse(tmp_path / "memory.svg")
    assert (tmp_path / "stacks.txt").read_text() == ""


def test_tensorboard_handler(tmp_path: Path) -> None:
    for use_gzip in (False, True):
        with profile(on_trace_ready=tensorboard_trace_handler(tmp_path / "logs", "worker", use_gzip)):
            torch.ones(2) + 1
    names = sorted(path.name for path in (tmp_path / "logs").iterdir())
    assert re.fullmatch(r"worker\.\d+\.pt\.trace\.json", names[0])
    assert re.fullmatch(r"worker\.\d+\.pt\.trace\.json\.gz", names[1])
    assert trace_of(tmp_path / "logs" / names[0])
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError, match="Can't create directory"):
        tensorboard_trace_handler(tmp_path / "file" / "logs")(profile())


def test_the_older_names() -> None:
    names = torch.autograd.profiler
    with names.profile(record_shapes=True) as recorded, names.record_function("block"):
        torch.ones(2) + 1
    assert {"block", "aten::add"} <= {event.name for event in recorded.function_events}
    assert "aten::add" in str(recorded) and "block" in recorded.table(sort_by="count")
    assert recorded.self_cpu_time_total == recorded.function_events.self_cpu_time_total
    assert recorded.total_average().count == len(recorded.function_events)
    assert str(torch.autograd.profiler.profile()) == "<unfinished torch.autograd.profile>"
    with torch.autograd.profiler.profile(enabled=False) as off:
        pass
    with pytest.raises(RuntimeError, match="didn't finish"):
        off.key_averages()
    assert repr(recorded.function_events[0]).startswith("<FunctionEvent id=0 name=block ")
    assert repr(recorded.key_averages()[0]).startswith("<FunctionEventAvg key=block ")


# ---- the flame graph in a browser ----


@pytest.mark.skipif(not browsers.PROGRAM, reason="chromium is not installed")
def test_flame_graph_in_a_browser(prof: profile, tmp_path: Path) -> None:
    prof.export_flame_graph(tmp_path / "flame.html", "Step")
    shown = "[...document.querySelectorAll('#view div')]"
    with Browser() as browser:
        browser.open((tmp_path / "flame.html").as_uri())
        whole = browser.run(f"{shown}.filter(box => box.style.top === '0px').length")
        assert whole == 1
        assert browser.run("document.getElementById('status').textContent").endswith("in operators")
        names = browser.run(f"{shown}.map(box => box.title.split(':')[0])")
        assert "forward" in names and "AddmmBackward0" in names
        # No bar is wider than the one that it stands in, and a click gives one all the room.
        browser.run(f"{shown}.find(box => box.title.startsWith('forward:')).click()")
        widest = browser.run(f"{shown}.find(box => box.title.startsWith('forward:')).getBoundingClientRect().width")
        assert widest == pytest.approx(browser.run("document.getElementById('view').clientWidth"), abs=1)
        assert "AddmmBackward0" not in browser.run(f"{shown}.map(box => box.title.split(':')[0])")
        browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
        assert "AddmmBackward0" in browser.run(f"{shown}.map(box => box.title.split(':')[0])")
        browser.run("(find.value = 'RELU', find.dispatchEvent(new Event('input')))")
        assert browser.run("document.getElementById('status').textContent").endswith("found")
        bright = browser.run(f"{shown}.filter(box => !box.classList.contains('dim')).map(box => box.title)")
        assert bright and all("relu" in title.lower() for title in bright)
        assert browser.run("getComputedStyle(document.querySelector('#view div')).position") == "absolute"


@pytest.mark.skipif(not browsers.PROGRAM, reason="chromium is not installed")
def test_hostile_names_do_no_harm(tmp_path: Path) -> None:
    name = '</script><script>window.harmed=1</script><img src=x onerror="window.harmed=1">'
    with profile() as recorded, record_function(name):
        torch.ones(2) + 1
    recorded.export_flame_graph(tmp_path / "flame.html", name)
    with Browser() as browser:
        browser.open((tmp_path / "flame.html").as_uri())
        assert browser.run("[...document.querySelectorAll('#view div')].some(box => box.title.startsWith('</script>'))")
        assert browser.run("window.harmed") is None
    recorded.export_chrome_trace(tmp_path / "trace.json")
    assert name in {event["name"] for event in trace_of(tmp_path / "trace.json")}
