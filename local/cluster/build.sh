#!/usr/bin/env bash
# Builds every program of the local cluster into a cache outside the tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./packages.sh

readonly KUBERNETES=v1.36.3 RUNC=v1.5.2 KWOK=v0.8.0 TOXIPROXY=v2.5.0
readonly CACHE=${HAMLET_CACHE:-$HOME/.cache/hamlet}
# The tools, each with a build_ function below. Later ones use packages that earlier ones have compiled.
TOOLS=(kube hamlet runc)

usage() {
  cat <<TEXT
usage: local/cluster/build.sh [--with kwok|toxiproxy] [--print-bin] [--download]

Builds hamlet-kube (all of Kubernetes), kubectl, helm, containerd, hamlet-dns,
hamlet-cluster, runc and their companions, only those whose inputs changed, into
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
    cat go-flags
    declare -f go_static "build_$1"
    case $1 in
      kube) echo "$KUBERNETES"; sources kube ;;
      hamlet) sources . ;;
      runc) echo "$RUNC" ;;
      kwok) echo "$KWOK" ;;
      toxiproxy) echo "$TOXIPROXY" ;;
    esac
  } | sha256sum | cut -c1-16
}

# sources FOLDER hashes a module's go.mod, go.sum and Go files, tests left out.
sources() {
  local -a skip=()
  [ "$1" != . ] || skip=(-not -path './kube/*')
  find "$1" -type f \( -name go.mod -o -name go.sum -o -name '*.go' -o -name '*.yaml' \) -not -name '*_test.go' "${skip[@]}" -print0 |
    sort -z | xargs -0 sha256sum
}

# go_static VERB ARGS... runs go without cgo and without symbols in the programs.
go_static() {
  local verb=$1
  shift
  CGO_ENABLED=0 nice -n 5 go "$verb" -ldflags "-s -w ${HAMLET_LINK_FLAGS:-}" "$@"
}

# Downloads the modules that the programs use; go loads as many at once as it may use processors.
download() { (cd kube && CGO_ENABLED=0 GOMAXPROCS=16 go list -deps ./cmd/... tool >/dev/null); }

# All programs of the module in one go build, so that go compiles each package once and links side by side.
build_kube() {
  local v=k8s.io/component-base/version
  local major=${KUBERNETES#v} minor program
  minor=${major#*.} major=${major%%.*}
  download
  (
    cd kube
    HAMLET_LINK_FLAGS="-X $v.gitVersion=$KUBERNETES -X $v.gitMajor=$major -X $v.gitMinor=${minor%%.*} -X $v.gitTreeState=clean"
    go_static build -tags "no_btrfs no_devmapper no_zfs" -o "$1/" ./cmd/... tool
  )
  for program in etcd kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubectl kubelet; do
    ln -f "$1/hamlet-kube" "$1/$program"
  done
}

build_hamlet() { go_static build -o "$1/" ./cmd/...; }

# With netgo and osusergo, runc uses the packages of the standard library that were compiled without cgo.
build_runc() {
  CGO_ENABLED=1 GOBIN=$1 nice -n 5 go install -tags "seccomp netgo osusergo" -ldflags "-s -w" "github.com/opencontainers/runc@$RUNC"
}

build_kwok() { GOBIN=$1 go_static install "sigs.k8s.io/kwok/cmd/kwok@$KWOK"; }

build_toxiproxy() {
  GOBIN=$1 go_static install "github.com/Shopify/toxiproxy/v2/cmd/server@$TOXIPROXY"
  mv "$1/server" "$1/toxiproxy"
}

# report NAME prints the output of a build and counts the compiled packages (-v prints one line for each).
report() {
  awk -v name="$1" '
    /^[^ ]+$/ { if (++compiled % 25 == 0) print "build: " name ": compiling, " compiled " packages so far"; fflush(); next }
    { print; fflush() }' >&2
}

# The compiler collects no garbage below this heap: two compilers at once leave half of the machine's memory.
memory_of_compiler() { awk '/^MemTotal/ {print int($2 / 6) "KiB"}' /proc/meminfo; }

# build NAME builds one tool unless its key is cached. The result is renamed into place, so it is never incomplete.
build() {
  local name=$1 out started=$SECONDS
  out=$CACHE/tools/$name-$(key "$name")
  [ ! -d "$out" ] || return 0
  echo "build: $name ..." >&2
  rm -rf "$out.part"
  mkdir -p "$out.part"
  GOFLAGS="${GOFLAGS:-} $(<go-flags) -v" GOGC=off GOMEMLIMIT=$(memory_of_compiler) \
    "build_$name" "$out.part" 2>&1 | report "$name"
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
  install_packages containernetworking-plugins iproute2 nftables conntrack util-linux e2fsprogs \
    gcc libc6-dev pkg-config libseccomp-dev &
  local name packages=$!
  for name in "${TOOLS[@]}"; do
    [ "$name" != runc ] || wait "$packages"
    build "$name"
  done
  gather "$bin"
  touch "$bin/complete"
  if [ -n "$extra" ]; then
    build "$extra"
    ln -f "$CACHE/tools/$extra-$(key "$extra")/$extra" "$bin/$extra"
  fi
  echo "build: all in $bin ($SECONDS s)" >&2
}

main "$@"
