"""A disk in memory behind the port `Files`: page cache and platter, power failures, and errors on request.

disk = SimulatedFiles(Random(7))
disk.capacity_bytes = 1 << 20       # ENOSPC beyond it
disk.descriptors_max = 10           # EMFILE beyond it
disk.fail("fsync", ".log")          # EIO, once
disk.end_process()                  # descriptors and locks go, the page cache stays
disk.lose_power()                   # what was not synced goes, or goes in part
"""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Callable, Iterator
from random import Random
from types import SimpleNamespace
from typing import Any

from support.simulated_inode import BLOCK, Directory, File, Node

_WRITE_BACK_CHANCE = 0.03
# None that the system would give: whoever mixes them up gets EBADF.
_descriptors = itertools.count(-1000, -1)


class SimulatedFiles:
    def __init__(self, rng: Random, mount: str = "/disk", now_ns: Callable[[], int] = lambda: 0) -> None:
        self._mount = mount
        self.capacity_bytes: int | None = None
        self.descriptors_max: int | None = None
        self._rng = rng
        self._now_ns = now_ns
        self._numbers = itertools.count(1)
        self._root = self._formatted()
        self._open: dict[int, tuple[Node, str]] = {}
        self._locked: dict[int, str] = {}
        self._failures: list[tuple[str, str]] = []
        # Syncs that do nothing, as a bug would have it: by what they are asked of.
        self.ignored_syncs: Callable[[str], bool] = lambda _: False

    @property
    def descriptor_count(self) -> int:
        return len(self._open)

    # What goes wrong

    def fail(self, call: str, suffix: str = "") -> None:
        """The next `call` on a file of such a name says EIO."""
        self._failures.append((call, suffix))

    def heal(self) -> None:
        self._failures.clear()
        self.capacity_bytes = self.descriptors_max = None

    def end_process(self) -> None:
        for fd in list(self._open):
            self.close(fd)

    def lose_power(self) -> list[str]:
        """The names of what lost something."""
        self.end_process()
        lost = [name for name, node in _walk("", self._root) if node.lose_power(self._rng)]
        files = [node for _, node in _walk("", self._root) if isinstance(node, File)]
        for file in files:
            file.link_count = sum(other is file for other in files)
        return lost

    def put(self, path: str, data: bytes) -> None:
        """What the system itself keeps: on the platter at once, and no fault meets it."""
        directory, name = self._parent(path)
        file = File(self._now_ns(), next(self._numbers))
        file.write(0, data)
        file.sync()
        directory.put(name, file)
        directory.sync()

    def wipe(self) -> None:
        self.end_process()
        self._root = self._formatted()

    def _formatted(self) -> Directory:
        """Empty but for the place where it is mounted, which is there for good."""
        root = Directory()
        directory = root
        for name in self._mount.strip("/").split("/"):
            below = Directory()
            directory.put(name, below)
            directory.sync()
            directory = below
        return root

    @property
    def used_bytes(self) -> int:
        held = {id(node): node for _, node in _walk("", self._root)}
        held |= {id(node): node for node, _ in self._open.values()}
        return sum(node.block_count * BLOCK for node in held.values() if isinstance(node, File))

    # The port

    def open(self, path: str, flags: int, mode: int = 0o644, /) -> int:
        if self.descriptors_max is not None and len(self._open) >= self.descriptors_max:
            raise _error(errno.EMFILE, path)
        self._check("open", path)
        directory, name = self._parent(path)
        node = directory.entries.get(name) if name else directory
        if node is None:
            if not flags & os.O_CREAT:
                raise _error(errno.ENOENT, path)
            node = File(self._now_ns(), next(self._numbers))
            directory.put(name, node)
        elif flags & os.O_EXCL:
            raise _error(errno.EEXIST, path)
        if isinstance(node, File):
            node.open_count += 1
            if flags & os.O_TRUNC:
                node.truncate(0)
        fd = next(_descriptors)
        self._open[fd] = node, path
        return fd

    def close(self, fd: int, /) -> None:
        # One of a process that is gone is closed by whoever forgets it last.
        node, _ = self._open.pop(fd, (None, ""))
        self._locked.pop(fd, None)
        if isinstance(node, File):
            node.open_count -= 1

    def pread(self, fd: int, size_bytes: int, position: int, /) -> bytes:
        file, path = self._file(fd)
        self._check("pread", path)
        return bytes(memoryview(file.data)[position : position + size_bytes])

    def pwrite(self, fd: int, data: Any, position: int, /) -> int:
        file, path = self._file(fd)
        self._check("pwrite", path)
        size_bytes = min(len(data), self._room_end(file) - position)
        if size_bytes <= 0 < len(data):
            raise _error(errno.ENOSPC, path)
        file.write(position, memoryview(data)[:size_bytes])
        file.modified_ns = self._now_ns()
        if self._rng.random() < _WRITE_BACK_CHANCE:
            file.write_back(self._rng)
        return size_bytes

    def ftruncate(self, fd: int, size_bytes: int, /) -> None:
        file, path = self._file(fd)
        self._check("ftruncate", path)
        file.truncate(size_bytes)

    def truncate(self, path: str, size_bytes: int, /) -> None:
        self._check("truncate", path)
        node = self._find(path)
        assert isinstance(node, File)
        node.truncate(size_bytes)

    def fsync(self, fd: int, /) -> None:
        node, path = self._node(fd)
        if self.ignored_syncs(path):
            return
        try:
            self._check("fsync", path)
        except OSError:
            if isinstance(node, File):
                node.forget_dirty()
            raise
        node.sync()

    fdatasync = fsync

    def fstat(self, fd: int, /) -> Any:
        return _status(self._node(fd)[0])

    def stat(self, path: str, /) -> Any:
        return _status(self._find(path))

    def exists(self, path: str, /) -> bool:
        try:
            self._find(path)
        except FileNotFoundError:
            return False
        return True

    def rename(self, old: str, new: str, /) -> None:
        self._check("rename", old)
        self._find(old)
        directory, old_name = self._parent(old)
        target, new_name = self._parent(new)
        assert directory is target, "a rename between directories is not modelled"
        replaced = directory.entries.get(new_name)
        if isinstance(replaced, File):
            replaced.link_count -= 1
        directory.move(old_name, new_name)

    def link(self, old: str, new: str, /) -> None:
        node = self._find(old)
        if self.exists(new):
            raise _error(errno.EEXIST, new)
        assert isinstance(node, File)
        node.link_count += 1
        directory, name = self._parent(new)
        directory.put(name, node)

    def unlink(self, path: str, /) -> None:
        node = self._find(path)
        if isinstance(node, File):
            node.link_count -= 1
        directory, name = self._parent(path)
        directory.remove(name)

    def listdir(self, path: str, /) -> list[str]:
        return list(self._directory(path).entries)

    def directories_in(self, path: str, /) -> list[str]:
        return [name for name, node in self._directory(path).entries.items() if isinstance(node, Directory)]

    def makedirs(self, path: str, /) -> None:
        directory = self._root
        for name in path.strip("/").split("/"):
            node = directory.entries.get(name)
            if node is None:
                node = Directory()
                directory.put(name, node)
            assert isinstance(node, Directory), path
            directory = node

    def rmtree(self, path: str, /) -> None:
        if self.exists(path):
            for name in self.listdir(path):
                below = f"{path}/{name}"
                self.rmtree(below) if isinstance(self._find(below), Directory) else self.unlink(below)
            self.unlink(path)

    def set_times(self, path: str, accessed_ns: int, modified_ns: int, /) -> None:
        node = self._find(path)
        assert isinstance(node, File)
        node.modified_ns = modified_ns

    def reserve(self, fd: int, position: int, size_bytes: int, /) -> None:
        file, path = self._file(fd)
        if position + size_bytes > self._room_end(file):
            raise _error(errno.ENOSPC, path)
        file.reserved_end = max(file.reserved_end, position + size_bytes)

    def sync_all(self, path: str, /) -> None:
        self._check("fsync", path)
        for name, node in _walk(path, self._directory(path)):
            if not self.ignored_syncs(name):
                node.sync()

    def lock(self, path: str, /) -> int:
        if path in self._locked.values():
            raise _error(errno.EAGAIN, path)
        fd = self.open(path, os.O_RDWR | os.O_CREAT)
        self._locked[fd] = path
        return fd

    # Finding

    def _check(self, call: str, path: str) -> None:
        for failure in self._failures:
            if failure[0] == call and path.endswith(failure[1]):
                self._failures.remove(failure)
                raise _error(errno.EIO, path)

    def _room_end(self, file: File) -> int:
        if self.capacity_bytes is None:
            return 1 << 60
        return file.block_count * BLOCK + max(0, self.capacity_bytes - self.used_bytes) // BLOCK * BLOCK

    def _parent(self, path: str) -> tuple[Directory, str]:
        *above, name = path.strip("/").split("/")
        directory: Node | None = self._root
        for each in above:
            directory = directory.entries.get(each) if isinstance(directory, Directory) else None
        if not isinstance(directory, Directory):
            raise _error(errno.ENOENT, path)
        return directory, name

    def _find(self, path: str) -> Node:
        directory, name = self._parent(path)
        node = directory.entries.get(name)
        if node is None:
            raise _error(errno.ENOENT, path)
        return node

    def _directory(self, path: str) -> Directory:
        node = self._find(path)
        if not isinstance(node, Directory):
            raise _error(errno.ENOTDIR, path)
        return node

    def _node(self, fd: int) -> tuple[Node, str]:
        found = self._open.get(fd)
        if found is None:
            raise _error(errno.EBADF, str(fd))
        return found

    def _file(self, fd: int) -> tuple[File, str]:
        node, path = self._node(fd)
        assert isinstance(node, File), path
        return node, path


def _walk(path: str, directory: Directory) -> Iterator[tuple[str, Node]]:
    yield path, directory
    for name, node in sorted(directory.entries.items()):
        below = f"{path}/{name}"
        if isinstance(node, Directory):
            yield from _walk(below, node)
        else:
            yield below, node


def _status(node: Node) -> Any:
    if isinstance(node, Directory):
        return SimpleNamespace(st_dev=1, st_ino=0, st_size=0, st_nlink=2, st_mtime=0.0, st_atime_ns=0, st_mtime_ns=0)
    return SimpleNamespace(
        st_dev=1,
        st_ino=node.number,
        st_size=len(node.data),
        st_nlink=node.link_count,
        st_mtime=node.modified_ns / 1e9,
        st_atime_ns=node.modified_ns,
        st_mtime_ns=node.modified_ns,
    )


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)
