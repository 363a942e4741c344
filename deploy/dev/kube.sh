#!/usr/bin/env bash
# A Kubernetes API server with controllers and nodes that kwok plays, on loopback, for
# the chart: no pod truly runs, everything else is real. Binaries are built once from
# Go modules into the cache of this user.
#
#   kube.sh helm            print the path of helm, building it if need be
#   kube.sh test            install, upgrade, roll back and remove the chart, with Pod Security enforced
#   kube.sh run             start it and print KUBECONFIG, until Ctrl-C
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/cache.sh"
version=$(sed -n 's/^HELM=.* KUBE=v\([0-9.]*\) .*/\1/p' "$here/kube/build.sh")
bin=$(engines_cache)/kube-$version
chart=$here/../helm/shoeproof

say() { echo "kube: $*" >&2; }
die() { say "$*"; exit 1; }

tools() {
  mkdir -p "$(dirname "$bin")"
  (
    if command -v flock >/dev/null; then flock 9; fi
    "$here/kube/build.sh" "$1" "$bin" >&2
  ) 9>"$bin.lock"
}

free_port() {
  local p
  for _ in $(seq 100); do
    p=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null || { echo "$p"; return; }
  done
  die "found no free port"
}

await() { # SECONDS WHAT COMMAND...
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { tail -n 5 "$home"/*.log >&2; die "$what: not within time"; }
    sleep 0.2
  done
}

start() {
  home=$(mktemp -d)
  trap '{ kill -9 $(jobs -p); wait; } 2>/dev/null; rm -rf "$home"' EXIT # an API server without its etcd never ends by itself
  local etcd peer api token
  etcd=$(free_port) peer=$(free_port) api=$(free_port) token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
  openssl genrsa -out "$home/sa.key" 2048 2>/dev/null
  echo "$token,admin,admin,system:masters" >"$home/tokens"
  "$bin/etcd" --data-dir "$home/etcd" --unsafe-no-fsync --listen-client-urls "http://127.0.0.1:$etcd" --advertise-client-urls "http://127.0.0.1:$etcd" \
    --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" --initial-cluster "default=http://127.0.0.1:$peer" >"$home/etcd.log" 2>&1 &
  "$bin/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd" --bind-address 127.0.0.1 --secure-port "$api" --cert-dir "$home/certs" \
    --service-account-key-file "$home/sa.key" --service-account-signing-key-file "$home/sa.key" --service-account-issuer https://kubernetes.default.svc \
    --service-cluster-ip-range 10.0.0.0/16 --authorization-mode RBAC --token-auth-file "$home/tokens" >"$home/apiserver.log" 2>&1 &
  cat >"$home/config" <<END
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:$api", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: "$token"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
END
  export KUBECONFIG=$home/config
  await 60 "kube-apiserver" "$bin/kubectl" get --raw /readyz
  "$bin/kube-controller-manager" --kubeconfig "$home/config" --service-account-private-key-file "$home/sa.key" --leader-elect=false --secure-port 0 \
    --use-service-account-credentials=false >"$home/controllers.log" 2>&1 &
  "$bin/kube-scheduler" --kubeconfig "$home/config" --leader-elect=false --secure-port 0 >"$home/scheduler.log" 2>&1 &
  "$bin/kwok" --kubeconfig "$home/config" --config "$bin/kwok-stages.yaml" --manage-all-nodes=true --server-address 127.0.0.1:"$(free_port)" >"$home/kwok.log" 2>&1 &
  local n
  for n in 1 2; do
    "$bin/kubectl" apply -f - >/dev/null <<END
apiVersion: v1
kind: Node
metadata: {name: node-$n, labels: {kubernetes.io/hostname: node-$n, topology.kubernetes.io/zone: z$n}}
status:
  capacity: {cpu: "8", memory: 32Gi, pods: "100"}
  allocatable: {cpu: "8", memory: 32Gi, pods: "100"}
END
  done
  await 60 "a ready node" "$bin/kubectl" wait --for=condition=Ready node/node-1 node/node-2 --timeout=1s
  say "Kubernetes $version is up after $SECONDS s"
}

# The steps of an operator's year, each with what must be seen after it.
operator() {
  local k="$bin/kubectl -n audit" h="$bin/helm -n audit"
  "$bin/kubectl" create namespace audit >/dev/null
  "$bin/kubectl" label namespace audit pod-security.kubernetes.io/enforce=restricted >/dev/null
  await 30 "the namespace's account" $k get serviceaccount default
  for secret in shoeproof-clickhouse shoeproof-patron-key shoeproof-signing-keys shoeproof-console; do
    $k create secret generic "$secret" --from-literal=writer=x --from-literal=console=x --from-literal=archive=x --from-literal=auditor=x --from-literal=migrator=x --from-literal=key=x >/dev/null
  done

  say "Pod Security refuses a chart that drops its security context"
  cp -rL "$chart" "$home/bad"
  sed -i '/allowPrivilegeEscalation/d' "$home/bad/templates/_helpers.tpl"
  if $h install bad "$home/bad" --set migrate.enabled=false,watch.enabled=false,nightly.enabled=false --wait --timeout 8s >/dev/null 2>&1; then die "it was accepted"; fi
  await 60 "an event of Pod Security" sh -c "$k get events | grep 'violates PodSecurity \"restricted'"
  $h uninstall bad >/dev/null

  # Nothing makes volumes here: one is there for the bundles.
  "$bin/kubectl" apply -f - >/dev/null <<END
apiVersion: v1
kind: PersistentVolume
metadata: {name: bundles}
spec: {capacity: {storage: 50Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /nowhere}}
END

  say "install"
  local common="--set properties={ac-1},nightly.settings.export.licensee=Example,console.enabled=true,console.settings.console.sign_in=token,console.settings.console.public_url=https://audit.example,console.settings.console.access_file=/etc/shoeproof/console/access.yaml,secrets.console.name=shoeproof-console --wait --timeout 120s"
  $h install shoeproof "$chart" $common --set image.tag=1.0.0 >/dev/null
  [ "$($k get deployment shoeproof-ingest -o 'jsonpath={.status.readyReplicas}')" = 2 ] || die "want 2 ready replicas"
  [ "$($k get job shoeproof-migrate --ignore-not-found -o name)" = "" ] || die "the migration's job is left behind"
  [ "$($k get pods -l app.kubernetes.io/component=ingest -o 'jsonpath={.items[*].spec.nodeName}' | tr ' ' '\n' | sort -u | wc -l)" = 2 ] || die "the replicas are not spread"

  say "every program has a port to be scraped at, and the console's Service another"
  local service ports
  for service in ingest:9464 watch:9464 console-metrics:9464 console:8080; do
    ports="$k get endpointslices -l kubernetes.io/service-name=shoeproof-${service%:*} -o jsonpath={.items[*].ports[*].port}"
    await 30 "pods of the Service ${service%:*} at ${service#*:}" sh -c "[ \"\$($ports)\" = ${service#*:} ]"
  done

  say "the nightly job starts from its CronJob"
  $k create job --from=cronjob/shoeproof-run-ac-1 by-hand >/dev/null
  $k get job by-hand -o 'jsonpath={.spec.template.spec.containers[0].args}' | grep -q 'gaming-day' || die "no gaming day"

  say "upgrade"
  $h upgrade shoeproof "$chart" $common --set image.tag=1.1.0 --set ingest.replicas=3 >/dev/null
  [ "$($k get deployment shoeproof-ingest -o 'jsonpath={.status.readyReplicas} {.spec.template.spec.containers[0].image}')" = "3 shoeproof/ingest:1.1.0" ] || die "not upgraded"

  say "a drain keeps all but one"
  "$bin/kubectl" cordon node-1 >/dev/null
  [ "$($k get pdb shoeproof-ingest -o 'jsonpath={.status.disruptionsAllowed}')" = 1 ] || die "want one disruption allowed"
  "$bin/kubectl" uncordon node-1 >/dev/null

  say "a failed upgrade, and rolling back"
  if $h upgrade shoeproof "$chart" --set ingest.replicas=0 >/dev/null 2>&1; then die "0 replicas were accepted"; fi
  $h rollback shoeproof 1 --wait --timeout 120s >/dev/null
  [ "$($k get deployment shoeproof-ingest -o 'jsonpath={.status.readyReplicas} {.spec.template.spec.containers[0].image}')" = "2 shoeproof/ingest:1.0.0" ] || die "not rolled back"

  say "remove"
  $h uninstall shoeproof --wait >/dev/null
  await 60 "the pods' end" sh -c "[ -z \"\$($k get pods -l app.kubernetes.io/name=shoeproof -o name)\" ]"
  [ "$($k get pvc -o name)" = persistentvolumeclaim/shoeproof-exports ] || die "the bundles' claim is gone"

  say "every file of values is accepted by the server"
  for values in "$chart"/ci/*-values.yaml; do
    case $values in
      */keda-*) continue ;; # no KEDA here
      */monitored-*) $h install check "$chart" -f "$values" --set monitoring.serviceMonitor=false,monitoring.prometheusRule=false --dry-run=server >/dev/null ;;
      *) $h install check "$chart" -f "$values" --dry-run=server >/dev/null ;;
    esac
  done
  say "all of it in $SECONDS s"
}

case ${1:-} in
  helm) tools helm; echo "$bin/helm" ;;
  test) tools cluster; start; operator ;;
  run)
    tools cluster
    start
    echo "export KUBECONFIG=$KUBECONFIG"
    wait
    ;;
  *) die "usage: kube.sh helm|test|run" ;;
esac
