# Source it, then: install_packages LIST... installs Debian packages without questions and without starting daemons.

# packages_missing LIST... prints the packages that are not installed.
packages_missing() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done
}

# install_packages LIST... installs the missing packages; it refreshes the slow index only if the first attempt fails.
install_packages() {
  [ -n "$(packages_missing "$@")" ] || return 0
  # Two installations at the same time would share the file that prevents the start of daemons.
  (
    flock 8
    install_missing "$@"
  ) 8>"${TMPDIR:-/tmp}/hamlet-packages.lock"
}

install_missing() {
  local missing started=$SECONDS policy=/usr/sbin/policy-rc.d made_policy=""
  missing=$(packages_missing "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    echo "error: these Debian packages are missing and installing them needs root:" $missing >&2
    return 1
  fi
  echo "packages: installing" $missing >&2
  # Debian runs this file before it starts a daemon; 101 prevents the start. An existing file belongs to the owner.
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    made_policy=yes
  fi
  local status=0
  # shellcheck disable=SC2086 # the list is meant to split
  apt_quietly install $missing || { apt_quietly update && apt_quietly install $missing; } || status=$?
  [ -z "$made_policy" ] || rm -f "$policy"
  if [ "$status" != 0 ]; then
    echo "error: apt-get could not install:" $missing >&2
    return 1
  fi
  echo "packages: done in $((SECONDS - started)) s" >&2
}

# apt_quietly VERB ARGS... runs apt-get, waits for another apt's lock, and shows the output only of a failure.
apt_quietly() {
  local log status=0
  log=$(mktemp)
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends "$@" \
    </dev/null >"$log" 2>&1 || status=$?
  [ "$status" = 0 ] || tail -n 20 "$log" >&2
  rm -f "$log"
  return "$status"
}
