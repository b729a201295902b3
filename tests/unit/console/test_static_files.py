"""Pages: what browsers may keep, and that nothing outside of the directory is reached."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from riacho.console.static_files import StaticFiles
from riacho.web.app import App


@pytest.fixture
def client(tmp_path: Path) -> httpx.AsyncClient:
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "static"
    (root / "assets").mkdir(parents=True)
    (root / "index.html").write_text("<!doctype html>index")
    (root / "assets" / "main-B4x_9kQ2.js").write_text("1")
    (root / "assets" / "theme.css").write_text("a{}")
    (root / "assets" / "notes.exe").write_text("no")
    files = StaticFiles(root)
    app = App("pages", files.endpoints(), rewrite=files.rewrite)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:9021")


@pytest.mark.parametrize(
    ("path", "text", "kind", "cache"),
    [
        ("/", "<!doctype html>index", "text/html; charset=utf-8", "no-cache"),
        ("/topics/orders", "<!doctype html>index", "text/html; charset=utf-8", "no-cache"),
        ("/assets/main-B4x_9kQ2.js", "1", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
        ("/assets/theme.css", "a{}", "text/css; charset=utf-8", "no-cache"),
        ("/../secret.txt", "<!doctype html>index", "text/html; charset=utf-8", "no-cache"),
        ("/..%2fsecret.txt", "<!doctype html>index", "text/html; charset=utf-8", "no-cache"),
    ],
)
def test_what_is_served(client: httpx.AsyncClient, path: str, text: str, kind: str, cache: str) -> None:
    answer = asyncio.run(client.get(path))
    assert (answer.status_code, answer.text) == (200, text)
    assert (answer.headers["content-type"], answer.headers["cache-control"]) == (kind, cache)
    assert answer.headers["x-content-type-options"] == "nosniff"
    same = asyncio.run(client.get(path, headers={"if-none-match": answer.headers["etag"]}))
    assert (same.status_code, same.content) == (304, b"")


def test_files_that_are_not_there_are_no_page(client: httpx.AsyncClient) -> None:
    for path in ("/assets/notes.exe", "/assets/gone-B4x_9kQ2.js", "/assets/..%2f..%2fsecret.txt", "/assets/"):
        assert asyncio.run(client.get(path)).status_code == 404


def test_texts_are_sent_small(client: httpx.AsyncClient) -> None:
    plain = asyncio.run(client.get("/", headers={"accept-encoding": "identity"}))
    small = asyncio.run(client.get("/", headers={"accept-encoding": "gzip, br"}))
    assert "content-encoding" not in plain.headers
    assert (small.headers["content-encoding"], small.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert small.text == plain.text


def test_only_get_and_nothing_of_the_api(client: httpx.AsyncClient) -> None:
    assert asyncio.run(client.post("/topics")).status_code == 405
    assert asyncio.run(client.get("/api/v1/none")).status_code == 404
    assert asyncio.run(client.head("/topics")).content == b""
