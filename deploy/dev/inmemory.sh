#!/usr/bin/env bash
# inmemory.sh COMMAND... runs a command whose temporary folder is in memory, if 8 GiB of it are free, and removes the
# folder afterwards. A test of ClickHouse creates and deletes thousands of small files: on a disk they take a third of
# the processor time of the test. SHOEPROOF_TMPDIR names another folder.
set -euo pipefail
gib=$((1 << 20)) memory=/dev/shm
kib_free() {
  local disk ram
  disk=$(df -Pk "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')
  ram=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null)
  [ "${disk:-0}" -lt "${ram:-0}" ] && echo "${disk:-0}" || echo "${ram:-0}"
}
folder=${SHOEPROOF_TMPDIR:-}
if [ -z "$folder" ] && [ "$(kib_free)" -gt $((8 * gib)) ]; then
  folder=$memory
fi
[ -n "$folder" ] || exec "$@"
own=$(mktemp -d "$folder/shoeproof.XXXXXX")
trap 'rm -rf "$own"' EXIT
export GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}} TMPDIR=$own # the binaries of the tests stay on the disk
"$@"
