"""ksql-test-runner, with ksqlDB's options for one test, and a directory of cases besides."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from riacho.base.config import ConfigError
from riacho.base.packages import brought_by

_ABOUT = """\
Runs SQL statements over records without brokers, and compares what comes out.

  ksql-test-runner -s statements.sql -i input.json -o output.json
  ksql-test-runner [--report FILE] DIRECTORY

In a directory every *.json file holds {"tests": [...]}."""


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        "ksql-test-runner", description=_ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-s", "--sql-file", type=Path, metavar="FILE", help="SQL statements")
    parser.add_argument("-i", "--input-file", type=Path, metavar="FILE", help='JSON: {"inputs": [...]}')
    parser.add_argument("-o", "--output-file", type=Path, metavar="FILE", help='JSON: {"outputs": [...]}')
    parser.add_argument("--report", type=Path, metavar="FILE", help="a line of JSON for every case")
    parser.add_argument("directory", nargs="?", type=Path, help="where cases are")
    given = parser.parse_args(words)
    if (given.sql_file is None) == (given.directory is None):
        parser.error("give either -s or a directory")
    if given.directory is not None and (given.input_file or given.output_file):
        parser.error("-i and -o belong to -s")
    try:
        with brought_by("spark", "ksql-test-runner"):
            return _run(given)
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    except ConfigError as error:
        print(f"ksql-test-runner: {error}", file=sys.stderr)
        return 1


def _run(given: argparse.Namespace) -> int:
    from riacho.pipelines.sql.testing.command import run_directory, run_script

    if given.directory is not None:
        return run_directory(given.directory, given.report)
    return run_script(given.sql_file, given.input_file, given.output_file)


if __name__ == "__main__":
    main()
