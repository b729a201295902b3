"""A key or a value as people see it: its text, and the tree that expressions and masks look into."""

from __future__ import annotations

from typing import Any

import msgspec

_encode_json = msgspec.json.Encoder().encode
_decode_json = msgspec.json.Decoder().decode
_UNSET: Any = object()
# What msgspec says of bytes that are no JSON, or no JSON that Python can hold.
NOT_JSON = (msgspec.MsgspecError, ValueError, RecursionError, TypeError, OverflowError)


class Decoded:
    """`text` is None for null alone: an empty key is "". `reason` says why bytes are shown as such though they may be
    something else. `tree` is what JSON has; of plain text, the text."""

    __slots__ = ("_raw", "_text", "_tree", "format", "reason", "schema_id")

    def __init__(
        self,
        format: str,
        text: str | None = None,
        *,
        tree: Any = _UNSET,
        raw: bytes | None = None,
        schema_id: int | None = None,
        reason: str | None = None,
    ) -> None:
        """Without a text it is `raw` (in hex where that is the format), else the JSON of the tree, made when it is
        asked for. Without a tree it is that of the text."""
        self.format = format
        self.schema_id = schema_id
        self.reason = reason
        self._text = text
        self._tree = tree
        self._raw = raw

    @property
    def tree(self) -> Any:
        if self._tree is _UNSET:
            self._tree = _tree_of(self.text) if self.format == "json" else self.text
        return self._tree

    @property
    def text(self) -> str | None:
        if self._text is None and self._raw is not None:
            self._text = self._raw.hex() if self.format == "hex" else self._raw.decode("utf-8", "replace")
        elif self._text is None and self.format != "null":
            self._text = self._tree if isinstance(self._tree, str) else _encode_json(self._tree).decode()
        return self._text

    def beginning(self, length: int) -> str | None:
        """As much of the text, or more."""
        if self._text is None and self._raw is not None and self.format == "hex":
            return self._raw[: length // 2 + 1].hex()
        return self.text

    def masked(self, tree: Any) -> Decoded:
        """The same with another tree, and nothing left of what it was made from."""
        return Decoded(self.format, tree=tree, schema_id=self.schema_id)


NULL = Decoded("null", tree=None)


def _tree_of(text: str | None) -> Any:
    try:
        return None if text is None else _decode_json(text)
    except NOT_JSON:
        return text


def json_tree(value: Any) -> Any:
    """A value of another format as JSON has it: bytes become base64, times ISO 8601. TypeError, ValueError where there
    is no such thing."""
    return msgspec.to_builtins(value, str_keys=True)
