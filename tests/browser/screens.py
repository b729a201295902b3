"""Every screen there is, as the console itself links them. A screen that is added is walked with no line here.

What the rows of a list link is walked for the first row only: the others look the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import expect

from support.browser import Visit

# Linked from nowhere: for those who write screens.
COMPONENTS = "/components"
# Things of one kind that are linked from elsewhere than a list, as those that lag the most.
ALIKE_MAX = 2
_LINKS = """links => links.filter(each => each.origin === location.origin && !each.hasAttribute("download"))
  .map(each => each.pathname)"""


def screens(visit: Visit, look: Callable[[], None] = lambda: None) -> list[str]:
    """`look` is called on each of them but the component page."""
    visit.open("/")
    expect(visit.page.locator("aside nav a").first).to_be_visible()
    found = dict.fromkeys(_paths(visit, "aside nav a"))
    waiting = deque(found)
    while waiting:
        visit.open(waiting.popleft())
        look()
        linked = _paths(visit, "main a:not(tbody a)")
        # The tabs of a page that is walked are walked with it: none of them is like another.
        tabs = _paths(visit, "main nav.tabs a")
        for path in [*tabs, *_first_of_each_kind(_paths(visit, "main tbody a")), *linked]:
            if path not in found and (path in tabs or _is_new_kind(path, list(found))):
                found[path] = None
                waiting.append(path)
    return [*found, COMPONENTS]


def name_of(path: str) -> str:
    """`/clusters/default/topics/orders/config` is `topics-orders-config`."""
    parts = [each for each in path.split("/") if each]
    return "-".join(parts[2:] if parts[0] == "clusters" else parts) or "overview"


def _paths(visit: Visit, links: str) -> list[str]:
    found: list[str] = visit.page.locator(links).evaluate_all(_LINKS)
    return [urlsplit(each).path for each in found if each != "/" and not each.startswith("/api/")]


def kind_of(path: str) -> tuple[str, ...]:
    """The path without the name of the thing: `topics`, `config` of `topics/orders/config`."""
    parts = path.split("/")
    return tuple(each for place, each in enumerate(parts) if place not in (2, 4))


def _first_of_each_kind(paths: list[str]) -> list[str]:
    return list({kind_of(path): path for path in reversed(paths)}.values())


def _is_new_kind(path: str, found: list[str]) -> bool:
    return sum(kind_of(each) == kind_of(path) for each in found) < ALIKE_MAX
