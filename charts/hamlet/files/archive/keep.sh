#!/bin/bash
# Keeps the archive beside Postgres: each minute a base backup if one is due, no more days and bytes than wanted, and the
# state of all that in the table `archive_state`, where the API reads it.
# ARCHIVE_FOLDER, ARCHIVE_RECOVERY, ARCHIVE_DAYS, ARCHIVE_HOURS (between base backups), ARCHIVE_MIB (limit of all together),
# ARCHIVE_PAUSE (seconds).
set -uo pipefail
umask 077
. "$(dirname "$0")/chain.sh"
# Seconds after a base backup that failed.
readonly RETRY=900
# Seconds between base backups for want of room.
readonly TIGHT=3600
# The clock may have been wrong when a base backup got its time, or be wrong now. So age alone removes nothing: this many
# newer base backups stay in any case. One more than those of ARCHIVE_DAYS.
readonly KEPT=$((ARCHIVE_DAYS * 24 / ARCHIVE_HOURS + 1))
failed_at=0

sql() {
  psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --username postgres --dbname hamlet "$@"
}

# Prints the base backups of the archive, one a line, in the order of their first segments: no clock changes that.
by_segment() {
  local base
  for base in "$1"/base/[0-9]*; do echo "$(<"$base/start") $base"; done | sort | cut -d' ' -f2-
}

# True if base backup $1 is at least $2 seconds old. The age of one from the future is unknown: it counts as old.
is_old() {
  local age=$(($(date +%s) - $(basename "$1")))
  # NTP sets a clock back by less than a minute.
  [ $age -ge "$2" ] || [ $age -lt -60 ]
}

