"""`python -m riacho.pipelines.sql.runner`: settings in the first line of stdin, commands after it."""

from __future__ import annotations

import sys

from riacho.pipelines.spark_child.runner_process import run_child
from riacho.pipelines.sql.runner.host import Host
from riacho.pipelines.sql.runner.protocol import settings_from

if __name__ == "__main__":
    sys.exit(run_child(settings_from, Host))
