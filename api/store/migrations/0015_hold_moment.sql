-- What is held at a past moment is final. A resolution is dated while it holds the account's row, as every posting is, so that once ledger.freeze has held that
-- row no resolution can be dated before the moment that it answered. Order of locks as before: the row of the open hold, then accounts by account_id.
create or replace function ledger.resolve_hold(id uuid, outcome ledger.outcome, part bigint, key text, actor_role text, actor_id text, about jsonb default null)
returns ledger.posted language plpgsql security definer set search_path = pg_catalog as $$
#variable_conflict use_variable
declare
  h ledger.hold; known ledger.resolution; at timestamptz; transfer uuid; spent bigint := 0;
begin
  select * into h from ledger.hold where hold_id = id;
  if not found then perform ledger.refuse('LD008'); end if;
  if outcome = 'posted' then
    spent := coalesce(part, h.amount);
    if spent < 1 then perform ledger.refuse('LD004'); end if;
    if spent > h.amount then perform ledger.refuse('LD011'); end if;
    transfer := uuidv7();
  end if;
  delete from ledger.open_hold where hold_id = id;
  if not found then
    select * into known from ledger.resolution where hold_id = id;
    if known.idempotency_key = key and known.outcome = outcome and known.amount = spent then return (known.transfer_id, true)::ledger.posted; end if;
    perform ledger.refuse('LD009');
  end if;
  -- Both accounts where money moves between them; the payer's alone where it only gets back what was held.
  perform 1 from ledger.account a where a.account_id = any (case outcome when 'posted' then array[h.payer, h.payee] else array[h.payer] end)
    order by a.account_id for no key update;
  at := clock_timestamp();
  if outcome = 'posted' and h.expires_at <= at then perform ledger.refuse('LD010'); end if;
  if outcome = 'expired' and h.expires_at > at then perform ledger.refuse('LD015'); end if;
  insert into ledger.resolution values (id, outcome, transfer, spent, key, at, actor_role, actor_id);
  if outcome = 'posted' then
    if (ledger.write(transfer, h.payer, h.payee, spent, key, h.reason, h.source, h.note, actor_role, actor_id, null, about, h.amount, true, true, null)).replayed then
      perform ledger.refuse('LD006');
    end if;
    return (transfer, false)::ledger.posted;
  end if;
  update ledger.account set held = held - h.amount where account_id = h.payer;
  return (null, false)::ledger.posted;
end $$;
