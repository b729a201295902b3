"""`python -m riacho.pipelines.sql.runner`: settings in the first line of stdin, commands after it."""

from __future__ import annotations

import signal
import sys

from riacho.pipelines.spark_child.events import Events
from riacho.pipelines.spark_child.lifeline import Lifeline
from riacho.pipelines.spark_child.messages import MessageError
from riacho.pipelines.sql.runner.host import Host
from riacho.pipelines.sql.runner.protocol import settings_from


def main() -> int:
    # Ctrl-C in a terminal goes to the server too, which then closes stdin: that is the one way to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    events = Events.on_stdout()
    try:
        settings = settings_from(sys.stdin.readline())
    except MessageError as error:
        events.log("ERROR", [str(error)])
        return 2
    Host(settings, events).run(Lifeline(sys.stdin, settings.silence_s))
    return 0


if __name__ == "__main__":
    sys.exit(main())
