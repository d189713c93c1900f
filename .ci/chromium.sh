#!/usr/bin/env bash
# Make sure that the browser tests find a Chromium and a font with ♠ ♥ ♦ ♣.
# CHROMIUM may name the browser's executable.
set -euo pipefail

browser() {
  local name
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    if [ -n "$name" ] && command -v "$name" >/dev/null; then return 0; fi
  done
  return 1
}

suits() {
  # Without fontconfig there is nothing to ask: trust the system's own fonts.
  ! command -v fc-list >/dev/null || [ -n "$(fc-list ':charset=2660 2665 2666 2663')" ]
}

missing=()
browser || missing+=(chromium)
suits || missing+=(fonts-dejavu)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  echo "Installing for the browser tests: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends chromium fonts-dejavu >/dev/null
else
  echo "The browser tests need Chromium (or Chrome, named by CHROMIUM) and a font with" \
    "card suits such as DejaVu: install ${missing[*]}, or leave those tests out with" \
    ".venv/bin/pytest -m 'not browser'." >&2
  exit 1
fi
