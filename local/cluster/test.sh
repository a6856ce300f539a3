#!/usr/bin/env bash
# Starts a separate cluster beside any other, tests its guarantees, kills each of its components, and checks
# that taking it down leaves nothing behind.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<TEXT
usage: local/cluster/test.sh [--keep]

Tests the local cluster for real, as root, in address slot 9 (change: TEST_SLOT=N).
Ends with "N passed, N failed" and fails if any failed.

  --keep   leave the test cluster running afterwards
TEXT
}
KEEP=""
case ${1:-} in
  "") ;;
  --keep) KEEP=yes ;;
  --help | -h) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

./build.sh || exit 1
BIN=$(./build.sh --print-bin) || exit 1
SLOT=${TEST_SLOT:-9}
NAME=hamlet-test-$SLOT
STATE=/var/tmp/$NAME
API=10.89.$SLOT.1:6443
WAIT=120 # seconds until a check must succeed; no check asserts a time
export KUBECONFIG=$STATE/kubeconfig
passed=0 failed=0

hamlet() { local command=$1; shift; "$BIN/hamlet-cluster" "$command" --state "$STATE" "$@"; }
start() { hamlet up --name "$NAME" --slot "$SLOT" "$@"; }
k() { "$BIN/kubectl" -n probe "$@"; }
probe() { local pod=$1; shift; k exec "$pod" -- /hamlet-probe "$@"; }

# check TITLE COMMAND... passes if the command succeeds.
check() {
  local title=$1 out began=$SECONDS
  shift
  if out=$("$@" 2>&1); then
    passed=$((passed + 1))
    echo "ok   $title ($((SECONDS - began)) s)"
  else
    failed=$((failed + 1))
    echo "FAIL $title ($((SECONDS - began)) s)"
    echo "$out" | tail -n 15 | sed 's/^/     /'
  fi
}

# eventually COMMAND... repeats the command until it succeeds.
eventually() {
  local end=$((SECONDS + WAIT)) out
  until out=$("$@" 2>&1); do
    [ $SECONDS -lt $end ] || { echo "not within $WAIT s: $out"; return 1; }
    sleep 0.2
  done
  echo "$out"
}

says() { local wanted=$1; shift; local out; out=$("$@" 2>&1); grep -q -- "$wanted" <<<"$out" || { echo "wanted: $wanted, got: $out"; return 1; }; }
# refused COMMAND... fails if the command succeeds. A connection that is late on a busy machine is tried again.
refused() {
  local end=$((SECONDS + WAIT)) out
  while :; do
    if out=$("$@" 2>&1); then echo "was permitted: $out"; return 1; fi
    grep -Eq 'refused|no route|prohibited|Lost' <<<"$out" && return 0
    [ $SECONDS -lt $end ] || { echo "failed for another reason: $out"; return 1; }
    sleep 0.2
  done
}

stopped() { ! hamlet status; }

# picture prints everything that a cluster could leave on the machine, except changes by other tests and image builds.
# `ip netns add` mounts /run/netns once on a machine and leaves it mounted; any other test may be the first to do so.
picture() { everything | grep -Ev 'hamlet-cluster-t-|hamlet-test-kube-|/images/storage/|^mount /run/netns$'; }

everything() {
  ip netns list | awk '{print "netns", $1}'
  ip -o link show | awk -F': ' '{sub(/@.*/, "", $2); print "link", $2}'
  ip route show | sed 's/^/route /'
  awk '{print "mount", $5}' /proc/self/mountinfo
  awk '$9 ~ /^cgroup/ || $10 ~ /^cgroup/ || $8 == "cgroup" {print $5}' /proc/self/mountinfo |
    while read -r root; do find "$root" -maxdepth 1 -type d -name 'hamlet-*' -printf 'cgroup %p\n'; done
  nft list tables | sed 's/^/nft /'
  sysctl -n vm.overcommit_memory kernel.panic kernel.panic_on_oops | sed 's/^/sysctl /'
  ls -d "$STATE" /var/lib/kubelet /var/lib/cni /opt/containerd /etc/cni 2>/dev/null | sed 's/^/folder /'
  # Processes by their cgroup and by the folder in their arguments.
  grep -ls "$NAME" /proc/[0-9]*/cgroup | sed 's/^/process of cgroup /'
  pgrep -af -- "$STATE" | grep -v "test.sh" | sed 's/^/process /'
}

