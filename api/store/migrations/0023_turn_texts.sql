-- The text of an old turn may go; its row, with the text's hash, stays. The sealed log has a turn by that hash, so leaves, proofs and the verification
-- are the same with and without the text. docs/LOG.md, "How long things stay".
alter table public.turn alter column turn drop not null;
alter table public.turn add column text_sha256 bytea check (length(text_sha256) = 32);
alter table public.turn add constraint text_or_hash check ((turn is null) <> (text_sha256 is null));

do $$
declare
  before text := pg_get_viewdef('log.leaf'::regclass);
  hash text := substring(before from 'sha256\(convert_to\(\(?u\.turn\)?::text, ''UTF8''::name\)\)');
begin
  if hash is null then raise exception 'log.leaf does not hash a turn as this migration expects'; end if;
  execute 'create or replace view log.leaf as ' || replace(before, hash, format('case when u.turn is null then u.text_sha256 else %s end', hash));
end $$;

-- One change to a turn is allowed: the text goes, its hash comes.
create function public.turn_text_goes() returns trigger language plpgsql as $$
begin
  if old.turn is null or new.turn is not null
    or new.text_sha256 is distinct from sha256(convert_to(old.turn::text, 'UTF8'))
    or (new.turn_id, new.agent_id, new.uid, new.cycle, new.recorded_at, new.xact) is distinct from (old.turn_id, old.agent_id, old.uid, old.cycle, old.recorded_at, old.xact)
  then
    raise exception 'turn is append-only, but for its text' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
drop trigger append_only on public.turn;
create trigger append_only before delete or truncate on public.turn for each statement execute function public.refuse_change();
create trigger text_goes before update on public.turn for each row execute function public.turn_text_goes();
alter table public.turn enable always trigger append_only;
alter table public.turn enable always trigger text_goes;

-- Pages of an agent's turns, and the search for old ones, never pass rows without a text.
drop index public.turn_by_agent;
create index turn_by_agent on public.turn (agent_id, recorded_at desc, turn_id desc) where turn is not null;
create index turn_by_age on public.turn (recorded_at) where turn is not null;
-- A row that changes moves to another page, so the order of pages says little about turns any more.
drop index public.turn_by_xact;
create index turn_by_xact on public.turn (xact);
create or replace function log.summarize() returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
  select brin_summarize_new_values(i) from unnest(array['ledger.transfer_by_xact', 'public.audit_by_xact']::regclass[]) i
$$;

-- Drops the text of turns from before a moment, the oldest first, at most so many; returns how many. 0 while another session is at it. The texts of the
-- last day stay whoever asks.
create function public.drop_turn_texts(before timestamptz, at_most integer) returns integer language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  dropped integer;
begin
  if before > now() - interval '1 day' then raise exception 'texts of the last day stay' using errcode = 'invalid_parameter_value'; end if;
  if at_most not between 1 and 10000 then raise exception 'drop 1 to 10000 texts at once' using errcode = 'invalid_parameter_value'; end if;
  if not pg_try_advisory_xact_lock(4832023) then return 0; end if;
  update public.turn t set turn = null, text_sha256 = sha256(convert_to(t.turn::text, 'UTF8'))
    where t.turn_id in (select o.turn_id from public.turn o where o.turn is not null and o.recorded_at < before order by o.recorded_at limit at_most);
  get diagnostics dropped = row_count;
  return dropped;
end $$;

revoke all on function public.turn_text_goes, public.drop_turn_texts from public;
grant execute on function public.drop_turn_texts to {app};
