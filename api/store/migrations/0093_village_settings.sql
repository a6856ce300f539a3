-- Settings of the village that admins change while it runs. Each stands before the value of the chart; without a row the chart decides. ADR 135.
create table village_setting (
  key text primary key check (key ~ '^[a-z][a-z_]{0,63}$'),
  value jsonb not null check (octet_length(value::text) <= 1024),
  set_by_role text not null,
  set_by_id text not null,
  set_at timestamptz not null default now()
);
grant select, insert, update, delete on village_setting to {app};
grant select on village_setting to {reader};
