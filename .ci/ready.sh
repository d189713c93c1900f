#!/usr/bin/env bash
# Make sure that the tests find what they need beside Python: PostgreSQL's programs, a Chromium and
# a font with ♠ ♥ ♦ ♣. As root on Debian or Ubuntu it installs what is missing; else it lists all of
# that with the command that brings it, and ends with 1: with 0 after --some, for tests that may
# need none of it. The linker for js/ (lld, or ziglang from PyPI) and shared memory are only named:
# without them those tests are skipped. CHROMIUM may name the browser's executable. Debian also has one that can do
# without windows altogether: the tests take it two thirds of the time.
set -euo pipefail

shell=chromium-headless-shell
browsers=("${CHROMIUM:-}" $shell chromium chromium-browser google-chrome google-chrome-stable)

has() {
  local name
  for name in "$@"; do
    if [ -n "$name" ] && command -v "$name" >/dev/null; then return 0; fi
  done
  return 1
}

# PostgreSQL's programs lie beside the path on Debian
databases() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || has initdb; }
# without fontconfig there is nothing to ask: trust the system's own fonts
suits() { ! has fc-list || [ -n "$(fc-list ':charset=2660 2665 2666 2663')" ]; }

# wasm-ld, of which ziglang has its own
linker() { has wasm-ld || .venv/bin/python -c "import ziglang" 2>/dev/null; }

# the semaphores of Python's pools and of Dask, which lie in /dev/shm on Linux
semaphores() { .venv/bin/python -c "import multiprocessing; multiprocessing.Lock()" 2>/dev/null; }

if ! semaphores; then
  echo "Nothing can be written to /dev/shm: the tests of worker processes are skipped." >&2
  echo "To run them: sudo mount -t tmpfs tmpfs /dev/shm" >&2
fi
missing=()
databases || missing+=(postgresql)
has "${browsers[@]}" || missing+=(chromium)
suits || missing+=(fonts-dejavu)
if ! linker; then
  if [ "$(id -u)" -eq 0 ] && has apt-get; then missing+=(lld); else
    echo "No lld on this machine: the tests of js/ are skipped." >&2
  fi
fi
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

if [ "$(id -u)" -ne 0 ] || ! has apt-get; then
  {
    echo "The tests need what is not on this machine: ${missing[*]}."
    echo "On Debian or Ubuntu: sudo apt-get install ${missing[*]}"
    echo "Without it: make quick leaves out the browser; CHROMIUM=… names a browser that is here."
  } >&2
  if [ "${1:-}" = --some ]; then exit 0; else exit 1; fi
fi

echo "Installing for the tests: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
get() { apt-get install -y -qq --no-install-recommends --no-remove "$@" >/dev/null; }
for one in "${missing[@]}"; do
  case $one in
    chromium) if apt-cache show $shell >/dev/null 2>&1; then get $shell; else get chromium; fi ;;
    postgresql)
      # no server of the system's beside those of the tests
      mkdir -p /etc/postgresql-common
      [ -e /etc/postgresql-common/createcluster.conf ] ||
        echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
      get postgresql
      ;;
    *) get "$one" ;;
  esac
done
