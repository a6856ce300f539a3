#!/bin/bash
# `recover.sh open TIME` starts a Postgres of its own from the archive that shows the village as it was at TIME (such as
# 2026-11-30T03:12:07Z) and changes nothing more; its socket is in ARCHIVE_RECOVERY. `recover.sh close` removes it.
set -euo pipefail
umask 077
. "$(dirname "$0")/chain.sh"
readonly data=$ARCHIVE_RECOVERY/data log=$ARCHIVE_RECOVERY/log

close() {
  [ ! -e "$data/postmaster.pid" ] || pg_ctl --pgdata "$data" --mode immediate --silent stop || true
  rm -rf "$ARCHIVE_RECOVERY"
}

# Sets `base` to the newest base backup that is no newer than $1, `archive` to its archive, and `tip` to the last segment.
choose() {
  local each last
  base='' archive=''
  for each in "$ARCHIVE_FOLDER"/[0-9]*/base/[0-9]*; do
    [ "$(basename "$each")" -le "$1" ] || continue
    [ -z "$base" ] || [ "$(basename "$each")" -gt "$(basename "$base")" ] || continue
    base=$each archive=$(dirname "$(dirname "$each")")
  done
  [ -n "$base" ] || refuse "the archive has no base backup before $(moment "$1")"
  unbroken "$archive" "$(<"$base/start")"
  [ -n "$tip" ] || refuse "the archive lacks the segments of the base backup of $(moment "$(basename "$base")")"
  last=$(reached "$archive" "$tip")
  [ "$1" -le "$last" ] || refuse "the archive has nothing between $(moment "$last") and $(moment "$1")"
}

refuse() {
  local each
  echo "$1" >&2
  for each in "$ARCHIVE_FOLDER"/[0-9]*/base/[0-9]*; do
    unbroken "$(dirname "$(dirname "$each")")" "$(<"$each/start")"
    [ -z "$tip" ] || echo "it has $(moment "$(basename "$each")") to $(moment "$(reached "$(dirname "$(dirname "$each")")" "$tip")")" >&2
  done
  exit 1
}

configure() {
  cat >>"$data/postgresql.auto.conf" <<CONF
archive_mode = off
listen_addresses = ''
unix_socket_directories = '$ARCHIVE_RECOVERY'
port = 5432
# A standby needs no fewer than the village's Postgres has.
max_connections = 1000
shared_buffers = '64MB'
logging_collector = off
restore_command = 'test -e "$archive/wal/%f.gz" && gunzip -c "$archive/wal/%f.gz" >"%p"'
recovery_target_time = '$1'
recovery_target_action = pause
CONF
  touch "$data/recovery.signal"
}

start() {
  pg_ctl --pgdata "$data" --log "$log" --wait --timeout 86400 --silent start
}

ask() {
  psql --no-psqlrc --quiet --tuples-only --no-align --host "$ARCHIVE_RECOVERY" --port 5432 --username postgres --dbname postgres \
    --command "$1" 2>/dev/null
}

state() {
  ask "select case when not pg_is_in_recovery() then 'ended' else pg_get_wal_replay_pause_state() end"
}

# True if Postgres has replayed into the last segment. At one that it cannot read it ends as at the end of the archive.
is_whole() {
  local first
  printf -v first '%X/%X' $((0x${tip:8:8})) $((0x${tip:16:8} << 24))
  [ "$(ask "select pg_last_wal_replay_lsn() > '$first'")" = t ]
}

# Prints the first segment from the last replayed one on that is no longer what was stored.
damaged() {
  local each read
  read=${tip:0:8}$(ask 'select substr(pg_walfile_name(pg_last_wal_replay_lsn()), 9)')
  for each in "$archive"/wal/????????????????????????.gz; do
    [[ $(basename "$each" .gz) < $read ]] || gzip -t "$each" 2>/dev/null || { echo "$each"; return; }
  done
  echo "a segment from $read on"
}

fail() {
  tail -20 "$log" >&2
  exit 1
}

# Waits until Postgres has replayed everything up to the moment. Fails if it ended before.
replayed() {
  local now
  while [ -e "$data/postmaster.pid" ]; do
    now=$(state || true)
    case $now in ended | paused) return 0 ;; esac
    sleep 0.2
  done
  return 1
}

open() {
  local until
  until=$(date -u -d "$1" +%s)
  close
  choose "$until"
  mkdir -p "$ARCHIVE_RECOVERY"
  mkdir -m 700 "$data"
  tar -xzf "$base/base.tar.gz" -C "$data"
  configure "$(date -u -d "@$until" '+%Y-%m-%d %H:%M:%S+00')"
  if start && replayed; then return; fi
  grep -q 'recovery ended before configured recovery target was reached' "$log" || fail
  # The archive reaches beyond the moment, and nothing was committed between it and the end.
  echo "recovery_target_time = ''" >>"$data/postgresql.auto.conf"
  start && replayed || fail
  is_whole || { echo "the archive is damaged: Postgres cannot read $(damaged); an earlier moment may be whole" >&2; fail; }
}

case $1 in
open) open "$2" ;;
close) close ;;
esac
