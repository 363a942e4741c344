#!/usr/bin/env bash
# chart.sh HELM: packages the chart as bin/shoeproof-VERSION.tgz, renders it as it is in the package, and writes its
# SHA-256 and the commit that it was made from beside it. The package is not signed: `helm package --sign` needs a key.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
helm=$1
version=$(sed -n 's/^version: //p' deploy/helm/shoeproof/Chart.yaml)
package=shoeproof-$version.tgz
mkdir -p bin
"$helm" package deploy/helm/shoeproof --destination bin >/dev/null 2>&1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for values in deploy/helm/shoeproof/ci/*-values.yaml; do
  "$helm" template sp --kube-version 1.35.4 "bin/$package" -f "$values" >"$folder/packed"
  "$helm" template sp --kube-version 1.35.4 deploy/helm/shoeproof -f "$values" >"$folder/source"
  cmp "$folder/packed" "$folder/source"
done
commit=$(git rev-parse HEAD)
if [ -n "$(git status --porcelain deploy/helm/shoeproof)" ]; then commit="$commit, with changes"; fi
(cd bin && sha256sum "$package" >"$package.sha256")
echo "commit $commit" >"bin/$package.provenance"
cat "bin/$package.sha256" "bin/$package.provenance"
