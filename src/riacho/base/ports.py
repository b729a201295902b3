"""The doors through which the world enters. Real in production, seeded in a simulation; cores see only these shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Buffer = bytes | bytearray | memoryview


class Clock(Protocol):
    def now_ms(self) -> int:
        """Wall-clock time, as it goes into records."""
        ...

    def monotonic_ms(self) -> int:
        """Time that never goes back, for deadlines."""
        ...


class Rng(Protocol):
    def token(self, size_bytes: int) -> bytes:
        """Unpredictable bytes, for uuids and member ids."""
        ...


class FileStatus(Protocol):
    """What is asked of `os.stat_result`."""

    @property
    def st_dev(self) -> int: ...
    @property
    def st_ino(self) -> int: ...
    @property
    def st_size(self) -> int: ...
    @property
    def st_nlink(self) -> int: ...
    @property
    def st_mtime(self) -> float: ...
    @property
    def st_atime_ns(self) -> int: ...
    @property
    def st_mtime_ns(self) -> int: ...


class Files(Protocol):
    """The disk, as far as logs, checkpoints and the quorum's state use it: names and meanings are those of `os`, and
    so are the errors. Descriptors are numbers; those of the real disk can be given to `sendfile`.
    """

    def open(self, path: str, flags: int, mode: int = 0o644, /) -> int: ...
    def close(self, fd: int, /) -> None: ...
    def pread(self, fd: int, size_bytes: int, position: int, /) -> bytes: ...
    def pwrite(self, fd: int, data: Buffer, position: int, /) -> int: ...
    def ftruncate(self, fd: int, size_bytes: int, /) -> None: ...
    def truncate(self, path: str, size_bytes: int, /) -> None: ...
    def fsync(self, fd: int, /) -> None: ...
    def fdatasync(self, fd: int, /) -> None: ...
    def fstat(self, fd: int, /) -> FileStatus: ...
    def stat(self, path: str, /) -> FileStatus: ...
    def exists(self, path: str, /) -> bool: ...
    def rename(self, old: str, new: str, /) -> None:
        """Also over a file that is there."""
        ...

    def link(self, old: str, new: str, /) -> None: ...
    def unlink(self, path: str, /) -> None: ...
    def listdir(self, path: str, /) -> list[str]: ...
    def directories_in(self, path: str, /) -> list[str]:
        """The names in a directory that are directories."""
        ...

    def makedirs(self, path: str, /) -> None:
        """With those above it; one that is there is no error."""
        ...

    def rmtree(self, path: str, /) -> None:
        """As far as it can be removed."""
        ...

    def set_times(self, path: str, accessed_ns: int, modified_ns: int, /) -> None: ...
    def reserve(self, fd: int, position: int, size_bytes: int, /) -> None:
        """Take blocks for what will be written there, the file's size left alone."""
        ...

    def sync_all(self, path: str, /) -> None:
        """Everything written to the file system of `path` is on disk."""
        ...

    def lock(self, path: str, /) -> int:
        """A descriptor that holds it until it is closed; OSError when another has it."""
        ...


class BoundPort(Protocol):
    port: int

    def close(self) -> None: ...


class Accepting(Protocol):
    def close(self) -> None:
        """Accept no more."""


class Network(Protocol):
    """Streams to and from other nodes, in asyncio's shapes; they are named here as Any, for cores know no event loop.

    Whoever uses it must live with a transport that has no socket behind it: `get_extra_info("socket")` may give None.
    """

    def bind(
        self, host: str, port: int, *, send_buffer_size_bytes: int = -1, receive_buffer_size_bytes: int = -1
    ) -> BoundPort:
        """Take a port (0: some free one) and let clients queue there.

        The sizes are those of every connection that comes in; -1 leaves them to the system. OSError: it is taken.
        """
        ...

    async def serve(self, bound: Any, protocol_factory: Callable[[], Any]) -> Accepting:
        """Accept who comes to a bound port, one protocol for each."""
        ...

    async def connect(self, host: str, port: int, protocol_factory: Callable[[], Any], *, tls: Any = None) -> Any:
        """(transport, protocol), over TLS where a context for it is given.

        ConnectionRefusedError: a host that is up says that nobody listens there. OSError.
        """
        ...
