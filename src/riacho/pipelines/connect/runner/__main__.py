"""`python -m riacho.pipelines.connect.runner`: settings in the first line of stdin, commands after it."""

from __future__ import annotations

import sys

from riacho.pipelines.connect.protocol import settings_from
from riacho.pipelines.connect.runner.host import Host
from riacho.pipelines.spark_child.runner_process import run_child

if __name__ == "__main__":
    sys.exit(run_child(settings_from, Host))
