#!/usr/bin/env bash
# Checks the code and its modules for known vulnerabilities, with govulncheck at a pinned version: PROGRAM VERSION.
# The database is the tool's own, or with GOVULNDB=file:///FOLDER a copy. Without a database, or the tool, it prints
# that nothing was checked, and does not fail: a machine without a network must be able to run the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=$1 version=$2

not_run() { echo "NOT RUN: vulnerabilities were not checked: $*"; exit 0; }

if [ ! -x "$program" ]; then
  GOBIN="$PWD/.cache/bin/new" timeout 300 go install "golang.org/x/vuln/cmd/govulncheck@$version" ||
    not_run "govulncheck $version cannot be installed here"
  mv .cache/bin/new/govulncheck "$program"
fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT
code=0
timeout 600 "$program" ./... >"$out" 2>&1 || code=$?
cat "$out"
case $code in
  0) echo "govulncheck $version: no known vulnerability is called" ;;
  3) echo "govulncheck $version: the code calls what is vulnerable"; exit 1 ;;
  *) not_run "the database cannot be read (govulncheck ended with $code)" ;;
esac
