-- The maps that the world has stood on. An event says where it was made in tiles, so a replay of the log needs the map of its time:
-- events after since_seq were made on this map, up to the event of kind "map" that names the next one.
create table world_map (
  version text primary key check (length(version) between 1 and 64),
  since_seq bigint not null check (since_seq >= 0),
  -- JSON text of size, terrain, landmarks and zones. Not jsonb: the version is a hash that depends on the order of keys.
  plan text not null check (octet_length(plan) <= 67108864),
  kept_at timestamptz not null default now()
);
create trigger append_only before update or delete or truncate on world_map for each statement execute function refuse_change();
alter table world_map enable always trigger append_only;

grant select, insert on world_map to {app};
grant select on world_map to {reader};
