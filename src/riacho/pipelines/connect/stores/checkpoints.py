"""The checkpoint directories of this worker: `<root>/<connector>/<generation>-<id>`, one of which counts.

Which one is written in the config topic. Who does not have that directory (another machine) begins another one from
the offsets that are in Kafka, so a directory that was left behind is never taken up again by mistake.
"""

from __future__ import annotations

import hashlib
import secrets
import shutil
from collections import deque
from contextlib import suppress
from pathlib import Path

from riacho.pipelines.connect.records import Checkpoint

_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
# File systems take names of 255 bytes.
_NAME_MAX = 200
_GONE = "%gone-"


class Checkpoints:
    def __init__(self, root: str) -> None:
        self._root = root
        # hdfs://, s3a:// and the like are there for every worker, and out of our reach.
        self.is_local = "://" not in root or root.startswith("file://")
        self._aside: deque[Path] = deque()

    def path(self, name: str, checkpoint: Checkpoint) -> str:
        return f"{self._home(name)}/{checkpoint.directory}"

    def is_here(self, name: str, checkpoint: Checkpoint) -> bool:
        return not self.is_local or Path(self._plain(self.path(name, checkpoint))).is_dir()

    def settle(self, name: str, checkpoint: Checkpoint) -> str:
        """Its path. The directory is there then, and others of the connector are gone; OSError."""
        path = self.path(name, checkpoint)
        if self.is_local:
            Path(self._plain(path)).mkdir(parents=True, exist_ok=True)
            self._remove_others(name, checkpoint.directory)
        return path

    def put_aside(self, name: str) -> None:
        """What a deleted connector leaves is out of the way at once, so that a new one of the same name may begin.
        Removing it takes longer and is left to `sweep`."""
        if self.is_local:
            home = Path(self._plain(self._home(name)))
            with suppress(OSError):
                aside = home.rename(home.with_name(f"{_GONE}{secrets.token_hex(8)}"))
                self._aside.append(aside)

    def sweep(self) -> None:
        """Removes what was put aside."""
        while self._aside:
            with suppress(IndexError):
                shutil.rmtree(self._aside.popleft(), ignore_errors=True)

    def sweep_left(self) -> None:
        """Removes what a worker put aside that did not live to remove it."""
        if self.is_local:
            for found in Path(self._plain(self._root)).glob(f"{_GONE}*"):
                shutil.rmtree(found, ignore_errors=True)

    def _remove_others(self, name: str, kept: str) -> None:
        for found in Path(self._plain(self._home(name))).iterdir():
            # The runner keeps its own notes beside, under the same name with an ending.
            if found.name != kept and not found.name.startswith(f"{kept}."):
                shutil.rmtree(found, ignore_errors=True)

    def _home(self, name: str) -> str:
        """Never the root itself or a place outside of it, whatever the name; and no two of the same home where a file
        system does not tell upper from lower case."""
        safe = "".join(chr(byte) if byte in _SAFE else f"%{byte:02x}" for byte in name.encode(errors="surrogatepass"))
        if len(safe) > _NAME_MAX:
            digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
            safe = f"{safe[: _NAME_MAX - len(digest)]}-{digest}"
        return f"{self._root.rstrip('/')}/{safe or '%'}"

    def _plain(self, path: str) -> str:
        return path.removeprefix("file://").removeprefix("file:")