# Sets `bases`, the first and last moments of the unbroken run that reaches furthest (`from`, `tip`), and the newest segment.
survey() {
  local base start segments
  mapfile -t bases < <(by_segment "$home")
  segments=("$home"/wal/????????????????????????.gz)
  from='' tip='' newest=''
  [ ${#segments[@]} -eq 0 ] || newest=$(basename "${segments[-1]}" .gz)
  for base in "${bases[@]}"; do
    start=$(<"$base/start")
    [[ -n $tip && ! $start > $tip ]] && continue
    from=$(basename "$base")
    unbroken "$home" "$start"
  done
}

# True if the segments of the only base backup leave no room for a second one and as much again. A new one, which fits, makes
# them needless; without it the archive would stay full.
is_tight() {
  local size
  [ ${#bases[@]} -eq 1 ] && is_old "${bases[0]}" $TIGHT || return 1
  size=$(du -sm "${bases[0]}" | cut -f1)
  [ $((2 * size)) -le "$ARCHIVE_MIB" ] && ! has_room $((2 * size))
}

is_due() {
  [ $(($(date +%s) - failed_at)) -ge $RETRY ] || return 1
  ! is_tight || return 0
  [ ! -e "$ARCHIVE_FOLDER/full" ] || return 1
  [ ${#bases[@]} -gt 0 ] || return 0
  [[ $newest > $tip ]] || is_old "${bases[-1]}" $((ARCHIVE_HOURS * 3600))
}

back_up() {
  local part=$home/base/.part
  rm -rf "$part"
  # Postgres waits until the archive has the segments of the backup.
  pg_basebackup --username postgres --no-password --pgdata "$part" --format tar --gzip --wal-method none --checkpoint fast &&
    tar -xzOf "$part/base.tar.gz" --occurrence=1 backup_label | sed -n 's/^START WAL LOCATION.*(file \([0-9A-F]*\))$/\1/p' >"$part/start" &&
    [ -s "$part/start" ] && gzip -t "$part/base.tar.gz" && sync "$part"/* && mv -T "$part" "$home/base/$(date +%s)" && return
  rm -rf "$part"
  return 1
}

used_mib() {
  du -sm "$ARCHIVE_FOLDER" | cut -f1
}

# True if $1 MiB more fit.
has_room() {
  [ $(($(used_mib) + $1)) -le "$ARCHIVE_MIB" ]
}

# Removes what is older than wanted: the oldest base backup that stays reaches ARCHIVE_DAYS back, or is the only one that
# fits with $1 MiB more. An archive of an earlier Postgres goes with its newest base backup, never for want of room: it may be
# the only copy of a village that was lost.
forget() {
  local days=$((ARCHIVE_DAYS * 86400)) other old first segment
  for other in "$ARCHIVE_FOLDER"/[0-9]*; do
    [ "$other" != "$home" ] || continue
    mapfile -t old < <(by_segment "$other")
    [ ${#old[@]} -eq 0 ] || { is_old "${old[-1]}" $days && [ ${#bases[@]} -ge $KEPT ]; } || continue
    rm -rf "$other"
  done
  while [ ${#bases[@]} -gt 1 ] && { { [ ${#bases[@]} -gt $KEPT ] && is_old "${bases[1]}" $days; } || ! has_room "$1"; }; do
    rm -rf "${bases[0]}"
    bases=("${bases[@]:1}")
    first=$(<"${bases[0]}/start")
    for segment in "$home"/wal/*; do
      [[ $(basename "$segment") < $first ]] || break
      rm -f "$segment"
    done
  done
  if has_room 0; then rm -f "$ARCHIVE_FOLDER/full"; else touch "$ARCHIVE_FOLDER/full"; fi
}

report() {
  local base='' latest='' problem=''
  [ ${#bases[@]} -eq 0 ] || base=$(basename "${bases[-1]}")
  [ -z "$tip" ] || latest=$(reached "$home" "$tip")
  # Right after a base backup nothing is there yet.
  [ -n "$latest" ] && [ "$latest" -ge "$from" ] || from='' latest=''
  [ $failed_at -eq 0 ] || problem=backup
  [[ $newest > $tip ]] && problem=gap
  [ ! -e "$ARCHIVE_FOLDER/full" ] || problem=full
  # Also the act that makes Postgres finish a segment each minute.
  sql --set base="$base" --set earliest="$from" --set latest="$latest" --set problem="$problem" \
    --set bytes=$(($(used_mib) * 1048576)) --set limit=$((ARCHIVE_MIB * 1048576)) --set days="$ARCHIVE_DAYS" <<'SQL'
insert into archive_state (reported_at, base_at, earliest, latest, bytes, limit_bytes, days, problem)
values (now(), to_timestamp(nullif(:'base', '')::bigint), to_timestamp(nullif(:'earliest', '')::bigint), to_timestamp(nullif(:'latest', '')::bigint),
  :bytes, :limit, :days, nullif(:'problem', ''))
on conflict (one) do update set (reported_at, base_at, earliest, latest, bytes, limit_bytes, days, problem)
  = row (excluded.reported_at, excluded.base_at, excluded.earliest, excluded.latest, excluded.bytes, excluded.limit_bytes, excluded.days, excluded.problem);
SQL
}

# Removes the Postgres of a restore that was ended half a day ago, or earlier, before it could close it.
close_left() {
  [ -z "$(find "$ARCHIVE_RECOVERY" -maxdepth 0 -mmin +720 2>/dev/null)" ] || bash "$(dirname "$0")/recover.sh" close
}

keep() {
  local system
  close_left
  system=$(sql --command 'select system_identifier from pg_control_system()') || return
  home=$ARCHIVE_FOLDER/$system
  mkdir -p "$home/base" "$home/wal"
  survey
  if is_due; then
    report
    forget "$([ ${#bases[@]} -eq 0 ] && echo 0 || du -sm "${bases[-1]}" | cut -f1)"
    # Postgres waits until the archive has the segments of a base backup. A tenth of the volume is free for them.
    rm -f "$ARCHIVE_FOLDER/full"
    if back_up; then failed_at=0; else failed_at=$(date +%s); fi
    survey
  fi
  forget 0
  report
}

trap 'exit 0' TERM INT
while :; do
  keep
  sleep "$ARCHIVE_PAUSE" &
  wait $!
done
