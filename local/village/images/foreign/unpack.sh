#!/bin/bash
# Unpacks Debian packages of any architecture into a folder with dpkg's records; configure.ts stands for their scripts.
# usage: unpack.sh FOLDER PACKAGE.deb...
set -euo pipefail
readonly ROOT=${1:?usage: unpack.sh FOLDER PACKAGE.deb...}
shift
readonly INFO=$ROOT/var/lib/dpkg/info

# stanza CONTROL_FOLDER prints the entry of an installed package in dpkg's status file.
stanza() {
  sed 's/^Package:.*/&\nStatus: install ok installed/; /^$/d' "$1/control"
  [ ! -s "$1/conffiles" ] || {
    echo "Conffiles:"
    grep '^/' "$1/conffiles" | while read -r file; do
      [ ! -f "$ROOT$file" ] || echo " $file $(md5sum <"$ROOT$file" | cut -d' ' -f1)"
    done
  }
  echo
}

field() { sed -n "s/^$1: //p" "$control/control"; }

mkdir -p "$INFO" "$ROOT"/usr/{bin,sbin,lib}
for folder in bin sbin lib; do [ -e "$ROOT/$folder" ] || ln -s "usr/$folder" "$ROOT/$folder"; done
control=$(mktemp -d)
trap 'rm -rf "$control" "$control.tar"' EXIT
>>"$ROOT/var/lib/dpkg/status"
for deb in "$@"; do
  dpkg-deb --fsys-tarfile "$deb" >"$control.tar"
  tar -x -f "$control.tar" -p --numeric-owner --keep-directory-symlink -C "$ROOT"
  rm -rf "$control"
  dpkg-deb --control "$deb" "$control"
  name=$(field Package)
  [ "$(field Multi-Arch)" != same ] || name=$name:$(field Architecture)
  stanza "$control" >>"$ROOT/var/lib/dpkg/status"
  rm "$control/control"
  for file in "$control"/*; do [ ! -f "$file" ] || cp "$file" "$INFO/$name.${file##*/}"; done
  tar -t -f "$control.tar" | sed 's,^\./,/,; s,\(.\)/$,\1,; s,^/$,/.,' >"$INFO/$name.list"
done
