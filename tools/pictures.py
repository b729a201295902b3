"""Pictures of the control center for README and guides, of the demo's bank at work: `make pictures`.

Nothing is set up for the camera: `riacho demo` runs for a while, so that charts have something to show, and a browser
looks at it. The browser is the tests' own (`tests/support/browser.py`), which refuses pages with errors.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.browser import Language, Theme, Visit, running_browser, visit  # noqa: E402

IMAGES = ROOT / "docs" / "images"
# Long enough for a chart of the last minutes.
WATCHED_S = float(os.environ.get("RIACHO_PICTURES_AFTER_S", "150"))
# Charts and graphs are drawn once their code is there.
DRAWN_MS = 2_000
_CONSOLE = re.compile(rb"^control center +(http://\S+)$", re.MULTILINE)
_CLUSTER = "/clusters/default"
_SQL = "SELECT account, transfers, cents / 100.0 AS balance FROM balances ORDER BY cents DESC;"


class Picture(NamedTuple):
    name: str
    path: str
    theme: Theme = "light"
    width: int = 1440
    # Run what the editor has.
    runs: bool = False
    language: Language = "en"


PICTURES = (
    Picture("overview", ""),
    Picture("overview-dark", "", "dark"),
    Picture("messages", "/topics/transfers"),
    Picture("flow", "/flow?fit=true"),
    Picture("sql", f"/sql?{urlencode({'sql': _SQL})}", runs=True),
    Picture("schema", "/schemas/transfers-value"),
    Picture("pipelines", "/pipelines"),
    Picture("connector", "/connectors/transfers-archive"),
    Picture("group", "/groups/connect-transfers-archive/history"),
    Picture("phone", "/topics", "dark", 360),
    Picture("overview-pt-BR", "", language="pt-BR"),
    Picture("flow-pt-BR", "/flow?fit=true", language="pt-BR"),
)


def main() -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RIACHO_")}
    demo = subprocess.Popen(
        [sys.executable, "-m", "riacho", "demo"],
        stdout=subprocess.PIPE,
        env=environment | {"PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
    )
    try:
        url = _console(demo)
        time.sleep(WATCHED_S)
        with running_browser() as browser:
            for picture in PICTURES:
                with visit(browser, url, theme=picture.theme, language=picture.language, width=picture.width) as seen:
                    _take(seen, picture)
    finally:
        demo.send_signal(signal.SIGINT)
        print(demo.communicate()[0].decode(errors="replace"), end="")
    return demo.returncode


def _console(demo: subprocess.Popen[bytes]) -> str:
    """Where the demo's tour says that it is."""
    assert demo.stdout is not None
    for line in demo.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.flush()
        if found := _CONSOLE.search(line):
            return found[1].decode()
    raise SystemExit("The demo ended before its tour.")


def _take(seen: Visit, picture: Picture) -> None:
    seen.open(f"{_CLUSTER}{picture.path}")
    seen.page.wait_for_timeout(DRAWN_MS)
    if picture.runs:
        seen.page.locator(".editor").click()
        seen.page.keyboard.press("Control+Enter")
        seen.page.wait_for_timeout(DRAWN_MS * 3)
    path = IMAGES / f"control-center-{picture.name}.png"
    seen.page.screenshot(path=path, animations="disabled")
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    sys.exit(main())
