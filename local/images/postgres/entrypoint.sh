#!/bin/bash
# Creates the database cluster at the first start, then runs Postgres. Supports the official image's
# environment: POSTGRES_PASSWORD, POSTGRES_USER, POSTGRES_DB, PGDATA and /docker-entrypoint-initdb.d/*.sh.
set -euo pipefail
: "${PGDATA:=/var/lib/postgresql/18/docker}" "${POSTGRES_USER:=postgres}"
: "${POSTGRES_DB:=$POSTGRES_USER}"
export PGDATA POSTGRES_USER POSTGRES_DB
# Socket folder of the clients (PGHOST); the default of server and clients is /tmp.
readonly SOCKETS=/var/run/postgresql

# Created beside PGDATA and renamed when complete: a killed first start leaves no partial database.
initialise() {
  local target=$PGDATA part=$PGDATA.part script
  rm -rf "$part"
  mkdir -p "$(dirname "$part")"
  initdb --pgdata="$part" --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "${POSTGRES_PASSWORD:?POSTGRES_PASSWORD must be set}") \
    --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8
  echo 'host all all all scram-sha-256' >>"$part/pg_hba.conf"
  PGDATA=$part pg_ctl --wait --silent --options="-c listen_addresses='' -c unix_socket_directories=$SOCKETS -c fsync=off" start
  [ "$POSTGRES_DB" = postgres ] || psql -X -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d postgres -c "CREATE DATABASE \"$POSTGRES_DB\""
  for script in /docker-entrypoint-initdb.d/*.sh; do
    [ -e "$script" ] || continue
    echo "init: $script"
    # shellcheck disable=SC1090 # sourced unless executable, as the official image does
    if [ -x "$script" ]; then "$script"; else . "$script"; fi
  done
  PGDATA=$part pg_ctl --wait --silent --mode=fast stop
  sync
  mv -T "$part" "$target"
}

[ "${1:-}" != "" ] && [ "${1#-}" = "$1" ] || set -- postgres "$@"
if [ "$1" = postgres ]; then
  [ -s "$PGDATA/PG_VERSION" ] || initialise
  set -- "$@" -c listen_addresses='*' -c unix_socket_directories="$SOCKETS"
fi
exec "$@"
