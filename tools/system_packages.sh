#!/usr/bin/env bash
# Installs what some conformance tests need beyond Python, where this machine lets us. Never fails: tests that miss
# something skip and say why.
set -uo pipefail
if command -v kcat >/dev/null 2>&1; then exit 0; fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "system packages: kcat is not here and cannot be installed without root and apt; its tests will skip"
  exit 0
fi
(apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq kcat) >/dev/null 2>&1 ||
  echo "system packages: apt could not install kcat; its tests will skip"
exit 0
