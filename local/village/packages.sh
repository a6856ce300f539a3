#!/bin/bash
# Installs the Debian packages of the village, its tests or its benches. Silent if nothing is missing.
# usage: local/village/packages.sh [up|test|bench]...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. local/cluster/packages.sh

readonly UP="buildah ca-certificates curl debootstrap git python3-pip"
# qemu-user-static runs the programs of images for the other architecture.
# prometheus has promtool too.
readonly TEST="chromium git prometheus python3-pip python3-venv qemu-user-static redis-server"
readonly BENCH="postgresql-15"

for part in "${@:-up}"; do
  case $part in
    # shellcheck disable=SC2086 # the lists are meant to split
    up) install_packages $UP ;;
    # shellcheck disable=SC2086
    test) install_packages $TEST ;;
    # shellcheck disable=SC2086
    bench) install_packages $BENCH ;;
    *) echo "usage: local/village/packages.sh [up|test|bench]..." >&2; exit 2 ;;
  esac
done
