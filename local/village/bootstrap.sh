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

# Packages of a lock file that a clone has installed before: other clones on this file system link their files.
kept=${HAMLET_CACHE:-$HOME/.cache/hamlet}/node_modules/$(sha256sum <package-lock.json | cut -c1-16)-$(uname -m)

# The folders of packages that exist: those of the root and of workspaces.
package_folders() {
  awk -F '"' '/^    "[^"]*node_modules\// { print substr($2, 1, index($2, "node_modules") + 11) }' package-lock.json |
    sort -u | while read -r folder; do [ ! -d "$folder" ] || echo "$folder"; done
}

# npm writes its record in place, so each clone has its own.
copy_record() { cp --remove-destination "$1/node_modules/.package-lock.json" "$2/node_modules/"; }

link_kept() {
  [ -d "$kept" ] || return 1
  package_folders | xargs -r rm -rf
  cp -al "$kept/." . 2>/dev/null && copy_record "$kept" . && node local/village/installed.mjs
}

# Keeps the packages for other clones, for the two newest lock files. Another file system keeps none.
keep() {
  mkdir -p "$kept.$$" || return
  if package_folders | xargs cp -al --parents -t "$kept.$$" 2>/dev/null && copy_record . "$kept.$$"; then
    rm -rf "$kept"
    mv -T "$kept.$$" "$kept"
  else
    rm -rf "$kept.$$"
  fi
  ls -td "${kept%/*}"/* 2>/dev/null | tail -n +3 | xargs -r -d '\n' rm -rf
}

if ! node local/village/installed.mjs; then
  mkdir -p .hamlet
  # Two commands at the same time must not both rewrite node_modules.
  (
    flock 9
    node local/village/installed.mjs || link_kept || {
      # Go downloads its modules in the meantime, if the caller will compile the programs of the local cluster.
      [ "${1:-}" != programs ] || bash local/cluster/build.sh --download >/dev/null 2>&1 9>&- &
      echo "npm: installing what package-lock.json lists ..." >&2
      npm ci --no-fund --no-audit --loglevel=error >&2
      # This clone needs no kept packages, so it starts without, for example while another clone keeps the same.
      keep || true
    }
  ) 9>.hamlet/npm.lock
  node local/village/installed.mjs || fail "npm ci ended but node_modules still differs from package-lock.json" "rm -rf node_modules && npm ci, and read the output of npm"
fi

[ -x node_modules/.bin/node ] && node_modules/.bin/node -e '' ||
  fail "npm ci installed no Node 26 for this machine ($(uname -m))" "Hamlet has Node for x86_64 and aarch64 with glibc; check the output of npm ci"