nothing_left() {
  local left
  left=$(comm -13 <(sort <<<"$before") <(picture | sort))
  [ -z "$left" ] || { echo "left behind:"; echo "$left"; return 1; }
}

nodes_ready() { [ "$(k get nodes -o jsonpath='{.items[*].status.conditions[?(@.type=="Ready")].status}')" = "True True" ]; }
gpus() { [ "$(k get nodes -o jsonpath='{.items[*].status.allocatable.nvidia\.com/gpu}')" = "1 1" ]; }
ip_of() { k get pod "$1" -o jsonpath='{.status.podIP}'; }
resized() { [ "$(k get pod two -o jsonpath='{.status.containerStatuses[0].resources.limits.memory} {.status.containerStatuses[0].restartCount}')" = "96Mi 0" ]; }
in_user_namespace() { probe two read /proc/self/uid_map | awk '{ok = $1 == 0 && $2 > 65535} END {exit !ok}'; }
waits_for_gpu() { k get pod greedy -o jsonpath='{.status.conditions[0].message}' | grep -q 'Insufficient nvidia.com/gpu'; }
data_on_disk() { [ -n "$(find "$STATE/volumes/sparky2" -name greeting)" ]; }
data_gone() { [ -z "$(ls "$STATE/volumes/sparky2")" ]; }
full() { local out; out=$(probe beside fill /small/big 67108864 2>&1) && return 1; grep -q "no space left" <<<"$out"; }
small_gone() { [ -z "$(ls "$STATE/volumes/sparky1")" ] && [ -z "$(k get pv -o name)" ]; }
newborn_stopped() { [ "$(k get pod newborn -o jsonpath='{.status.phase}')" = Failed ] && k logs newborn | grep -q refused; }

