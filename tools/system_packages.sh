#!/usr/bin/env bash
# Installs what pipelines and some conformance tests need beyond Python, where this machine lets us. Never fails: tests
# that miss something skip and say why, and the demo tells a smaller story.
#   system_packages.sh            all of it
#   system_packages.sh java       only that
set -uo pipefail
wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=(kcat java postgres chromium docker-compose zsh fish promtool)

is_here() {
  command -v "$1" >/dev/null 2>&1 || { [ "$1" = postgres ] && compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null; }
}
package_of() {
  case "$1" in
    java) echo default-jre-headless ;;
    postgres) echo postgresql ;;
    *) echo "$1" ;;
  esac
}

# Of Debian's prometheus this one program: the package would start a service, which nobody here asks anything.
unpack_promtool() (
  cd "$(mktemp -d)" && trap 'rm -rf "$PWD"' EXIT &&
    apt-get download -qq prometheus 2>/dev/null &&
    dpkg-deb --fsys-tarfile prometheus_*.deb | tar -xO ./usr/bin/promtool > promtool &&
    install -m 755 promtool /usr/local/bin/promtool
)
install_package() {
  case "$1" in
    promtool) unpack_promtool ;;
    *) DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1" >/dev/null 2>&1 ;;
  esac
}

packages=()
for program in "${wanted[@]}"; do
  is_here "$program" || packages+=("$(package_of "$program")")
done
[ ${#packages[@]} -gt 0 ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "system packages: ${packages[*]} cannot be installed without root and apt; what needs them is left out"
  exit 0
fi
apt-get update -qq >/dev/null 2>&1
for package in "${packages[@]}"; do
  install_package "$package" ||
    echo "system packages: apt could not install $package; what needs it is left out"
done
exit 0
