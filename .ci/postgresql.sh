#!/usr/bin/env bash
# Make sure that the tests of lakes find PostgreSQL's programs; they start a server of their own.
set -euo pipefail

has() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null; }

if has; then exit 0; fi
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  echo "Installing for the tests of lakes: postgresql"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  mkdir -p /etc/postgresql-common
  # no server of the system's beside those of the tests
  [ -e /etc/postgresql-common/createcluster.conf ] ||
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  apt-get install -y -qq --no-install-recommends --no-remove postgresql >/dev/null
else
  echo "The tests of lakes need PostgreSQL: install postgresql, or leave them out with" \
    ".venv/bin/pytest --ignore tests/ingest/test_lake.py." >&2
  exit 1
fi
