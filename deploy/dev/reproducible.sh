#!/usr/bin/env bash
# Builds the programs in two folders and compares them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for place in a b/elsewhere; do
  mkdir -p "$work/$place"
  git -C "$here" ls-files -z | (cd "$here" && xargs -0 tar c) | tar x -C "$work/$place"
  for program in ingest audit; do
    (cd "$work/$place" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w -buildid= -X main.version=check' -o "$program" "./cmd/$program")
  done
  make -C "$work/$place" -s VERSION=check verifiers >/dev/null
done
cd "$work"
sha256sum a/ingest a/audit a/bin/verify.html a/bin/audit.exe
cmp a/bin/verifiers.sha256 b/elsewhere/bin/verifiers.sha256
cmp a/ingest b/elsewhere/ingest
cmp a/audit b/elsewhere/audit
echo "both builds are identical"
