"""A planning process that calls back at once, and loads PySpark only then.

Spark gives the process that plans a stream ten seconds from its start to its connection, and ten more to say its
secret, which no setting changes; before that it imports PySpark and Arrow, and on a machine with more to do than cores
that alone can take longer, and the query fails. The wait after that is as long as
`spark.python.authenticate.socketTimeout` says. So: connect and say the secret first, then import, and hand the open
connection to PySpark when it asks for one.

    python -m riacho.pipelines.spark.early_worker pyspark.sql.streaming.python_streaming_source_runner

A query waits for this start. A third of what PySpark imports for it is Arrow and numpy, for readers that hand rows over
while they plan (SimpleDataSourceStreamReader): the module that wants them is loaded when such a reader is there.

`worker_python` has Spark start processes this way.
"""

from __future__ import annotations

import importlib
import os
import runpy
import socket
import struct
import sys
from types import ModuleType
from typing import Any

# As long as the driver waits, see session.py.
_TIMEOUT_S = 120
_BUFFER_SIZE_BYTES = 65536
_PLANNER = "pyspark.sql.streaming.python_streaming_source_runner"
_WITH_ARROW, _TO_ARROW = "pyspark.sql.worker.plan_data_source_read", "records_to_arrow_batches"


def main(module: str) -> None:
    place = os.environ.get("PYTHON_WORKER_FACTORY_SOCK_PATH") or int(os.environ["PYTHON_WORKER_FACTORY_PORT"])
    connected = _connect(place)
    secret = os.environ.get("PYTHON_WORKER_FACTORY_SECRET")
    if secret:
        _authenticate(connected, secret)
    if module == _PLANNER:
        put_off_arrow()
    _hand_over(place, connected)
    # The module finds itself as `python -m` would have it.
    sys.argv = [module]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _connect(place: str | int) -> socket.socket:
    if isinstance(place, str):
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connected.connect(place)
    else:
        prefers_6 = os.environ.get("SPARK_PREFER_IPV6", "false").lower() == "true"
        connected = socket.create_connection(("::1" if prefers_6 else "127.0.0.1", place))
    connected.settimeout(_TIMEOUT_S)
    return connected


def _authenticate(connected: socket.socket, secret: str) -> None:
    """Texts go both ways with their length before them; the answer is `ok`."""
    sent = secret.encode()
    connected.sendall(struct.pack("!i", len(sent)) + sent)
    (length,) = struct.unpack("!i", _receive(connected, 4))
    if _receive(connected, length) != b"ok":
        raise SystemExit("Spark does not know the secret of the process that it started.")


def _receive(connected: socket.socket, size_bytes: int) -> bytes:
    """Not a byte more: the rest is PySpark's to read."""
    received = b""
    while len(received) < size_bytes:
        part = connected.recv(size_bytes - len(received))
        if not part:
            raise SystemExit("Spark closed the connection of the process that it started.")
        received += part
    return received


def put_off_arrow() -> None:
    """The planner finds a stand-in for the one module of PySpark that needs Arrow, until it asks more of it."""
    stand_in = ModuleType(_WITH_ARROW)

    def real() -> ModuleType:
        if sys.modules.get(_WITH_ARROW) is stand_in:
            del sys.modules[_WITH_ARROW]
        return importlib.import_module(_WITH_ARROW)

    def to_arrow(*values: Any, **named: Any) -> Any:
        return getattr(real(), _TO_ARROW)(*values, **named)

    def others(name: str) -> Any:
        # Importing asks every module for names such as __path__.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(real(), name)

    vars(stand_in).update({_TO_ARROW: to_arrow, "__getattr__": others})
    sys.modules[_WITH_ARROW] = stand_in


def _hand_over(place: str | int, connected: socket.socket) -> None:
    import pyspark.util as pyspark_util

    usual = pyspark_util.local_connect_and_auth
    waiting = [connected]

    def connect_and_auth(conn_info: Any, auth_secret: Any) -> tuple[Any, ...]:
        if not waiting or conn_info != place:
            return usual(conn_info, auth_secret)
        first = waiting.pop()
        file = first.makefile("rwb", int(os.environ.get("SPARK_BUFFER_SIZE", _BUFFER_SIZE_BYTES)))
        return file, first

    pyspark_util.local_connect_and_auth = connect_and_auth


if __name__ == "__main__":
    main(sys.argv[1])
