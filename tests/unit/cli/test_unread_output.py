"""Output that nobody reads any more."""

from __future__ import annotations

import os
import sys

from riacho.cli.shell.streams import standard_streams
from riacho.cli.unread_output import send_output_nowhere


def test_what_is_still_written_goes_nowhere_and_no_file_stays_open() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with standard_streams(None, writing):
            send_output_nowhere()
            print("nobody reads this")
            sys.stdout.flush()
    assert len(os.listdir("/proc/self/fd")) == before
    os.close(writing)
