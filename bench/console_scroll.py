"""A long table in Chromium, scrolled by wheel: `python -m bench.console_scroll '<json>'`, a process of its own.

Frames are counted by requestAnimationFrame, first while the page stands still and then while it scrolls: what a
browser without a graphics card can do on this machine is told by the first. A frame in which the middle of the table
has no row yet is a hole. The time of the main thread is Chromium's own count of all that it ran, with the time that it
waited for a processor; processor time is what the kernel charges to all of Chromium's processes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from playwright.sync_api import CDPSession, Page, expect, sync_playwright

from bench.latency import percentile
from bench.process_tree import tree
from support.browser import ARGUMENTS, program

_WAIT_MS = 180_000
_WHEEL_PIXELS = 120
_WHEELS_PER_S = 60
_RECORD = """() => {
  const frames = (window.frames_seen = { intervals: [], holes: 0, isOver: false });
  const box = document.querySelector(".table-box");
  const edges = box.getBoundingClientRect();
  let last = performance.now();
  const tick = (now) => {
    frames.intervals.push(now - last);
    last = now;
    const seen = document.elementFromPoint(edges.left + edges.width / 2, edges.top + edges.height / 2);
    if (seen === null || seen.closest("tr") === null || seen.closest("tr.space") !== null) frames.holes += 1;
    if (!frames.isOver) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}"""
_TAKE = "() => { window.frames_seen.isOver = true; return window.frames_seen; }"
_ROW_COUNTS = '(tables) => tables.map((each) => each.getAttribute("aria-rowcount"))'
_PLACE = '() => document.querySelector(".table-box").scrollTop'


def main() -> None:
    wanted = json.loads(sys.argv[1])
    path = program()
    if path is None:
        raise SystemExit("no browser here: chromium is not installed")
    expect.set_options(timeout=_WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS], timeout=_WAIT_MS)
        try:
            context = browser.new_context(
                base_url=wanted["url"], viewport={"width": 1440, "height": 900}, locale="en-US", reduced_motion="reduce"
            )
            context.set_default_timeout(_WAIT_MS)
            print(json.dumps(_figures(context.new_page(), wanted)))
        finally:
            browser.close()


def _figures(page: Page, wanted: dict[str, Any]) -> dict[str, float]:
    found_s = _found_s(page, wanted)
    started = time.perf_counter()
    page.goto(f"/clusters/default/topics/{wanted['topic']}/messages?from=oldest&limit=5000")
    rows = _load(page, wanted["rows"])
    loaded_s = time.perf_counter() - started
    page.wait_for_timeout(1_000)
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable")
    still, _ = _frames(page, tools, wanted["duration_s"], wheels=False)
    began_s = _chromium_s()
    moved, busy_ms = _frames(page, tools, wanted["duration_s"], wheels=True)
    chromium_ms = (_chromium_s() - began_s) * 1000
    wheels = max(1.0, page.evaluate(_PLACE) / _WHEEL_PIXELS)
    intervals = sorted(moved["intervals"])
    on_time = sum(each <= 25 for each in intervals) / len(intervals)
    return {
        "rows": rows,
        "found_s": found_s,
        "loaded_s": loaded_s,
        "still_p95_ms": percentile(sorted(still["intervals"]), 0.95),
        "frames": len(intervals),
        "frame_p50_ms": percentile(intervals, 0.5),
        "frame_p95_ms": percentile(intervals, 0.95),
        "frame_p99_ms": percentile(intervals, 0.99),
        "frames_per_s": 1000 * len(intervals) / sum(intervals),
        "on_time_percent": 100 * on_time,
        "holes_percent": 100 * moved["holes"] / len(intervals),
        "main_thread_ms_a_frame": busy_ms / len(intervals),
        "wheels": wheels,
        "processor_ms_a_wheel": chromium_ms / wheels,
    }


def _found_s(page: Page, wanted: dict[str, Any]) -> float:
    """From asking for a key until its row is there; the page itself is there already."""
    at = f"/clusters/default/topics/{wanted['topic']}/messages"
    page.goto(f"{at}?limit=50")
    expect(page.locator(".table-box tbody tr.opens")).not_to_have_count(0)
    key = page.locator(".message-texts input").first
    key.fill(wanted["key"])
    started = time.perf_counter()
    key.press("Enter")
    expect(page.locator(".table-box tbody tr.opens")).to_have_count(1)
    expect(page.locator(".table-box tbody tr.opens").first).to_contain_text(wanted["key"])
    return time.perf_counter() - started


def _load(page: Page, wanted: int) -> int:
    """As a person does: more, and more again, while there is a button for it."""
    more = page.locator(".message-progress button").filter(has_text="Load more")
    stop = page.locator(".message-progress button").filter(has_text="Stop")
    rows = 0
    while True:
        deadline = time.monotonic() + _WAIT_MS / 1000
        while (found := _rows(page)) == rows or stop.count():
            if time.monotonic() > deadline:
                raise RuntimeError(f"no more than {rows} rows were loaded")
            time.sleep(0.02)
        rows = found
        if rows >= wanted or more.count() == 0:
            return rows
        more.click()


def _rows(page: Page) -> int:
    counts: list[str] = page.locator(".table-box table").evaluate_all(_ROW_COUNTS)
    return int(counts[0]) - 1 if counts else 0


def _frames(page: Page, tools: CDPSession, duration_s: float, *, wheels: bool) -> tuple[dict[str, Any], float]:
    box = page.locator(".table-box").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    busy_s = _task_s(tools)
    page.evaluate(_RECORD)
    began = time.perf_counter()
    due = began
    while (now := time.perf_counter()) < began + duration_s:
        if wheels:
            page.mouse.wheel(0, _WHEEL_PIXELS)
        due += 1 / _WHEELS_PER_S
        time.sleep(max(0.0, due - now))
    seen: dict[str, Any] = page.evaluate(_TAKE)
    return seen, (_task_s(tools) - busy_s) * 1000


def _chromium_s() -> float:
    """Processor time of the browser, all of its processes."""
    return sum(each.cpu_s for each in tree(os.getpid()) if each.name.startswith("chrom"))


def _task_s(tools: CDPSession) -> float:
    metrics = tools.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


if __name__ == "__main__":
    main()
