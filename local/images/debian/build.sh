#!/bin/bash
# Fills a folder with a small Debian 12, the base of images: without a registry no base can be pulled.
# usage: local/images/debian/build.sh FOLDER
set -euo pipefail
readonly ROOTFS=${1:?usage: local/images/debian/build.sh FOLDER}
readonly MIRROR=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
readonly SECURITY_MIRROR=${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}

# Node needs libstdc++6 and libatomic1; every program that connects to the outside needs ca-certificates.
debootstrap --variant=minbase --include=ca-certificates,libatomic1,libstdc++6 bookworm "$ROOTFS" "$MIRROR"

cat >"$ROOTFS/etc/apt/sources.list" <<LIST
deb $MIRROR bookworm main
deb $MIRROR bookworm-updates main
deb $SECURITY_MIRROR bookworm-security main
LIST

# Manuals have no use inside an image; dpkg also skips them from now on.
cat >"$ROOTFS/etc/dpkg/dpkg.cfg.d/small" <<'LIST'
path-exclude=/usr/share/doc/*
path-include=/usr/share/doc/*/copyright
path-exclude=/usr/share/info/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/man/*
LIST
cat >"$ROOTFS/etc/apt/apt.conf.d/small" <<'LIST'
APT::Install-Recommends "false";
APT::Keep-Downloaded-Packages "false";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
LIST

chroot "$ROOTFS" apt-get -q -y update
DEBIAN_FRONTEND=noninteractive chroot "$ROOTFS" apt-get -q -y upgrade
chroot "$ROOTFS" apt-get clean
find "$ROOTFS/usr/share/doc" -type f -not -name copyright -delete
rm -rf "$ROOTFS"/var/lib/apt/lists/* "$ROOTFS"/var/cache/apt/* "$ROOTFS"/var/cache/debconf/*-old \
  "$ROOTFS"/var/log/* "$ROOTFS"/usr/share/{info,locale,man}/* "$ROOTFS"/tmp/* "$ROOTFS"/etc/machine-id \
  "$ROOTFS"/etc/hostname "$ROOTFS"/etc/resolv.conf
