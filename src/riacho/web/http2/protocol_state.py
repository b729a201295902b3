"""h2's state of a connection, within bounds of our own.

h2 does no input and no output: frames go in, events and further frames come out. It remembers what callers may tell it
any amount of: here it forgets what has no meaning.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.settings import SettingCodes, Settings

# What callers may send of all bodies before they are read; of one it is the 65,535 bytes that HTTP/2 begins with.
_WINDOW_BYTES = 1 << 20
_FIRST_WINDOW_BYTES = 65_535
# Of the table by which heads of answers are compressed, whatever the caller would have room for.
_TABLE_BYTES_MAX = 4096
_GOAWAY_KIND = 7
_KNOWN_SETTINGS = frozenset(SettingCodes)


class ProtocolState(H2Connection):
    """`streams_max` is announced to the caller and left to us to keep: h2 would end the connection of one who opens a
    stream too many, where that stream alone has to be refused (RFC 9113, 5.1.2)."""

    # Which of the last streams were reset, and not ended: frames that were under way then are let pass.
    MAX_CLOSED_STREAMS = 2048

    def __init__(self, *, streams_max: int, block_bytes_max: int) -> None:
        super().__init__(H2Configuration(client_side=False, header_encoding=None))
        self.decoder.max_header_list_size = block_bytes_max
        initial = {
            SettingCodes.MAX_CONCURRENT_STREAMS: streams_max,
            SettingCodes.MAX_HEADER_LIST_SIZE: block_bytes_max,
        }
        self.local_settings = Settings(client=False, initial_values=initial)

    @property
    def open_inbound_streams(self) -> int:
        # For what it does besides counting: streams that have ended are forgotten.
        self._open_streams(1)
        return 0

    def widen(self) -> None:
        """Tell the caller the window of the whole connection."""
        self.increment_flow_control_window(_WINDOW_BYTES - _FIRST_WINDOW_BYTES)

    def restrain(self, changed: Iterable[int]) -> None:
        """After the caller has changed these of its settings."""
        for code in changed:
            if code not in _KNOWN_SETTINGS:
                # There may be 65,536 of them.
                del self.remote_settings[code]
        encoder = self.encoder
        if encoder.header_table_size > _TABLE_BYTES_MAX:
            encoder.header_table_size = _TABLE_BYTES_MAX
        sizes = encoder.table_size_changes
        if len(sizes) > 2:
            # Told with the next answer: the smallest and the last are what counts (RFC 7541, 4.2).
            sizes[:] = [min(sizes), sizes[-1]]

    def goaway(self, code: ErrorCodes) -> bytes:
        """The frame alone: after one that it knows of, h2 would send nothing more."""
        return struct.pack(">BHBBIII", 0, 8, _GOAWAY_KIND, 0, 0, self.highest_inbound_stream_id, code)
