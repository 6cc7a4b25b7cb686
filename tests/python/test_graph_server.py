"""The live view of a training: what its server answers, and to whom."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

import onetape as torch
from onetape import nn


@pytest.fixture
def view() -> Iterator[torch.GraphServer]:
    with torch.graph.serve({}) as server:
        yield server


def token_of(view: torch.GraphServer) -> str:
    return urlsplit(view.url).path.strip("/")


def ask(
    view: torch.GraphServer, path: str = "", method: str = "GET", **headers: str
) -> tuple[int, bytes, http.client.HTTPResponse]:
    """Asks for a path, which an own path begins with; the token is put in front of what begins with nothing."""
    connection = http.client.HTTPConnection("127.0.0.1", view.port, timeout=60)
    try:
        connection.request(method, path if path.startswith("/") else f"/{token_of(view)}/{path}", headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer
    finally:
        connection.close()


def later(view: torch.GraphServer, after: int = 0) -> tuple[threading.Thread, list[Any]]:
    """Asks for news in a thread; returns when the server knows that it is waited for."""
    news: list[Any] = []

    def run() -> None:
        status, body, _ = ask(view, f"graph?after={after}")
        news.append(json.loads(body) if status == 200 else status)

    thread = threading.Thread(target=run)
    thread.start()
    until = time.monotonic() + 30
    while not view._server.news.wanted and thread.is_alive() and time.monotonic() < until:
        time.sleep(0.002)
    return thread, news


def test_the_page_needs_the_token(view: torch.GraphServer) -> None:
    status, page, answer = ask(view)
    assert status == 200 and page.startswith(b"<!DOCTYPE html>") and b"Live graph" in page
    policy = answer.getheader("Content-Security-Policy")
    assert policy and "default-src 'none'" in policy and answer.getheader("Cache-Control") == "no-store"
    token = token_of(view)
    assert len(token) == 32
    for path in ("/", "/graph", f"/{token[:-1]}/", f"/{token}x/", f"/x/{token}/", "/%00/", f"/?{token}"):
        assert ask(view, path)[0] == 403, path
    with socket.create_connection(("127.0.0.1", view.port)) as raw:
        raw.sendall(f"GET /é名/ HTTP/1.1\r\nHost: 127.0.0.1:{view.port}\r\n\r\n".encode())
        assert b" 403 " in raw.recv(100)


def test_there_are_no_files(view: torch.GraphServer) -> None:
    for path in ("../../etc/passwd", "..%2f..%2fetc/passwd", "page.html", "graph/", "graph/../..", "./"):
        assert ask(view, path)[0] == 404, path
    assert ask(view, "/../" + token_of(view) + "/")[0] == 403


def test_other_names_of_the_host_are_refused(view: torch.GraphServer) -> None:
    for host in ("evil.example", f"evil.example:{view.port}", "127.0.0.1", f"127.0.0.2:{view.port}", ""):
        assert ask(view, Host=host)[0] == 403, host
    assert ask(view, Host=f"localhost:{view.port}")[0] == 200
    with socket.create_connection(("127.0.0.1", view.port)) as raw:
        raw.sendall(f"GET /{token_of(view)}/ HTTP/1.0\r\n\r\n".encode())
        assert b" 403 " in raw.recv(100)


def test_nothing_can_be_changed(view: torch.GraphServer) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        assert ask(view, method=method)[0] == 405
        assert ask(view, "/", method=method)[0] == 403
    status, body, answer = ask(view, method="HEAD")
    assert status == 200 and body == b"" and int(answer.getheader("Content-Length") or 0) > 10_000


def test_it_listens_on_this_machine_alone(view: torch.GraphServer) -> None:
    assert view._server.server_address[0] == "127.0.0.1"
    assert view.url.startswith(f"http://127.0.0.1:{view.port}/")
    assert token_of(view) not in repr(view)


def test_who_asks_gets_the_next_step() -> None:
    torch.manual_seed(0)  # of the three numbers, one at least is above 0
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    with torch.graph.serve(net, title="mine & yours") as view:
        assert b"<title>mine &amp; yours</title>" in ask(view)[1]
        thread, news = later(view)
        assert view.watched
        loss = net(torch.ones(1, 2)).sum()
        loss.backward()
        view.update(loss)
        thread.join()
        assert news[0]["version"] == 1 and news[0]["step"] == 1
        nodes = {node["name"]: node for node in news[0]["graph"]["nodes"]}
        assert nodes["0.weight"]["grad_norm"] > 0 and "places" not in nodes["AddmmBackward0"]
        # From now on nodes note where they come from; what is known already is handed out at once.
        assert json.loads(ask(view, "graph?after=0")[1]) == news[0]
        thread, news = later(view, 1)
        view.update([net(torch.ones(1, 2)), net(torch.ones(2, 2))])
        thread.join()
        nodes = {node["name"]: node for node in news[0]["graph"]["nodes"]}
        assert news[0]["step"] == 2 and "test_graph_server.py" in nodes["AddmmBackward0"]["places"][0]
        assert news[0]["graph"]["modules"][0] == {"name": "Sequential", "type": "Sequential"}
    y = net(torch.ones(1, 2))
    assert "places" not in torch.graph(y).json()


def test_nobody_looking_costs_nothing(view: torch.GraphServer) -> None:
    assert not view.watched
    loss = torch.ones(1, requires_grad=True) * 2
    begin = time.perf_counter()
    for _ in range(10_000):
        view.update(loss)
    assert time.perf_counter() - begin < 0.5  # some 0.1 µs each; a graph would take 10,000 times as long
    assert view._server.news._version == 0


def test_recording_ends_when_nobody_looks_any_more(view: torch.GraphServer) -> None:
    w = torch.ones(1, requires_grad=True)
    thread, _ = later(view)
    view.update(w * 2)
    thread.join()
    assert "places" in torch.graph(w * 2).json()
    view._server.news._asked -= 60
    assert not view.watched
    view.update(w * 2)
    assert "places" not in torch.graph(w * 2).json()


def test_what_is_no_tensor_is_refused_once_somebody_looks(view: torch.GraphServer) -> None:
    thread, news = later(view)
    with pytest.raises(TypeError):
        view.update(3)  # type: ignore[arg-type]
    view.update(torch.ones(1))
    thread.join()
    assert news[0]["step"] == 2


def test_strange_versions_are_none(view: torch.GraphServer) -> None:
    thread, _ = later(view)
    view.update(torch.ones(1))
    thread.join()
    for query in (
        "",
        "?after=",
        "?after=-1",
        "?after=x",
        "?after=" + "9" * 40,
        "?after=%C2%B2",
        "?other=1",
        "?after=1x",
    ):
        assert ask(view, "graph" + query)[0] == 200, query


def test_closing_frees_the_port_and_lets_go_of_who_waits() -> None:
    view = torch.graph.serve()
    port = view.port
    thread, news = later(view)
    view.close()
    view.close()
    thread.join(20)
    assert news == [410] and not view.watched and repr(view) == "<GraphServer, closed>"
    view.update(torch.ones(1))  # a loop may go on
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port)).close()
    with torch.graph.serve(port=port) as again:
        assert again.port == port and ask(again)[0] == 200
        assert token_of(again) != token_of(view)


def test_two_views_and_a_port_that_is_taken() -> None:
    with torch.graph.serve() as first, torch.graph.serve() as second:
        assert first.port != second.port
        assert ask(first, f"/{token_of(second)}/")[0] == 403
        with pytest.raises(OSError, match="in use"):
            torch.graph.serve(port=first.port)
        assert ask(first)[0] == ask(second)[0] == 200


@pytest.mark.parametrize("port", [-1, 70_000])
def test_ports_that_there_are_not(port: int) -> None:
    with pytest.raises(OverflowError):
        torch.graph.serve(port=port)


def test_many_ask_while_threads_train() -> None:
    nets = [nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)) for _ in range(2)]
    names = {f"{i}.{name}": p for i, net in enumerate(nets) for name, p in net.named_parameters()}
    stop = threading.Event()
    errors: list[BaseException] = []
    with torch.graph.serve(names) as view:

        def train(net: nn.Module) -> None:
            try:
                optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
                while not stop.is_set():
                    optimizer.zero_grad()
                    loss = net(torch.randn(8, 4)).square().mean()
                    loss.backward()
                    view.update(loss)
                    optimizer.step()
            except BaseException as error:  # told below
                errors.append(error)

        def look(seen: list[int]) -> None:
            try:
                version = 0
                for _ in range(20):
                    status, body, _ = ask(view, f"graph?after={version}")
                    assert status == 200
                    news = json.loads(body)
                    assert news["version"] > version
                    version = news["version"]
                    seen.append(news["step"])
            except BaseException as error:
                errors.append(error)

        trainers = [threading.Thread(target=train, args=(net,)) for net in nets]
        steps: list[list[int]] = [[] for _ in range(6)]
        lookers = [threading.Thread(target=look, args=(seen,)) for seen in steps]
        for thread in trainers + lookers:
            thread.start()
        for thread in lookers:
            thread.join()
        stop.set()
        for thread in trainers:
            thread.join()
    assert not errors
    assert all(len(seen) == 20 for seen in steps)


def test_a_client_that_says_nothing_harms_nobody(view: torch.GraphServer) -> None:
    with (
        socket.create_connection(("127.0.0.1", view.port)) as silent,
        socket.create_connection(("127.0.0.1", view.port)) as mad,
    ):
        mad.sendall(b"\x00\xff garbage\r\n\r\n")
        assert ask(view)[0] == 200
        silent.sendall(b"GET ")
        assert ask(view)[0] == 200
