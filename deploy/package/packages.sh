#!/usr/bin/env bash
# packages.sh NFPM: writes bin/shoeproof*.deb and .rpm of the programs in bin, installs the deb into a folder, checks its
# units, and removes it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
nfpm=$1
export ARCH VERSION
ARCH=$(go env GOARCH)
VERSION=$(bin/audit --version | awk '{print $2}')
[[ $VERSION =~ ^v?[0-9]+\. ]] || VERSION=0.0.0-$VERSION # a commit without a tag
rm -rf bin/man bin/completion bin/shoeproof?*
mkdir -p bin/completion
for program in ingest audit; do
  bin/$program man bin/man
  bin/$program completion bash >bin/completion/$program.bash
done
gzip -9n bin/man/*
for format in deb rpm; do
  "$nfpm" package --config deploy/package/nfpm.yaml --packager $format --target bin/
done
command -v dpkg >/dev/null || { echo "NOT RUN: the deb is not installed: no dpkg here"; exit 0; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/var/lib/dpkg"
touch "$root/var/lib/dpkg/status"
packages() { dpkg --root="$root" --force-not-root --force-script-chrootless --log=/dev/null "$@"; }
packages --install bin/shoeproof_*.deb
"$root/usr/bin/audit" --version
command -v systemd-analyze >/dev/null || { echo "NOT RUN: the units are not checked, the deb is not removed: no systemd-analyze here"; exit 0; }
for unit in ingest.service migrate.service console.service watch@ac-1.service run@ac-1.{service,timer} export@ac-1.{service,timer}; do
  systemd-analyze verify --man=no --root="$root" --recursive-errors=no "shoeproof-$unit"
done
packages --purge shoeproof
[ ! -e "$root/usr/bin/audit" ] || { echo "the programs are left after the removal"; exit 1; }
echo "the deb was installed into a folder and removed, and its units are in order"
