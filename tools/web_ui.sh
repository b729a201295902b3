#!/usr/bin/env bash
# The control center's pages: types and tests of web-ui/, and whether the committed files are what it builds. Where there
# is no Node the committed files are taken as they are; `tools/web_ui.sh build` writes them.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
static="$root/src/riacho/console/static"
cd "$root/web-ui"

skip() {
  echo "web-ui: the pages were not built again: $1"
  exit 0
}

command -v node > /dev/null && command -v npm > /dev/null || skip "no Node here"
node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' \
  || skip "Node $(node --version) is older than 20.19"

# npm writes this file last, so it is as new as the packages are whole. `npm ci` would want every other platform's
# optional packages in the lock, and a mirror may lack some of them; `--no-save` takes the lock's versions as well.
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  rm -rf node_modules
  refused="$(npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error 2>&1 > /dev/null)" \
    || skip "npm cannot install: $(printf '%s' "$refused" | head -n 3 | tr '\n' ' ')"
  touch node_modules/.package-lock.json
fi

bin=node_modules/.bin
if [ "${1:-check}" = build ]; then
  "$bin/vite" build --logLevel warn
  exec node tools/first_load.mjs "$static"
fi

built="$(mktemp -d)"
trap 'rm -rf "$built"' EXIT
"$bin/tsc" --noEmit
"$bin/vitest" run --reporter=dot --silent > "$built/tests.log" 2>&1 || { cat "$built/tests.log"; exit 1; }
RIACHO_STATIC="$built/static" "$bin/vite" build --logLevel warn
node tools/first_load.mjs "$built/static" | tail -1
if ! diff -rq "$static" "$built/static"; then
  echo "web-ui: the committed pages are not what web-ui/ builds; tools/web_ui.sh build writes them" >&2
  exit 1
fi
