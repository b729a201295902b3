"""Debian's Chromium, driven by Playwright, and what its pages are watched for.

A page that nobody would complain about: no error in its console (what the content security policy refuses is told
there), no error of a script, nothing asked of another host.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

PROGRAMS = ("chromium", "chromium-browser")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Generous: other tests may have the cores.
WAIT_MS = 60_000
SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
HEIGHTS = {1920: 1080, 1440: 900, 360: 740}
# What a browser itself answers, and asks nobody for.
_OWN_SCHEMES = {"data", "blob", "about"}

Theme = Literal["light", "dark"]
Language = Literal["en", "pt-BR"]


def program() -> str | None:
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Skips where there is none."""
    path = program()
    if path is None:
        pytest.skip("no browser here: chromium is not installed")
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS], timeout=WAIT_MS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watched:
    """What was wrong on the pages of one context, in order. `allowed` is what a test brings about by itself."""

    host: str
    allowed: re.Pattern[str] | None = None
    found: list[str] = field(default_factory=list)

    def follow(self, context: BrowserContext) -> None:
        context.on("console", self._console)
        context.on("weberror", lambda error: self._note(f"script error: {error.error}"))
        context.on("request", self._request)

    def _note(self, text: str) -> None:
        if self.allowed is None or self.allowed.search(text) is None:
            self.found.append(text)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._note(f"console: {message.text} ({message.location.get('url', '')})")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in _OWN_SCHEMES and parts.netloc != self.host:
            self._note(f"asked of another host: {request.url}")


@dataclass
class Visit:
    """One user's browser: a theme, a language, a width."""

    page: Page
    watched: Watched
    theme: Theme
    language: Language
    width: int

    def __str__(self) -> str:
        return f"{self.theme} {self.language} {self.width}"

    def open(self, path: str) -> None:
        self.page.goto(path)
        self.settle()

    def settle(self) -> None:
        """The screen is there, with what it has asked for."""
        expect(self.page.locator("main h1")).not_to_be_empty()
        # A screen whose code is still to come has a title and an empty room.
        expect(self.page.locator("main .page-room > *").first).to_be_attached()
        # The component page shows skeletons for good.
        if urlsplit(self.page.url).path != "/components":
            expect(self.page.locator("main :is(.skeleton, tr.waiting)")).to_have_count(0)

    def picture(self, name: str) -> None:
        """Kept in build/screenshots, or where RIACHO_SCREENSHOTS says; nowhere where that is empty."""
        if directory := os.environ.get("RIACHO_SCREENSHOTS", str(SCREENSHOTS)):
            self.page.screenshot(path=Path(directory) / f"{name}.png", animations="disabled")


@contextmanager
def visit(
    browser: Browser,
    url: str,
    *,
    theme: Theme = "light",
    language: Language = "en",
    width: int = 1440,
    allowed: re.Pattern[str] | None = None,
) -> Iterator[Visit]:
    """A visit that ends with nothing to complain about, but for what is allowed."""
    context = browser.new_context(
        base_url=url,
        color_scheme=theme,
        locale=language if language != "en" else "en-US",
        viewport={"width": width, "height": HEIGHTS[width]},
        reduced_motion="reduce",
    )
    context.set_default_timeout(WAIT_MS)
    watched = Watched(urlsplit(url).netloc, allowed)
    watched.follow(context)
    try:
        yield Visit(context.new_page(), watched, theme, language, width)
    finally:
        context.close()
    assert watched.found == [], "\n".join(watched.found)
