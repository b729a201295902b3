"""By Tab through a screen: everything that can be clicked is reached, and one sees where one is."""

from __future__ import annotations

from typing import Any

from support.browser import Visit

TABS_MAX = 400
_AT_ONCE = 10
NAVIGATION = "aside"
SCREEN = "main"
# Of buttons that are one choice, the one that is chosen is enough.
_WANTED = "a[href], button, input:not([type=radio]), select, textarea, [tabindex='0']"
# Of those that are shown: what a menu hides is reached through the menu. Of the rows of a list the first: the others
# are like it.
_START = """([place, wanted]) => {
  const first = new CSSStyleSheet();
  first.replaceSync("tbody tr:nth-child(n + 2 of :not(.space)) { display: none }");
  document.adoptedStyleSheets.push(first);
  const isSeen = each => {
    const style = getComputedStyle(each);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none";
  };
  const room = document.querySelector(place);
  const reached = new Set();
  // From the element before it on, until the focus is somewhere else.
  const before = place === "main" ? room : document.querySelector("a.skip");
  before.focus();
  const tabbed = window.tabbed = {isOver: false, unseen: [], missed: () => [...room.querySelectorAll(wanted)]
    .filter(each => each.checkVisibility({visibilityProperty: true}) && !each.disabled && each.tabIndex >= 0)
    .filter(each => !reached.has(each)).map(each => each.outerHTML.slice(0, 160))};
  addEventListener("focusin", ({target: at}) => {
    if (!room.contains(at)) tabbed.isOver = true;
    if (tabbed.isOver) return;
    reached.add(at);
    // A field may leave it to its frame; what scrolls as a whole has its edge.
    const frames = [at, at.parentElement, at.parentElement.parentElement];
    const box = at.getBoundingClientRect();
    if (!frames.some(isSeen) || box.width === 0 || box.height === 0) tabbed.unseen.push(at.outerHTML.slice(0, 160));
  });
}"""


def wrong_by_tab(seen: Visit, place: str = SCREEN) -> list[str]:
    """What Tab does not reach of a part of the page that is open, and where the focus is not seen."""
    page = seen.page
    page.evaluate(_START, [place, _WANTED])
    for _ in range(TABS_MAX // _AT_ONCE):
        for _ in range(_AT_ONCE):
            page.keyboard.press("Tab")
        if page.evaluate("tabbed.isOver"):
            break
    found: dict[str, Any] = page.evaluate("({missed: tabbed.missed(), unseen: tabbed.unseen})")
    return [f"Tab does not reach {each}" for each in found["missed"]] + [
        f"the focus is not seen on {each}" for each in found["unseen"]
    ]
