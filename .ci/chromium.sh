#!/usr/bin/env bash
# Make sure that the browser tests find a Chromium and a font with ♠ ♥ ♦ ♣.
# CHROMIUM may name the browser's executable. Debian also has one that can do without windows
# altogether: the tests take it two thirds of the time, so it is installed where apt knows it.
set -euo pipefail

shell=chromium-headless-shell

has() {
  local name
  for name in "$@"; do
    if [ -n "$name" ] && command -v "$name" >/dev/null; then return 0; fi
  done
  return 1
}

light() { has "${CHROMIUM:-}" $shell; }
browser() { light || has chromium chromium-browser google-chrome google-chrome-stable; }

suits() {
  # Without fontconfig there is nothing to ask: trust the system's own fonts.
  ! command -v fc-list >/dev/null || [ -n "$(fc-list ':charset=2660 2665 2666 2663')" ]
}

known() { apt-cache show $shell >/dev/null 2>&1; }
get() { apt-get install -y -qq --no-install-recommends --no-remove "$@" >/dev/null; }

installs=
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then installs=yes; fi

missing=()
browser || missing+=(chromium)
suits || missing+=(fonts-dejavu)
export DEBIAN_FRONTEND=noninteractive
if [ ${#missing[@]} -eq 0 ]; then
  if [ "$installs" ] && ! light && known; then
    echo "Installing for the browser tests: $shell"
    get $shell || echo "It cannot be had: the tests take the Chromium that is here, and longer." >&2
  fi
elif [ "$installs" ]; then
  echo "Installing for the browser tests: ${missing[*]}"
  apt-get update -qq
  get fonts-dejavu
  if ! browser; then
    { known && get $shell; } || get chromium
  fi
else
  echo "The browser tests need Chromium (or Chrome, named by CHROMIUM) and a font with" \
    "card suits such as DejaVu: install ${missing[*]}, or leave those tests out with" \
    ".venv/bin/pytest -m 'not browser'." >&2
  exit 1
fi
