"""A newcomer's first minutes, measured: `make newcomer`.

    python tools/newcomer.py                     the README's commands, from a clean copy to the first picture
    python tools/newcomer.py --no-caches         nothing that pip has kept from earlier installations
    python tools/newcomer.py --write PAGE        and the table into a page

A clean clone, an environment of its own with nothing in it, an empty home, none of this shell's variables. What is run
are the README's own blocks (`tests/support/readme.py`), so that what people read is what is measured; a step that fails
ends it with exit code 1. Downloads are told apart from work, as the one is the network's and the other ours.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "src"))

from support.browser import program, running_browser, visit  # noqa: E402
from support.pip_log import download_seconds  # noqa: E402
from support.readme import Block, Reader, blocks  # noqa: E402

README = ROOT / "README.md"
INSTALL_TIMEOUT_S = 1_800.0
ANSWER_TIMEOUT_S = 240.0
_LOOK_EVERY_S = 0.25
# How pip gets through to its index: of this machine, and nothing of Riacho's.
_KEPT = ("PIP_CERT", "PIP_FIND_LINKS", "PIP_INDEX_URL", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
_KEPT_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")


class NewcomerError(Exception):
    """A step did not come to its end; one sentence."""


class Step(NamedTuple):
    title: str
    seconds: float
    download_s: float


class Place(NamedTuple):
    """Where the newcomer has put it."""

    venv: Path
    # Whose tests are not run.
    pytest: Path

    @property
    def bin(self) -> Path:
        return self.venv / "bin"


class Walk:
    def __init__(self, directory: Path, keeps_caches: bool, picture: Path) -> None:
        self._directory = directory
        self._keeps_caches = keeps_caches
        self._picture = picture
        self._copy = directory / "riacho"
        self._place = Place(directory / "venv", directory)
        self._home = directory / "home"
        self._home.mkdir()
        self._reader = Reader(self._place, self._home, {})
        self.steps: list[Step] = []

    def run(self) -> None:
        install, commands, rest, pipeline, sql, *_ = blocks(README)
        try:
            self._step("installed", lambda: self._install(install), self._directory / "pip.log")
            self._step("`riacho up` answers", lambda: self._reader.run(install))
            self._step("first message written and read", lambda: self._expect(commands, "two books"))
            self._step("first picture: the control center's overview", self._take_picture)
            self._step("first message over HTTP", lambda: self._expect(rest, '"offsets"'))
            self._step("first pipeline delivers: a Parquet file", lambda: self._deliver(pipeline))
            self._step("first answer by SQL", lambda: self._ask(sql))
        finally:
            self._reader.close()

    def _step(self, title: str, do: Callable[[], object], pip_log: Path | None = None) -> None:
        started_s = time.monotonic()
        try:
            do()
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            raise NewcomerError(f"Not reached: {title}. {error}") from None
        download_s = download_seconds(pip_log) if pip_log is not None and pip_log.exists() else 0.0
        self.steps.append(Step(title, time.monotonic() - started_s, download_s))
        print(_line(self.steps), flush=True)

    def _install(self, block: Block) -> None:
        """A clean copy, an environment, and the block's first command there."""
        _run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(self._copy)], self._directory, {})
        _run([sys.executable, "-m", "venv", str(self._place.venv)], self._directory, {})
        command = block.bare.splitlines()[0]
        _run(["bash", "-euc", command], self._copy, self._variables())

    def _variables(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in (*_KEPT, *_KEPT_PROXIES) if name in os.environ}
        path = os.pathsep.join([str(self._place.bin), "/usr/local/bin", "/usr/bin", "/bin"])
        made = {"HOME": str(self._home), "PATH": path, "PIP_LOG": str(self._directory / "pip.log")}
        if not self._keeps_caches:
            return kept | made | {"PIP_NO_CACHE_DIR": "1"}
        cache = os.environ.get("PIP_CACHE_DIR") or str(Path.home() / ".cache" / "pip")
        return kept | made | {"PIP_CACHE_DIR": cache}

    def _expect(self, block: Block, text: str) -> None:
        told = self._reader.run(block)
        assert text in told, f"'{text}' is not in: {told}"

    def _take_picture(self) -> None:
        if program() is None:
            raise NewcomerError("There is no Chromium here to take a picture with (tools/system_packages.sh chromium).")
        with running_browser() as browser, visit(browser, self._reader.ports("http://localhost:9021")) as seen:
            seen.open("/")
            seen.page.screenshot(path=self._picture, animations="disabled")

    def _deliver(self, block: Block) -> None:
        self._reader.run(block)
        orders = self._reader.tmp / "orders"
        _wait(lambda: any(orders.rglob("*.parquet")), "no Parquet file came")

    def _ask(self, block: Block) -> None:
        """Its last command asks, and is given again until there is an answer."""
        self._reader.run(block)
        question = Block("bash", block.last_command)
        _wait(lambda: "a pen" in self._reader.run(question), "no row came")


def _run(command: list[str], directory: Path, variables: dict[str, str]) -> None:
    environment = variables or dict(os.environ)
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}: {(done.stderr or done.stdout)[-2000:]}"


def _wait(is_so: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + ANSWER_TIMEOUT_S
    while not is_so():
        assert time.monotonic() < deadline, f"{otherwise} within {ANSWER_TIMEOUT_S:g} seconds"
        time.sleep(_LOOK_EVERY_S)


def _minutes(seconds: float) -> str:
    """With tenths: much of it is done within a second."""
    tenths = round(seconds * 10)
    return f"{tenths // 600}:{tenths % 600 // 10:02}.{tenths % 10}"


def _line(steps: list[Step]) -> str:
    last, since_s = steps[-1], sum(step.seconds for step in steps)
    cells = (_minutes(last.seconds), _minutes(last.download_s), _minutes(last.seconds - last.download_s))
    return f"| {last.title} | {' | '.join(cells)} | {_minutes(since_s)} |"


def page(steps: list[Step], caches: str) -> str:
    """The table, and on what it was measured."""
    head = "| reached | took | of it downloads | work | since the beginning |\n|---|--:|--:|--:|--:|\n" + "\n".join(
        _line(steps[: number + 1]) for number in range(len(steps))
    )
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        "# A newcomer's first minutes\n\n"
        "Written by `make newcomer`: the commands of the [README](../README.md), in a clean copy and an empty home,\n"
        "in minutes and seconds. Commands come without a pause between them, so what is missing is the reading.\n\n"
        f"{head}\n\n"
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, {memory_gb:.0f} GB, Python {sys.version.split()[0]}, "
        f"{caches}; load average at the end {load}.\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--no-caches", action="store_true", help="pip downloads everything anew")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the table into this page")
    parser.add_argument("--picture", type=Path, default=ROOT / "build" / "newcomer.png", help="where the picture goes")
    given = parser.parse_args()
    given.picture.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="riacho-newcomer-") as directory:
        walk = Walk(Path(directory), not given.no_caches, given.picture.resolve())
        try:
            walk.run()
        except NewcomerError as error:
            print(f"newcomer: {error}", file=sys.stderr)
            return 1
    print(f"The picture: {given.picture}")
    if given.write is not None:
        given.write.write_text(page(walk.steps, "pip without its cache" if given.no_caches else "pip with its cache"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
