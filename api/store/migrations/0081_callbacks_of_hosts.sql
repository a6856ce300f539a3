-- Callbacks are sent host by host, so that a slow receiver delays only its own, and only who made one (or an admin) reads its address.
-- Both are empty in rows of an older API: these are sent as of one host, and only admins read them.
alter table a2a_callback
  add column host text not null default '' check (length(host) <= 2048),
  add column person_id text not null default '' check (length(person_id) <= 300);
create index a2a_callback_of_host on a2a_callback (host, due_at);
