#!/usr/bin/env bash
# One Apache Kafka 4 for development and tests: a single KRaft node on loopback
# with a 512 MB heap. Needs Java 17 or newer, and Maven the first time.
#
#   kafka.sh fetch             fetch it into the cache of this user
#   kafka.sh start [FOLDER]    start it in the background, print its address
#   kafka.sh stop [FOLDER]     stop it and remove its data
#   kafka.sh run [FOLDER]      start it, and stop it on Ctrl-C
#
# FOLDER is where it keeps its records and log, .cache/kafka of this checkout if not
# given. KAFKA_PORT chooses the port, a free one if not set.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/cache.sh"
pom=$here/kafka/pom.xml
version=$(sed -n '/kafka_2.13/{n;s/.*<version>\(.*\)<\/version>.*/\1/p;}' "$pom")
jars=$(engines_cache)/kafka-$version
home=${2:-$here/../../.cache/kafka}

say() { echo "kafka: $*" >&2; }
die() { say "$*"; exit 1; }

fetch() { fetch_once "$jars" fetch_into && pinned "$jars" || die "stopped"; }

fetch_into() {
  command -v mvn >/dev/null || die "Maven (mvn) is needed to fetch Apache Kafka"
  say "fetching Apache Kafka $version with Maven, about 45 MB"
  mvn -B -q -Dstyle.color=never -f "$pom" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$1" >&2
  say "fetched in $SECONDS s to $jars"
}

java_of_kafka() {
  # It must start fast and stay small, not run long.
  exec java -Xms128m -Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.net.preferIPv4Stack=true \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.showDateTime=true \
    -cp "$jars/*" "$@"
}

free_port() {
  # A port without a listener, outside the range the system hands out.
  local p
  for _ in $(seq 100); do
    p=$((20000 + RANDOM % 12000))
    listens "$p" || { echo "$p"; return; }
  done
  die "found no free port"
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

alive() { [ -s "$home/pid" ] && kill -0 "$(cat "$home/pid")" 2>/dev/null; }

configure() {
  local port=$1 controller=$2
  cat >"$home/server.properties" <<EOF
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:$controller
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=$home/data
num.partitions=4
num.network.threads=2
num.io.threads=4
auto.create.topics.enable=false
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
log.cleaner.dedupe.buffer.size=4194304
EOF
}

start() {
  command -v java >/dev/null || die "Java 17 or newer is needed"
  fetch
  mkdir -p "$home"
  home=$(cd "$home" && pwd)
  if ! alive; then
    local port=${KAFKA_PORT:-$(free_port)} controller
    controller=$(free_port)
    rm -rf "$home/data"
    configure "$port" "$controller"
    (java_of_kafka kafka.tools.StorageTool format --standalone -t "$(java_id)" -c "$home/server.properties") >"$home/format.log" 2>&1 ||
      die "cannot format its folder: $(tail -n 5 "$home/format.log")"
    (java_of_kafka kafka.Kafka "$home/server.properties") >"$home/kafka.log" 2>&1 </dev/null &
    echo $! >"$home/pid"
    echo "$port" >"$home/port"
    await_answer "$port"
    say "Apache Kafka $version runs, process $(cat "$home/pid"), log $home/kafka.log"
  fi
  echo "export SHOEPROOF_TEST_KAFKA=127.0.0.1:$(cat "$home/port")"
}

# A cluster id is 16 bytes in URL-safe base64. It starts with a letter: Kafka reads one with a leading dash as an option.
java_id() { head -c 16 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=' | sed 's/^./S/'; }

await_answer() {
  for _ in $(seq 600); do
    alive || die "Apache Kafka ended: $(tail -n 20 "$home/kafka.log")"
    listens "$1" && return
    sleep 0.1
  done
  die "Apache Kafka does not answer after a minute; its log is $home/kafka.log"
}

stop() {
  if alive; then
    local pid
    pid=$(cat "$home/pid")
    kill "$pid"
    for _ in $(seq 100); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
    say "stopped"
  fi
  rm -rf "$home/data" "$home/pid" "$home/port"
}

case ${1:-} in
  fetch) fetch ;;
  start) start ;;
  stop) stop ;;
  run)
    trap stop EXIT
    trap 'exit 130' INT TERM
    start
    say "Ctrl-C stops it"
    while alive; do sleep 1; done
    ;;
  *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
