#!/bin/bash
# Postgres' archive_command: stores one finished segment of the write-ahead log, compressed. Arguments: its path, its name.
# Postgres repeats a segment that fails. Beyond WAITING_MAX of them it is given up, so that the log never fills the volume
# of the data and ends Postgres: the days before the gap stay restorable, and keep.sh makes a new base backup after it.
set -u
umask 077
readonly path=$1 name=$2
# 16 MiB each: 1 GiB.
readonly WAITING_MAX=64

system=$(od -An -N8 -tu8 global/pg_control | tr -d ' ')
folder=$ARCHIVE_FOLDER/$system/wal
file=$folder/$name.gz
part=$folder/.$name.part

store() {
  # keep.sh makes this file when the archive has no room.
  [ ! -e "$ARCHIVE_FOLDER/full" ] || return 1
  # After a crash Postgres may send a segment twice. Other content under the same name would be another history.
  [ ! -e "$file" ] || { gunzip -c "$file" | cmp -s - "$path"; return; }
  mkdir -p "$folder" && gzip <"$path" >"$part" && touch -r "$path" "$part" && sync "$part" && mv "$part" "$file" && sync "$folder"
}

store && exit 0
rm -f "$part"
waiting=(pg_wal/archive_status/*.ready)
[ ${#waiting[@]} -gt $WAITING_MAX ] || exit 1
echo "archive: segment $name is given up: $WAITING_MAX others wait, and the archive takes none" >&2
