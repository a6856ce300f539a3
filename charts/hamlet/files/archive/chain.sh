# Which moments the segments of an archive reach; sourced by keep.sh and recover.sh.
# An archive is a folder named as the system identifier of Postgres: base/SECONDS (Unix time of the end of a base backup,
# from which on it restores) with base.tar.gz and `start` (the first segment that it needs), and wal/SEGMENT.gz.
shopt -s nullglob

# Sets `tip` to the last of the segments that follow each other from $2 on, in the archive $1; empty if $2 is not there.
unbroken() {
  local next=$2
  tip=
  while [ -e "$1/wal/$next.gz" ]; do
    tip=$next
    # A segment's name is timeline, number of 4 GiB, number of 16 MiB in it, each of eight hexadecimal digits.
    printf -v next '%s%08X%08X' "${tip:0:8}" $((0x${tip:8:8} + (0x${tip:16:8} == 255))) $(((0x${tip:16:8} + 1) % 256))
  done
}

# Prints the Unix time up to which segment $2 of the archive $1 has everything.
reached() {
  # In its head gzip keeps when Postgres wrote the segment's end, also in a copy of the archive, whose files have other times. A
  # commit in that second may be in the next segment.
  echo $(($(od -An -j4 -N4 -tu4 "$1/wal/$2.gz") - 1))
}

moment() {
  date -u -d "@$1" +%Y-%m-%dT%H:%M:%SZ
}
