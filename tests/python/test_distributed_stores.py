"""The stores by which processes find each other: what they keep, whom they refuse, and how they end."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import onetape.distributed as dist
from tests.python.support.ranks import run

SHORT = timedelta(milliseconds=200)


def tcp_store(**options: Any) -> dist.TCPStore:
    return dist.TCPStore("127.0.0.1", 0, None, True, timedelta(seconds=20), **options)


@pytest.fixture(params=["tcp", "file", "hash", "prefix"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> dist.Store:
    makers: dict[str, Callable[[], dist.Store]] = {
        "tcp": tcp_store,
        "file": lambda: dist.FileStore(str(tmp_path / "store"), 1),
        "hash": dist.HashStore,
        "prefix": lambda: dist.PrefixStore("pre", dist.HashStore()),
    }
    return makers[request.param]()


def test_values(store: dist.Store) -> None:
    store.set("a", "b")
    store.set("raw", b"\xff\x00\n")
    assert store.get("a") == b"b" and store.get("raw") == b"\xff\x00\n"
    assert store.add("n", 3) == 3 and store.add("n", -5) == -2 and store.get("n") == b"-2"
    assert store.compare_set("a", "b", "c") == b"c" and store.compare_set("a", "b", "d") == b"c"
    assert store.compare_set("new", "x", "y") == b"x" and not store.check(["new"])
    assert store.compare_set("new", "", "y") == b"y" and store.get("new") == b"y"
    store.append("list", "x")
    store.append("list", "y")
    assert store.get("list") == b"xy"
    assert store.delete_key("a") and not store.delete_key("a")
    assert store.check(["n", "list"]) and not store.check(["n", "a"])
    store.multi_set(["p", "q"], ["1", "2"])
    assert store.multi_get(["q", "p"]) == [b"2", b"1"]
    assert {"n", "raw", "new", "list", "p", "q"} <= set(store.list_keys()) and store.num_keys() >= 6
    store.set("", "empty key")
    assert store.get("") == b"empty key"
    with pytest.raises(RuntimeError, match="holds no number"):
        store.add("list", 1)
    with pytest.raises(ValueError, match="2 keys and 1 values"):
        store.multi_set(["p", "q"], ["1"])
    with pytest.raises(TypeError):
        store.set("a", 1)  # type: ignore[arg-type]
    assert store.get("p") == b"1"  # it goes on


def test_waiting(store: dist.Store) -> None:
    begin = time.monotonic()
    with pytest.raises(dist.DistStoreError, match="^wait timeout after 200ms, keys: /.*nokey"):
        store.wait(["nokey"], SHORT)
    assert 0.15 < time.monotonic() - begin < 5
    store.set_timeout(SHORT)
    assert store.timeout == SHORT
    with pytest.raises(dist.DistStoreError, match="wait timeout"):
        store.get("nokey")
    store.set_timeout(timedelta(seconds=20))
    later = threading.Timer(0.2, lambda: store.set("nokey", "now"))
    later.start()
    assert store.get("nokey") == b"now"
    later.join()


def test_prefix() -> None:
    below = dist.HashStore()
    store = dist.PrefixStore("a", dist.PrefixStore("b", below))
    store.set("key", "value")
    assert below.get("b/a/key") == b"value" and store.list_keys() == ["key"]
    assert isinstance(store.underlying_store, dist.PrefixStore)


def test_large_value() -> None:
    store = tcp_store()
    value = bytes(range(256)) * 40_000
    store.set("large", value)
    assert store.get("large") == value


def test_port_that_is_taken() -> None:
    store = tcp_store()
    with pytest.raises(dist.DistNetworkError, match=f"failed to listen.*port: {store.port}.*EADDRINUSE"):
        dist.TCPStore("127.0.0.1", store.port, None, True)
    shared = dist.TCPStore("127.0.0.1", store.port, None, False)
    shared.set("a", "b")
    assert store.get("a") == b"b"
    tenant = dist.TCPStore("127.0.0.1", 0, None, True, multi_tenant=True)
    again = dist.TCPStore("127.0.0.1", tenant.port, None, True, multi_tenant=True)
    again.set("x", "y")
    assert tenant.get("x") == b"y"


def test_nobody_there() -> None:
    port = tcp_store().port  # closed again
    with pytest.raises(dist.DistNetworkError, match=f"timed out after 300ms while trying to connect to .*{port}"):
        dist.TCPStore("127.0.0.1", port, None, False, timedelta(milliseconds=300))
    with pytest.raises(ValueError, match="is no port"):
        dist.TCPStore("127.0.0.1", 70000, None, False)


def test_server_that_goes() -> None:
    server = tcp_store()
    client = dist.TCPStore("127.0.0.1", server.port, None, False)
    del server
    with pytest.raises(dist.DistNetworkError, match="which rank 0 keeps, does not answer"):
        client.set("a", "b")


def test_too_few_workers() -> None:
    with pytest.raises(dist.DistStoreError, match="^Timed out after 300ms waiting for clients. 1/2 clients joined.$"):
        dist.TCPStore("127.0.0.1", 0, 2, True, timedelta(milliseconds=300))


def test_token(monkeypatch: pytest.MonkeyPatch) -> None:
    store = tcp_store(token="secret")
    store.set("a", "b")
    for wrong in ("", "Secret", "secret2"):
        with pytest.raises(dist.DistNetworkError, match="token .* is not the one of the server"):
            dist.TCPStore("127.0.0.1", store.port, None, False, timedelta(seconds=5), token=wrong)
    assert dist.TCPStore("127.0.0.1", store.port, None, False, token="secret").get("a") == b"b"
    monkeypatch.setenv("ONETAPE_STORE_TOKEN", "secret")
    assert dist.TCPStore("127.0.0.1", store.port, None, False).get("a") == b"b"
    assert store.get("a") == b"b"


def test_strangers_on_the_port() -> None:
    store = tcp_store()
    store.set("a", "b")
    greeting = b"onetape store 1\n"
    noise = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01" + bytes(200),
        greeting + b"\xff\xff\xff\xff",
        greeting + bytes(4) + b"\xff\xff\xff\xff",  # a question of 4 GB
        greeting + bytes(4) + b"\x03\x00\x00\x00abc",  # one that is none
        greeting + bytes(4) + b"\x09\x00\x00\x00\x63" + bytes(8),  # of a kind that there is not
        greeting + bytes(4) + b"\x09\x00\x00\x00\x00" + bytes(8),  # to set nothing
    ]
    silent = socket.create_connection(("127.0.0.1", store.port))
    for sent in noise:
        with socket.create_connection(("127.0.0.1", store.port)) as stranger:
            stranger.sendall(sent)
            stranger.settimeout(5)
            stranger.shutdown(socket.SHUT_WR)
            while stranger.recv(1000):
                pass
        assert store.get("a") == b"b"
    silent.close()


def count(rank: int, path: str) -> int:
    store = dist.FileStore(path, 3)
    for _ in range(200):
        store.add("sum", 1)
    store.wait(["sum"])
    while int(store.get("sum")) < 600:
        time.sleep(0.01)
    return store.add("sum", 0)


def test_file_of_several_processes(tmp_path: Path) -> None:
    assert run(3, count, str(tmp_path / "store"), url="") == [600] * 3
    assert not (tmp_path / "store").exists()


def test_file_with_an_unfinished_end(tmp_path: Path) -> None:
    path = tmp_path / "store"
    first = dist.FileStore(str(path), -1)
    first.set("a", "b")
    with path.open("ab") as file:
        file.write(b"\x01\x05\x00")  # a process was killed here
    second = dist.FileStore(str(path), -1)
    assert second.get("a") == b"b"
    second.set("c", "d")
    assert first.get("c") == b"d" and dist.FileStore(str(path), -1).get("c") == b"d"


def test_file_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"this is no store, but a text " + bytes(40))
    with pytest.raises(dist.DistStoreError, match="is no file of a store"):
        dist.FileStore(str(path), 1).get("a")
    with pytest.raises(dist.DistStoreError, match="cannot open"):
        dist.FileStore(str(tmp_path / "no" / "folder"), 1)
    assert path.read_bytes().startswith(b"this is no store")
