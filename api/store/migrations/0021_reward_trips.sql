-- Fewer round trips of a write, of a reward above all. These functions have the rights of whoever calls them and decide nothing that was decided
-- elsewhere before. Each statement of such a function sees what was committed before it began: what follows a lock is read after the lock.

-- Claims the key of a write until the end of the transaction, and reads the answer that is kept under it. In one SQL statement the answer would be
-- read as of before the claim, and a twin that has committed in between would be missed. claimed is false where another request holds the key now.
create function claim_key(of_actor text, of_key text) returns table (claimed boolean, request_hash bytea, status integer, answer jsonb)
language plpgsql as $$
#variable_conflict use_column
begin
  if not pg_try_advisory_xact_lock(hashtextextended(of_actor || chr(10) || of_key, 0)) then
    return query select false, null::bytea, null::integer, null::jsonb;
  else
    return query select true, k.request_hash, k.status, k.answer
      from (select) one left join public.idempotency_key k on k.actor = of_actor and k.key = of_key;
  end if;
end $$;

-- Locks the tiers of agents in the order of their ids, and reads them with the balances; an agent without a row gets one.
create function lock_tiers(of_agents text[]) returns table (agent_id text, balance_tier text, balance bigint)
language plpgsql as $$
#variable_conflict use_column
begin
  insert into public.agent_tier (agent_id) select distinct id from unnest(of_agents) id order by id on conflict do nothing;
  perform from public.agent_tier t where t.agent_id = any (of_agents) order by t.agent_id for update;
  return query select t.agent_id, t.balance_tier, coalesce(a.balance, 0)
    from public.agent_tier t left join ledger.account a on a.book = 'agent' and a.owner = t.agent_id and a.shard = 0
    where t.agent_id = any (of_agents) order by t.agent_id;
end $$;

-- Takes the lock that orders internal events, and then reads how agents stand: whoever announced them meanwhile has committed, and is seen.
create function lock_standings(order_lock bigint, of_agents text[]) returns table (agent_id text, balance_tier text, measures jsonb)
language plpgsql as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(order_lock);
  return query
    select agent_id, t.balance_tier, coalesce(m.held, '[]')
    from (select k.agent_id, k.balance_tier from public.agent_tier k where k.agent_id = any (of_agents)) t
    full join (
      select s.agent_id, jsonb_agg(jsonb_build_object('measure', s.measure, 'reason', s.reason)) as held from public.standing_measure s
      where s.agent_id = any (of_agents) and s.lifted_at is null and (s.expires_at is null or s.expires_at > now()) group by s.agent_id
    ) m using (agent_id)
    order by agent_id;
end $$;

-- Says for the rest of the transaction who looks at the board, and finds what an id names to them: a post or a reply. took_part: the agent wrote it,
-- or a reply to it. Row-level security reads who looks, so that has to be said before the query begins.
create function board.find_related(viewer_role text, viewer_actor text, id uuid, of_agent text)
returns table (post_id uuid, reply_id uuid, took_part boolean) language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('hamlet.role', viewer_role, true), set_config('hamlet.actor', viewer_actor, true);
  return query
    select p.post_id, null::uuid, (p.author_type = 'agent' and p.author_id = of_agent)
        or exists (select from board.reply r where r.post_id = p.post_id and r.author_type = 'agent' and r.author_id = of_agent)
      from board.post p where p.post_id = id
    union all select r.post_id, r.reply_id, r.author_type = 'agent' and r.author_id = of_agent from board.reply r where r.reply_id = id;
end $$;

-- What became of a judgement. refusal is an SQLSTATE: one of the ledger's, or JD001 where the allowance of the day does not reach; then available is
-- what the account, or the day, could still give. Otherwise the entry of the agent's account.
create type ledger.judged as (
  refusal text, available bigint, transfer_id uuid, replayed boolean, version bigint, amount bigint, balance_after bigint, created_at timestamptz
);

-- Moves money between the treasury and an agent's account, draws it on the allowance of the actor's day (day_limit; null: it is not counted), and
-- counts it to the post or reply that it names. All or none of it: what is refused leaves no trace. Under a key that was posted before, only the
-- entry is read. opens: an agent without an account gets one.
create function ledger.judge(
  kind ledger.reason, of_agent text, opens boolean, micro bigint, key text, source text, note text, actor_role text, actor_id text, about jsonb,
  of_day date, day_limit bigint, of_post uuid, of_reply uuid
) returns ledger.judged language plpgsql as $$
#variable_conflict use_variable
declare
  account bigint := (select a.account_id from ledger.account a where a.book = 'agent' and a.owner = of_agent and a.shard = 0);
  treasury constant bigint := ledger.village_account('treasury');
  is_reward constant boolean := kind = 'reward';
  posted ledger.posted;
  result ledger.judged;
begin
  if account is null and opens then account := ledger.open_agent(of_agent); end if;
  if account is null then
    result.refusal := 'LD003';
    return result;
  end if;
  posted := ledger.post(case when is_reward then treasury else account end, case when is_reward then account else treasury end,
    micro, key, kind, source, note, actor_role, actor_id, null, about);
  select null::text, null::bigint, posted.transfer_id, posted.replayed, e.version, e.amount, e.balance_after, e.created_at into result
    from ledger.transfer t join ledger.entry e on e.account_id = account and e.version = case t.payer when account then t.payer_version else t.payee_version end
    where t.transfer_id = posted.transfer_id;
  if posted.replayed then return result; end if;
  if day_limit is not null then
    insert into ledger.allowance as a (member_id, day, used) select actor_id, of_day, micro where micro <= day_limit
      on conflict (member_id, day) do update set used = a.used + excluded.used where a.used + excluded.used <= day_limit;
    if not found then raise exception 'the allowance of the day does not reach' using errcode = 'JD001'; end if;
  end if;
  if of_post is not null then
    insert into board.outbox (what, post_id, reply_id, rewarded) values ('rewarded', of_post, of_reply, result.amount);
  end if;
  return result;
exception when others then
  if sqlstate !~ '^(LD|JD)' then raise; end if;
  return (sqlstate, case sqlstate
    when 'LD001' then coalesce((select a.balance - a.held from ledger.account a where a.account_id = account), 0)
    when 'JD001' then greatest(day_limit - coalesce((select a.used from ledger.allowance a where a.member_id = actor_id and a.day = of_day), 0), 0)
  end, null, null, null, null, null, null)::ledger.judged;
end $$;

revoke all on function claim_key, lock_tiers, lock_standings, board.find_related, ledger.judge from public;
grant execute on function claim_key, lock_tiers, lock_standings, board.find_related, ledger.judge to {app};
