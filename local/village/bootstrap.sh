#!/bin/sh
# Installs the packages of package-lock.json in node_modules, so that Node 26 (an npm package) can run
# everything else. Silent and quick if nothing has changed.
set -eu
cd "$(dirname "$0")/../.."

fail() {
  echo "error: $1" >&2
  echo "  fix: $2" >&2
  exit 1
}

[ "$(uname -s)" = Linux ] || fail "Hamlet's local village needs Linux; this is $(uname -s)" "use a Linux machine or a virtual machine"
command -v node >/dev/null || fail "Node.js is not installed" "apt-get install nodejs npm (version 18 or newer; Hamlet installs its own Node 26)"
command -v npm >/dev/null || fail "npm is not installed" "apt-get install npm"

if ! node local/village/installed.mjs; then
  mkdir -p .hamlet
  # Two commands at the same time must not both rewrite node_modules.
  (
    flock 9
    node local/village/installed.mjs || {
      # Go downloads its modules in the meantime, if the caller will compile the programs of the local cluster.
      [ "${1:-}" != programs ] || bash local/cluster/build.sh --download >/dev/null 2>&1 9>&- &
      echo "npm: installing what package-lock.json lists ..." >&2
      npm ci --no-fund --no-audit --loglevel=error >&2
    }
  ) 9>.hamlet/npm.lock
  node local/village/installed.mjs || fail "npm ci ended but node_modules still differs from package-lock.json" "rm -rf node_modules && npm ci, and read the output of npm"
fi

[ -x node_modules/.bin/node ] && node_modules/.bin/node -e '' ||
  fail "npm ci installed no Node 26 for this machine ($(uname -m))" "Hamlet has Node for x86_64 and aarch64 with glibc; check the output of npm ci"
