"""What is looked at on every screen."""

from __future__ import annotations

from browser.screens import name_of
from support import axe
from support.browser import Visit

# Tables may scroll in their own frame; the page and its room may not.
_TOO_WIDE = """() => Math.max(...["html", "body", "main", ".page-room"].map(each => document.querySelector(each))
  .filter(each => each !== null).map(each => each.scrollWidth - each.clientWidth))"""


def walk(seen: Visit, paths: list[str]) -> list[str]:
    """What is wrong with these screens, all of it, so that one run tells."""
    wrong: list[str] = []
    for path in paths:
        seen.open(path)
        wrong += [f"{path}, {seen}: {each}" for each in wrong_here(seen)]
        seen.picture(f"{name_of(path)}-{seen.theme}-{seen.language}-{seen.width}")
    return wrong


def wrong_here(seen: Visit) -> list[str]:
    page = seen.page
    wrong = [] if axe.missing() else axe.violations(page)
    if (language := page.locator("html").get_attribute("lang")) != seen.language:
        wrong.append(f"is in {language}")
    if (count := page.get_by_role("heading", level=1).count()) != 1:
        wrong.append(f"has {count} headings of the first level")
    if (pixels := page.evaluate(_TOO_WIDE)) > 0:
        wrong.append(f"scrolls sideways, by {pixels} pixels")
    return wrong
