#!/usr/bin/env bash
# Builds every program of the local cluster into a cache outside the tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./packages.sh

readonly KUBERNETES=v1.36.3 CONTAINERD=v2.4.2 RUNC=v1.5.2 HELM=v4.3.1 KWOK=v0.8.0 TOXIPROXY=v2.5.0
readonly CACHE=${HAMLET_CACHE:-$HOME/.cache/hamlet}
# The tools, each with a build_ function below.
TOOLS=(kube dns hamlet containerd runc helm)

usage() {
  cat <<TEXT
usage: local/cluster/build.sh [--with kwok|toxiproxy] [--print-bin] [--download]

Builds hamlet-kube (all of Kubernetes), kubectl, hamlet-cluster, containerd, runc,
helm and their companions, only those whose inputs changed, into
  ${CACHE}
and links them in one bin directory.

  --with kwok   also build kwok ${KWOK} (simulated nodes for benchmarks), or
                toxiproxy ${TOXIPROXY} (faults between programs, for tests)
  --print-bin   print the bin directory and build nothing; fails if it is not built yet
  --download    download Go modules and build nothing
  --help        this text

HAMLET_CACHE sets another cache directory.
TEXT
}

# key NAME prints a hash of all inputs of NAME's binaries.
key() {
  {
    go env GOVERSION GOARCH
    declare -f "build_$1"
    case $1 in
      kube) echo "$KUBERNETES"; sources kube ;;
      dns) sources dns ;;
      hamlet) sources . ;;
      containerd) echo "$CONTAINERD" ;;
      runc) echo "$RUNC" ;;
      helm) echo "$HELM" ;;
      kwok) echo "$KWOK" ;;
      toxiproxy) echo "$TOXIPROXY" ;;
    esac
  } | sha256sum | cut -c1-16
}

# sources FOLDER hashes a module's go.mod, go.sum and Go files, tests left out.
sources() {
  local -a skip=()
  [ "$1" != . ] || skip=(-not -path './kube/*' -not -path './dns/*')
  find "$1" -type f \( -name go.mod -o -name go.sum -o -name '*.go' -o -name '*.yaml' \) -not -name '*_test.go' "${skip[@]}" -print0 |
    sort -z | xargs -0 sha256sum
}

compile() { # compile MODULE_FOLDER OUT [go build flags]
  local folder=$1 out=$2
  shift 2
  (cd "$folder" && CGO_ENABLED=0 nice -n 5 go build -trimpath -o "$out/" "$@" ./cmd/...)
}

