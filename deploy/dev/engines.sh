#!/usr/bin/env bash
# Fetches the engines that tests and the demo run, into the cache of this user:
# ClickHouse, as the npm package of chDB for this machine, which npm checks against
# its published hash, and axe-core for the tests of the console. Fetches nothing when they
# are there; their SHA-256 must be that of engines.sha256 each time.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/cache.sh"
version=$(sed -n 's/^const ChDBVersion = "\(.*\)"$/\1/p' "$here/../../cmd/devstack/engine/engine.go")
target=$(engines_cache)/chdb-$version

say() { echo "engines: $*" >&2; }
die() { say "$*"; exit 1; }

package() {
  case $(uname -s)/$(uname -m) in
    Linux/x86_64) echo @chdb/lib-linux-x64-gnu ;;
    Linux/aarch64 | Linux/arm64) echo @chdb/lib-linux-arm64-gnu ;;
    Darwin/x86_64) echo @chdb/lib-darwin-x64 ;;
    Darwin/arm64) echo @chdb/lib-darwin-arm64 ;;
    *) die "no ClickHouse is packaged for $(uname -s)/$(uname -m): set SHOEPROOF_CHDB to the path of a libchdb.so" ;;
  esac
}

fetch_into() {
  command -v npm >/dev/null || die "npm is needed to fetch ClickHouse"
  local name
  name=$(package)
  say "fetching $name@$version with npm: 180 MB to load, 570 MB on disk"
  progress &
  local ticker=$!
  npm install --prefix "$1" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "$name@$version" >&2 ||
    { kill $ticker; die "npm could not fetch $name@$version"; }
  kill $ticker
  mv "$1/node_modules/$name/libchdb.so" "$1/"
  rm -rf "$1/node_modules" "$1"/package*.json
  say "fetched in $SECONDS s to $target"
}

progress() {
  exec 9>&- # this process must not keep the lock
  trap 'kill $!; exit' TERM
  while sleep 10 & wait $! && kill -0 $$ 2>/dev/null; do say "still fetching, $SECONDS s"; done
}

[ -n "$version" ] || die "found no ChDBVersion in cmd/devstack/engine/engine.go"
fetch_once "$target" fetch_into
pinned "$target" "$(uname -s)/$(uname -m)" || die "stopped"

# The accessibility checker of the console's tests.
axe=$(sed -n 's/^const axeVersion = "\(.*\)"$/\1/p' "$here/../../console/console_test.go")
axe_into() {
  npm install --prefix "$1" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "axe-core@$axe" >&2 || die "npm could not fetch axe-core@$axe"
  mv "$1/node_modules/axe-core/axe.min.js" "$1/"
  rm -rf "$1/node_modules" "$1"/package*.json
}
[ -n "$axe" ] || die "found no axeVersion in console/console_test.go"
fetch_once "$(engines_cache)/axe-core-$axe" axe_into
pinned "$(engines_cache)/axe-core-$axe" || die "stopped"
