#!/usr/bin/env bash
# Builds what a chart is tested with, from Go modules alone, into FOLDER: helm, and with
# "cluster" also etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl
# and kwok, which plays the nodes. Cold, on two free cores: helm 1.5 min, the rest 8.
set -euo pipefail
HELM=v3.22.0 KUBE=v1.35.4 ETCD=v3.6.8 KWOK=v0.8.0

what=$1 into=$2
unset GOFLAGS
export GOBIN=$into CGO_ENABLED=0
say() { echo "kube: $*" >&2; }

build() { # NAME PACKAGE, in the module of the current folder
  [ -x "$into/$1" ] && return
  say "building $1"
  go build -mod=mod -trimpath -ldflags '-s -w' -o "$into/$1.new" "$2"
  mv "$into/$1.new" "$into/$1"
}

mkdir -p "$into"
[ -x "$into/helm" ] || { say "building helm $HELM"; go install "helm.sh/helm/v3/cmd/helm@$HELM"; }
[ "$what" = cluster ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Kubernetes names its own modules v0.0.0 and can only be built where they are replaced.
mkdir "$work/kube" && cd "$work/kube"
mod=$(go mod download -json "k8s.io/kubernetes@$KUBE" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
{
  printf 'module kube\n\ngo 1.25.0\n\nrequire k8s.io/kubernetes %s\n\n' "$KUBE"
  grep -o 'k8s\.io/[a-z-]* v0\.0\.0$' "$mod" | while read -r name _; do echo "replace $name => $name v0.${KUBE#v1.}"; done
} >go.mod
# The version of a release is set by its linker; a component without one refuses to serve.
version="-X k8s.io/component-base/version.gitVersion=$KUBE -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=35"
for name in kube-apiserver kube-controller-manager kube-scheduler kubectl; do
  [ -x "$into/$name" ] && continue
  say "building $name $KUBE"
  go build -mod=mod -trimpath -ldflags "-s -w $version" -o "$into/$name.new" "k8s.io/kubernetes/cmd/$name"
  mv "$into/$name.new" "$into/$name"
done

mkdir "$work/etcd" && cd "$work/etcd"
cat >main.go <<'END'
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
END
go mod init etcd >/dev/null 2>&1
go get "go.etcd.io/etcd/server/v3@$ETCD" >/dev/null 2>&1
build etcd .

[ -x "$into/kwok" ] || { say "building kwok $KWOK"; go install "sigs.k8s.io/kwok/cmd/kwok@$KWOK"; }
# kwok does nothing without its stages, which lie in its module.
stages=$(go mod download -json "sigs.k8s.io/kwok@$KWOK" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')/kustomize/stage
for f in node/fast node/heartbeat-with-lease pod/fast; do
  find "$stages/$f" -name '*.yaml' ! -name 'kustomization.yaml' -exec sh -c 'cat "$1"; printf "\n---\n"' _ {} \;
done >"$into/kwok-stages.yaml"
