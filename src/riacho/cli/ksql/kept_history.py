"""What was typed at a prompt, kept in a file for the next session: its user's only, bounded, and without lines that
hold a secret.

A line with a password stays out of the file altogether, since what is left of it would be of no use; within the session
it is offered as any other.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History, InMemoryHistory

ENTRIES_MAX = 5_000
# Above this the file is written anew at the next start.
_FILE_BYTES_MAX = 2 * 1024 * 1024
_ENTRY_BYTES_MAX = 64 * 1024
_KEYS = (
    r"password|passwd|passphrase|secret|credential|jaas|token|api.?key|user\.info|key\.pem|keystore\.key|hmac"
    r"|authorization"
)
_SECRET = re.compile(
    # A flag and its argument; a setting and its value, of any notation; a user within a URL, with or without a scheme;
    # curl -u NAME:PASSWORD; ksql -u NAME -p PASSWORD. `User:ana` is a principal.
    rf"(?:^|\s)--?[\w.-]*(?:{_KEYS})[\w.-]*(?:\s+|=)\S"
    rf"|(?:{_KEYS})[\w.-]*[\"'`]?\s*[=:]\s*\S"
    r"|://[^/\s@]+@"
    r"|(?:^|[\s\"'=])(?!(?-i:User):)[^\s/:@\"']{1,100}:[^\s/@]{1,200}@\w"
    r"|\s(?:-u\s*|--user[\s=])(?!(?-i:User):)[^\s:=]{1,100}:\S"
    r"|^\s*(?:riacho\s+)?ksql\b.*\s-p",
    re.IGNORECASE | re.DOTALL,
)


def has_secret(line: str) -> bool:
    return _SECRET.search(line) is not None


class KeptHistory(History):
    """An entry is its lines with a `+` in front, and a blank line before it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """Newest first, as prompt_toolkit wants them."""
        return reversed(_read(self._path)[-ENTRIES_MAX:])

    def store_string(self, string: str) -> None:
        """A file that cannot be written keeps nobody from working."""
        if has_secret(string) or len(string) > _ENTRY_BYTES_MAX:
            return
        try:
            with open(_opened(self._path, os.O_APPEND), "w", encoding="utf-8", errors="replace") as file:
                file.write(_written(string))
        except OSError:
            return


def open_history(path: Path) -> History:
    """In memory alone where the file is not ours to write, is no file, or is a link to somewhere else."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = _opened(path, os.O_APPEND)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                # /dev/null, which others need as it is.
                return InMemoryHistory()
            os.fchmod(descriptor, 0o600)
            size = found.st_size
        finally:
            os.close(descriptor)
        if size > _FILE_BYTES_MAX:
            _shorten(path)
    except OSError:
        return InMemoryHistory()
    return KeptHistory(path)


def _opened(path: Path, how: int) -> int:
    # A pipe that nobody reads would keep us waiting.
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | how, 0o600)


def _shorten(path: Path) -> None:
    entries, size = [], 0
    for entry in reversed(_read(path)[-ENTRIES_MAX:]):
        size += len(entry.encode())
        if size > _FILE_BYTES_MAX // 2:
            break
        entries.append(entry)
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    with open(_opened(draft, os.O_EXCL), "w", encoding="utf-8", errors="replace") as file:
        file.writelines(_written(entry) for entry in reversed(entries))
    draft.replace(path)


def _read(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            # Of a file that grew while nobody shortened it, the end.
            file.seek(max(0, os.fstat(file.fileno()).st_size - 4 * _FILE_BYTES_MAX))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return []
    entries: list[str] = []
    is_within = False
    for line in text.split("\n"):
        if not line.startswith("+"):
            is_within = False
        elif is_within:
            entries[-1] += f"\n{line[1:]}"
        else:
            entries.append(line[1:])
            is_within = True
    return entries


def _written(entry: str) -> str:
    return "\n" + "".join(f"+{line}\n" for line in entry.split("\n"))