restarts_of() { hamlet status --json | python3 -c '
import json, sys
wanted = sys.argv[1:] + [""]
print([c["restarts"] for c in json.load(sys.stdin)["components"] if [c["name"], c.get("node", "")] == wanted[:2] and c["pid"]][0])' "$@"; }
restarted() { local least=$1; shift; [ "$(restarts_of "$@")" -ge "$least" ]; }

# works checks the whole cluster: a pod is scheduled, runs, is resolved and reached, and its logs are read.
works() {
  k delete pod again --ignore-not-found --now >/dev/null &&
    k run again --image=hamlet.local/probe:1 --image-pull-policy=Never --restart=Never -- serve :8080 >/dev/null &&
    k wait --for=condition=Ready pod/again --timeout=40s >/dev/null &&
    says two probe again get http://two &&
    says serving k logs again && nodes_ready && gpus
}

# survives COMPONENT [NODE] kills it and waits until the cluster does its work again.
survives() {
  local was
  was=$(restarts_of "$@") && hamlet kill "$@" && eventually restarted $((was + 1)) "$@" && eventually works
}

scheduling() {
  k create namespace probe >/dev/null
  k apply -f test/pods.yaml >/dev/null
  check "a pod runs on each node" k wait --for=condition=Ready pod/one pod/two pod/beside --timeout="${WAIT}s"
  check "a pod that asks for too many GPUs waits" eventually waits_for_gpu
  check "a GPU request is fulfilled" says 1 k get pod one -o jsonpath='{.spec.containers[0].resources.limits}'
  check "pod to pod across nodes" eventually says two probe one get "http://$(ip_of two):8080"
  check "pod to pod on one node" eventually says beside probe one get "http://$(ip_of beside):8080"
  check "a Service by its name" eventually says two probe one get http://two
  check "a Service from the machine" eventually says two curl -s --max-time 5 "http://$(k get service two -o jsonpath='{.spec.clusterIP}')"
  check "a name outside the cluster does not resolve" eventually says "no such host" probe one lookup example.com
  check "kubectl shows the logs of a pod" eventually says "serving as one" k logs one
  check "hostUsers: false is a user namespace" in_user_namespace
  check "a resize without a restart is accepted" k patch pod two --subresource resize -p \
    '{"spec":{"containers":[{"name":"probe","resources":{"requests":{"cpu":"80m","memory":"48Mi"},"limits":{"cpu":"200m","memory":"96Mi"}}}]}}'
  check "a resize without a restart is done" eventually resized
}

storage() {
  check "a claim is bound to the pod's node" says hamlet-local k get pvc data -o jsonpath='{.spec.storageClassName} {.status.phase}'
  check "a pod writes to its volume" probe two write /data/greeting hello
  check "the data is on the machine" data_on_disk
  check "a pod writes to a sized volume" probe beside write /small/greeting hello
  check "a sized volume is full at its size" full
  check "other volumes have room" probe two write /data/more hello
}

policies() {
  sed "s/\${API}/$API/" test/policy.yaml | k apply -f - >/dev/null
  check "egress: API server refused" eventually refused probe one dial "$API"
  check "egress: API server refused by its Service" refused probe one dial kubernetes.default:443
  check "egress: kubelet of its own node refused" refused probe one dial "10.89.$SLOT.11:10250"
  check "egress: kubelet of the other node refused" refused probe one dial "10.89.$SLOT.12:10250"
  check "egress: a neighbour on the node refused" refused probe one get "http://$(ip_of beside):8080"
  check "egress: allowed traffic passes, by a port's name" eventually says two probe one get http://two
  check "ingress: another pod is refused" eventually refused probe beside get http://two
  check "egress: other pods are not affected" eventually says connected probe beside dial "$API"
  check "a new pod starts under its policy" eventually newborn_stopped
  k delete networkpolicy one-out two-in >/dev/null
  check "without policies all traffic passes again" eventually says connected probe one dial "$API"
}

forwards() {
  local port=$((18080 + SLOT)) url
  url=http://127.0.0.1:$port
  check "forward to a Service" hamlet forward --listen "127.0.0.1:$port" --to two.probe:80
  check "the forward answers" eventually says two curl -s --max-time 20 "$url"
  check "a repeated forward is not an error" says already hamlet forward --listen "127.0.0.1:$port" --to two.probe:80
  hamlet kill "forward-$port" >/dev/null
  check "the forward survives a kill" eventually says two curl -s --max-time 20 "$url"
  check "the forward ends" hamlet forward --listen "127.0.0.1:$port" --remove
}

faults() {
  local component node
  for component in etcd kube-apiserver kube-controller-manager kube-scheduler addons; do
    check "survives kill -9 of $component" survives "$component"
  done
  for component in kubelet containerd kube-proxy netpol; do
    node=sparky$((1 + RANDOM % 2))
    check "survives kill -9 of $component on $node" survives "$component" "$node"
  done
  check "no pod restarted during the kills" says "0 0" k get pod one two -o jsonpath='{.items[*].status.containerStatuses[0].restartCount}'
  check "a repeated up changes nothing" says "nothing to do" start
  hamlet kill supervisor >/dev/null
  check "up heals a cluster whose supervisor was killed" start
  check "the cluster works again" eventually works
}

node_down() { says "False\|Unknown" k get node sparky2 -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'; }
# A process that has ended stays listed as a zombie until its new parent reaps it.
no_process_on() {
  local file left=""
  for file in $(grep -lsE -- "$NAME-[0-9a-f]+/[a-z-]+-$1" /proc/[0-9]*/cgroup); do
    grep -qsE '^State:[[:space:]]+[^ZX[:space:]]' "${file%cgroup}status" && left+=" $(<"${file%cgroup}comm")"
  done
  [ -z "$left" ] || { echo "still there:$left"; return 1; }
}
silent() { local out; if out=$("$@" 2>&1); then echo "it answered: $out"; return 1; fi; }

node_loss() {
  check "stop-node" hamlet stop-node sparky2
  check "no process of the node is left" no_process_on sparky2
  check "the cluster reports the node as down" eventually node_down
  check "no pod answers on the stopped node" silent probe one get "http://$(ip_of two):8080"
  check "pods of the other node continue" says "0" k get pod one -o jsonpath='{.status.containerStatuses[0].restartCount}'
  check "a repeated stop-node is not an error" hamlet stop-node sparky2
  check "start-node" hamlet start-node sparky2
  check "the cluster works again" eventually works
  check "a repeated start-node is not an error" hamlet start-node sparky2
}

# build_world simulates a host outside of the machine: a namespace with a web server behind its own link (RFC 5737).
FAR_PID=""
FAR=198.51.100.$((4 * SLOT + 2)) NEAR=198.51.100.$((4 * SLOT + 1))
build_world() {
  ip netns add "$NAME-far" && ip link add "far$SLOT" type veth peer name eth0 netns "$NAME-far" &&
    ip addr add "$NEAR/30" dev "far$SLOT" && ip link set "far$SLOT" up &&
    ip -n "$NAME-far" addr add "$FAR/30" dev eth0 && ip -n "$NAME-far" link set eth0 up || return 1
  nsenter --net="/run/netns/$NAME-far" python3 -u -c '
import http.server, sys
class Say(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(("seen as " + self.client_address[0]).encode())
http.server.HTTPServer((sys.argv[1], 80), Say).serve_forever()' "$FAR" >/dev/null 2>&1 &
  FAR_PID=$!
}
remove_world() {
  [ -z "$FAR_PID" ] || { kill "$FAR_PID" && wait "$FAR_PID"; }
  FAR_PID=""
  ip netns del "$NAME-far"
  ip link del "far$SLOT"
} 2>/dev/null
forwards_names() { k -n kube-system get configmap coredns -o jsonpath='{.data.Corefile}' | grep -q '^ *forward \. '; }
refuses_other_outside() { local out; out=$(start --outside off 2>&1) && return 1; grep -q "another --outside" <<<"$out"; }

way_out() {
  build_world # not in a check: its server is a child of this script
  check "the machine reaches it" eventually says "seen as $NEAR" curl -s --max-time 5 "http://$FAR"
  check "without a way out no pod reaches it" silent probe one get "http://$FAR"
  check "down --keep-data" hamlet down --keep-data
  check "up --outside on" start --outside on
  check "a pod reaches it under the address of the machine" eventually says "seen as $NEAR" probe one get "http://$FAR"
  check "names outside go to the DNS of the machine" forwards_names
  check "pods see each other without the machine" eventually says two probe one get http://two
  check "a policy still holds a pod back" held_back
  check "a running cluster keeps its way out" refuses_other_outside
  check "a repeated up changes nothing" says "nothing to do" start
  check "down --keep-data" hamlet down --keep-data
  check "up --outside off" start --outside off
  check "again no pod reaches it" silent probe one get "http://$FAR"
  remove_world
}
held_back() {
  sed "s/\${API}/$API/" test/policy.yaml | k apply -f - >/dev/null
  eventually refused probe one dial "$FAR:80"
  local status=$?
  k delete networkpolicy one-out two-in >/dev/null
  return $status
}

ending() {
  k delete pod two --now >/dev/null
  k delete pvc data >/dev/null
  check "a deleted claim removes its data" eventually data_gone
  k create configmap kept --from-literal=a=b >/dev/null
  check "down --keep-data" hamlet down --keep-data
  check "up after down --keep-data" start
  check "the data was kept" k get configmap kept
  check "the cluster works again" eventually works
  check "a sized volume kept its data" eventually says hello probe beside read /small/greeting
  [ -z "$KEEP" ] || return 0
  k delete pod beside --now >/dev/null
  k delete pvc small >/dev/null
  check "a deleted claim removes its file system" eventually small_gone
  check "down" hamlet down
  check "down leaves nothing" eventually nothing_left
  check "a repeated down is not an error" hamlet down
}

small_profiles() {
  local profile
  for profile in api control-plane; do
    check "up --profile $profile" hamlet up --name "$NAME" --profile "$profile"
    check "profile $profile serves" k get namespaces
    check "profile $profile: down" hamlet down
  done
  sleep 1000 &
  local owner=$!
  check "up --while a process lives" hamlet up --name "$NAME" --profile api --while "$owner"
  { kill "$owner" && wait "$owner"; } 2>/dev/null
  check "the cluster ends with that process" eventually stopped
  check "down cleans up after it" hamlet down
  check "the small profiles leave nothing" eventually nothing_left
}

hamlet down >/dev/null 2>&1 # what an interrupted run may have left
remove_world
before=$(picture)
echo "machine: $(nproc) cores, $(free -g | awk '/Mem/ {print $2}') GiB"
check "up" start
if [ $failed = 0 ]; then
  scheduling
  storage
  policies
  forwards
  faults
  node_loss
  way_out
  ending
  [ -n "$KEEP" ] || small_profiles
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
