#!/usr/bin/env bash
# Checks that commit subjects have two words or more and 72 characters at most; whether they are
# imperative, no program checks. As a commit-msg hook it reads the message's file; without one, as CI runs it, the commits
# since the rule was made.
set -euo pipefail
export LC_ALL=C.UTF-8
since=22059851 # the last commit before the rule

if [ $# -gt 0 ]; then
    subjects=$(sed -n '/^[^#]/{p;q}' "$1")
elif git cat-file -e "$since^{commit}" 2>/dev/null; then
    subjects=$(git log --no-merges --format=%s "$since..")
else # a clone that does not go back so far
    subjects=$(git log --no-merges --max-count=20 --format=%s 2>/dev/null || true)
fi
long=$(printf '%s\n' "$subjects" | awk 'length($0) > 72')
[ -z "$long" ] || { printf 'A commit subject has 72 characters at most:\n%s\n' "$long" >&2; exit 1; }
short=$(printf '%s\n' "$subjects" | awk 'NF == 1')
[ -z "$short" ] || { printf 'A commit subject says in words what changes:\n%s\n' "$short" >&2; exit 1; }
