#!/usr/bin/env bash
# Runs each fuzz target of this module for a while: fuzz.sh [FUZZTIME], 10s if not given.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

output=$(mktemp)
trap 'rm -f "$output"' EXIT

grep -roHE --include='*_test.go' --exclude-dir=.cache '^func Fuzz[A-Za-z0-9_]*\(' . | sort |
  while IFS=: read -r file target; do
    target=${target#func }
    echo "fuzz $(dirname "$file") ${target%\(}"
    go test -run '^$' -fuzz "^${target%\(}\$" -fuzztime "${1:-10s}" "$(dirname "$file")" </dev/null 2>&1 | tee "$output" && continue
    # A worker that is busy as the time ends is reported as a failure without a failing input (golang/go#75804).
    grep -q 'context deadline exceeded' "$output" && ! grep -qE 'Failing input|panic:|_test\.go:' "$output" || exit 1
  done
