-- The archive of the write-ahead log as its keeper last reported it (charts/hamlet/files/archive/keep.sh); no row in a village that keeps none.
create table archive_state (
  one boolean primary key default true check (one),
  reported_at timestamptz not null,
  -- The end of the newest base backup.
  base_at timestamptz,
  -- The village can be restored to any second between these.
  earliest timestamptz,
  latest timestamptz,
  bytes bigint not null check (bytes >= 0),
  limit_bytes bigint not null check (limit_bytes > 0),
  days integer not null check (days > 0),
  problem text check (problem in ('backup', 'gap', 'full'))
);
grant select on archive_state to {app}, {reader};