build_kube() {
  local v=k8s.io/component-base/version
  local major=${KUBERNETES#v} minor
  minor=${major#*.} major=${major%%.*}
  compile kube "$1" -ldflags "-s -w -X $v.gitVersion=$KUBERNETES -X $v.gitMajor=$major -X $v.gitMinor=${minor%%.*} -X $v.gitTreeState=clean"
  local program
  for program in etcd kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubectl kubelet; do
    ln -f "$1/hamlet-kube" "$1/$program"
  done
}

build_dns() { compile dns "$1" -ldflags "-s -w"; }

build_hamlet() { compile . "$1" -ldflags "-s -w"; }

build_containerd() {
  local c=github.com/containerd/containerd/v2/cmd
  CGO_ENABLED=0 GOBIN=$1 nice -n 5 go install -trimpath -tags "no_btrfs no_devmapper no_zfs" -ldflags "-s -w" \
    "$c/containerd@$CONTAINERD" "$c/ctr@$CONTAINERD" "$c/containerd-shim-runc-v2@$CONTAINERD"
}

build_runc() {
  install_packages gcc libc6-dev pkg-config libseccomp-dev
  CGO_ENABLED=1 GOBIN=$1 nice -n 5 go install -trimpath -tags seccomp -ldflags "-s -w" "github.com/opencontainers/runc@$RUNC"
}

build_helm() {
  CGO_ENABLED=0 GOBIN=$1 nice -n 5 go install -trimpath -ldflags "-s -w" "helm.sh/helm/v4/cmd/helm@$HELM"
}

build_kwok() {
  CGO_ENABLED=0 GOBIN=$1 nice -n 5 go install -trimpath -ldflags "-s -w" "sigs.k8s.io/kwok/cmd/kwok@$KWOK"
}

build_toxiproxy() {
  CGO_ENABLED=0 GOBIN=$1 nice -n 5 go install -trimpath -ldflags "-s -w" "github.com/Shopify/toxiproxy/v2/cmd/server@$TOXIPROXY"
  mv "$1/server" "$1/toxiproxy"
}

# Downloads the modules of Kubernetes' programs; go loads as many at once as it may use processors.
download() { (cd kube && CGO_ENABLED=0 GOMAXPROCS=16 go list -deps ./cmd/... >/dev/null); }

# The compiler collects no garbage below this heap: two compilers at once leave half of the machine's memory.
memory_of_compiler() { awk '/^MemTotal/ {print int($2 / 6) "KiB"}' /proc/meminfo; }

# report NAME prints the output of a build and counts the compiled packages (-v prints one line for each).
report() {
  awk -v name="$1" '
    /^[^ ]+$/ { if (++compiled % 25 == 0) print "build: " name ": compiling, " compiled " packages so far"; fflush(); next }
    { print; fflush() }' >&2
}

# build NAME builds one tool unless its key is cached. The result is renamed into place, so it is never incomplete.
build() {
  local name=$1 out started=$SECONDS
  out=$CACHE/tools/$name-$(key "$name")
  [ ! -d "$out" ] || return 0
  echo "build: $name ..." >&2
  rm -rf "$out.part"
  mkdir -p "$out.part"
  [ "$name" != kube ] || download
  GOFLAGS="${GOFLAGS:-} -v" GOGC=off GOMEMLIMIT=$(memory_of_compiler) "build_$name" "$out.part" 2>&1 | report "$name"
  mv -T "$out.part" "$out"
  echo "build: $name done in $((SECONDS - started)) s" >&2
}

bin_directory() {
  local name
  echo "$CACHE/bin/$(for name in "${TOOLS[@]}"; do echo "$name $(key "$name")"; done | sha256sum | cut -c1-16)"
}

# gather BIN hard-links the tools into one directory: hamlet-cluster looks for programs beside its own executable.
gather() {
  local name file
  mkdir -p "$1"
  for name in "${TOOLS[@]}"; do
    for file in "$CACHE/tools/$name-$(key "$name")"/*; do
      [ "$1/${file##*/}" -ef "$file" ] || ln -f "$file" "$1/"
    done
  done
}

main() {
  local print_bin="" extra=""
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h) usage; return 0 ;;
      --print-bin) print_bin=yes ;;
      --download) download; return 0 ;;
      --with)
        case ${2:-} in
          kwok | toxiproxy) extra=$2 ;;
          *) echo "error: --with takes: kwok, toxiproxy" >&2; return 2 ;;
        esac
        shift
        ;;
      *) echo "error: unknown argument $1 (see --help)" >&2; return 2 ;;
    esac
    shift
  done
  local bin
  bin=$(bin_directory)
  if [ -n "$print_bin" ]; then
    [ -e "$bin/complete" ] || { echo "error: not built yet: run local/cluster/build.sh" >&2; return 1; }
    echo "$bin"
    return 0
  fi
  command -v go >/dev/null || { echo "error: Go is missing (https://go.dev/dl, 1.26 or newer)" >&2; return 1; }
  mkdir -p "$CACHE"
  exec 9>"$CACHE/build.lock"
  flock -n 9 || { echo "build: waiting for another build" >&2; flock 9; }
  # The packages install while Go downloads modules and compiles; only runc needs some of them for its build.
  install_packages containernetworking-plugins iproute2 nftables conntrack util-linux e2fsprogs &
  local name packages=$!
  for name in "${TOOLS[@]}"; do build "$name"; done
  wait "$packages"
  gather "$bin"
  touch "$bin/complete"
  if [ -n "$extra" ]; then
    build "$extra"
    ln -f "$CACHE/tools/$extra-$(key "$extra")/$extra" "$bin/$extra"
  fi
  echo "build: all in $bin ($SECONDS s)" >&2
}

main "$@"
