#!/usr/bin/env bash
# Makes the virtual environment: Python 3.11 or later, the pinned packages, and Riacho itself in editable form.
set -euo pipefail
venv="${1:-.venv}"

find_python() {
  for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 &&
       "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  echo "setup: Python 3.11 or later is needed; set PYTHON to its command" >&2
  exit 1
}

make_venv() {
  "$1" -m venv "$venv" 2>/dev/null && return
  # Debian ships the venv module in a package of its own.
  rm -rf "$venv"
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
    "$1" -m venv "$venv"
  else
    echo "setup: '$1 -m venv' does not work here; install your system's python3-venv package" >&2
    exit 1
  fi
}

python="$(find_python)"
[ -x "$venv/bin/python" ] || make_venv "$python"
echo "setup: installing pinned packages into $venv" >&2
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements/dev.lock
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
# Compiled now, so that the first start is as quick as later ones, also where Python is told not to write bytecode.
"$venv/bin/python" -m compileall -q src/riacho
