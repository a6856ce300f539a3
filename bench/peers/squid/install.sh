#!/bin/bash
# Unpacks Debian's Squid into a folder, without installing it: an installed one would start as a service.
# usage: bench/peers/squid/install.sh FOLDER
set -euo pipefail
folder=$1
test -e "$folder/done" && exit 0
rm -rf "$folder" && mkdir -p "$folder/packages" && cd "$folder/packages"
apt-get -q update >/dev/null && apt-get -q download squid squid-common squid-langpack libecap3 libltdl7 >/dev/null 2>&1
for package in *.deb; do dpkg-deb -x "$package" "$folder"; done
touch "$folder/done"
