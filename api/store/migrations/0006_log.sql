-- The sealed log: what was done (audit), money that moved (ledger.transfer) and turns of residents, in the order of (xact, kind, id), as the leaves
-- of an RFC 6962 tree in tiles. docs/LOG.md. Rows are the entries; only hashes are kept here a second time. A row's place is final once every
-- transaction below it has ended (pg_snapshot_xmin), so a follower never misses one that committed late.
create schema log;

-- The rewrite of the tables gives what is there the number of this migration's own transaction.
alter table public.audit add column xact bigint not null default pg_current_xact_id()::text::bigint;
alter table public.turn add column xact bigint not null default pg_current_xact_id()::text::bigint;

-- Rows arrive nearly in this order, so a summary for each megabyte finds a range of it, at no price to who writes.
create index transfer_by_xact on ledger.transfer using brin (xact) with (pages_per_range = 32, autosummarize = on);
create index audit_by_xact on public.audit using brin (xact) with (pages_per_range = 32, autosummarize = on);
create index turn_by_xact on public.turn using brin (xact) with (pages_per_range = 32, autosummarize = on);

-- Search of the audit.
create index audit_by_time on public.audit (at desc, audit_id desc);
create index audit_by_actor on public.audit (actor_id, at desc, audit_id desc);
create function log.words(action text, object text, actor_id text, detail jsonb) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector('simple'::regconfig, translate(action || ' ' || object || ' ' || actor_id, '._/-', '    '))
    || jsonb_to_tsvector('simple'::regconfig, detail, '["string", "numeric", "boolean"]'::jsonb)
$$;
create index audit_by_words on public.audit using gin (log.words(action, object, actor_id, detail));

-- An entry is the binary record that Postgres sends of these fields; names of kinds carry their version. What a transfer's entries, accounts,
-- circumstance and reversal say is part of it: an entry that does not mirror its transfer leaves a null, and so another leaf.
create view log.leaf as
  select t.xact, 1::smallint as kind, t.transfer_id as id, record_send(row(
    'hamlet.ledger.v1'::text, t.xact, t.transfer_id, t.idempotency_key, t.request_hash, t.reason::text, t.amount,
    t.payer, p.book || '/' || p.owner, t.payer_version, pe.balance_after, pe.below_zero,
    t.payee, q.book || '/' || q.owner, t.payee_version, qe.balance_after, qe.below_zero,
    t.source, t.note, t.event_at, t.created_at, t.actor_role, t.actor_id, r.reverses,
    c.related_post_id, c.pod_uid, c.run_id, c.image_digest, c.traceparent)) as leaf
  from ledger.transfer t
  left join ledger.entry pe on pe.account_id = t.payer and pe.version = t.payer_version
    and pe.transfer_id = t.transfer_id and pe.amount = -t.amount and pe.created_at = t.created_at
  left join ledger.entry qe on qe.account_id = t.payee and qe.version = t.payee_version
    and qe.transfer_id = t.transfer_id and qe.amount = t.amount and qe.created_at = t.created_at
  left join ledger.account p on p.account_id = t.payer
  left join ledger.account q on q.account_id = t.payee
  left join ledger.reversal r on r.transfer_id = t.transfer_id
  left join ledger.circumstance c on c.id = t.transfer_id
  union all
  select a.xact, 2::smallint, a.audit_id, record_send(row(
    'hamlet.act.v1'::text, a.xact, a.audit_id, a.at, a.actor_role, a.actor_id, a.action, a.object,
    -- What is too long for an entry of a bundle is there by its hash.
    case when length(a.detail::text) <= 8000 then a.detail::text end, sha256(convert_to(a.detail::text, 'UTF8')), a.request_id, a.traceparent))
  from public.audit a
  union all
  select u.xact, 3::smallint, u.turn_id, record_send(row(
    'hamlet.turn.v1'::text, u.xact, u.turn_id, u.agent_id, u.uid, u.cycle, u.recorded_at, sha256(convert_to(u.turn::text, 'UTF8'))))
  from public.turn u;

-- Tiles (C2SP tlog-tiles): on level 0 hashes of entries, above those of full tiles. Of a tile on level 0 also the place of its first entry, which
-- finds the tile of a row and the rows of a tile. A tile grows at its end until it is full, and never changes otherwise.
create table log.tile (
  level smallint not null check (level between 0 and 7),
  number bigint not null check (number >= 0),
  hashes bytea not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
  xact bigint,
  kind smallint,
  id uuid,
  primary key (level, number),
  check ((level = 0) = (xact is not null and kind is not null and id is not null))
);
alter table log.tile alter column hashes set storage external;
create index tile_by_first on log.tile (xact, kind, id) where level = 0;

-- The newest checkpoint, and the place of the last entry under it. Who seals holds this row.
create table log.head (
  singleton boolean primary key default true check (singleton),
  size bigint not null default 0 check (size >= 0),
  note text,
  xact bigint not null default 0,
  kind smallint not null default 0,
  id uuid not null default '00000000-0000-0000-0000-000000000000',
  sealed_at timestamptz not null default now(),
  check ((size = 0) = (note is null))
);
insert into log.head default values;

-- Checkpoints that stay: the first after each full tile, and one an hour.
create table log.checkpoint (
  size bigint primary key check (size > 0),
  note text not null,
  sealed_at timestamptz not null default now()
);

create function log.tile_grows() returns trigger language plpgsql as $$
begin
  if (new.level, new.number, new.xact, new.kind, new.id) is distinct from (old.level, old.number, old.xact, old.kind, old.id)
    or substr(new.hashes, 1, length(old.hashes)) <> old.hashes
  then
    raise exception 'a tile only grows' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create function log.head_grows() returns trigger language plpgsql as $$
begin
  if new.size < old.size or (new.xact, new.kind, new.id) < (old.xact, old.kind, old.id) then
    raise exception 'the log only grows' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger only_grows before update on log.tile for each row execute function log.tile_grows();
create trigger only_grows before update on log.head for each row execute function log.head_grows();
create trigger never_lost before delete or truncate on log.tile for each statement execute function public.refuse_change();
create trigger never_lost before delete or truncate on log.head for each statement execute function public.refuse_change();
create trigger append_only before update or delete or truncate on log.checkpoint for each statement execute function public.refuse_change();
alter table log.tile enable always trigger only_grows;
alter table log.head enable always trigger only_grows;
alter table log.tile enable always trigger never_lost;
alter table log.head enable always trigger never_lost;
alter table log.checkpoint enable always trigger append_only;

-- Summaries of what was written since the last vacuum, for whoever has a long way to catch up.
create function log.summarize() returns void language sql security definer set search_path = pg_catalog as $$
  select brin_summarize_new_values(i) from unnest(array['ledger.transfer_by_xact', 'public.audit_by_xact', 'public.turn_by_xact']::regclass[]) i
$$;

revoke all on all functions in schema log from public;
grant usage on schema log to {app}, {reader};
grant select on all tables in schema log to {app}, {reader};
grant insert, update on log.tile to {app};
grant update on log.head to {app};
grant insert on log.checkpoint to {app};
grant execute on function log.summarize, log.words to {app};
