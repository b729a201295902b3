"""What a value that does not fit its column raises inside the codecs, with the way to it; raised on as a CodecError."""

from __future__ import annotations

from riacho.pipelines.sql.formats.codec import CodecError


class Misfit(Exception):
    """`message` is ksqlDB's sentence; `path` grows at its front on the way up."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path

    def inside(self, step: str) -> Misfit:
        self.path = step + self.path
        return self

    def error(self) -> CodecError:
        return CodecError(f"{self.message}, path: ${self.path}")
