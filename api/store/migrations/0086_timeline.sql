-- The timeline of an agent is one list of rows of several tables, newest first, in pages. All of them are ordered by a uuid of version 7.

-- The place of a row without such an id: a uuid of version 7 for its time, as uuidv7() makes them, with the end of its own id.
create function timeline_place(at timestamptz, id uuid) returns uuid
  language sql immutable parallel safe set search_path = pg_catalog
as $$
  select (lpad(to_hex(micros / 1000), 12, '0') || '7' || lpad(to_hex(micros % 1000 * 4096 / 1000), 3, '0')
    || '8' || substr(replace(id::text, '-', ''), 18))::uuid
  from (select (extract(epoch from at) * 1000000)::bigint as micros) moment
$$;

-- Runs outside of conversations, because a member's page skips the conversations of others.
create index run_outside_sessions on run (agent_id, run_id desc) where session_id is null;
create index transfer_of_reward on ledger.transfer (payee, transfer_id desc) where reason = 'reward';
create index transfer_of_penalty on ledger.transfer (payer, transfer_id desc) where reason = 'penalty';
create index standing_measure_in_timeline on standing_measure (agent_id, measure_id desc);
create index audit_in_timeline on audit (object, timeline_place(at, audit_id) desc)
  where action in ('awaken', 'suspend', 'reboot', 'sleep_idle', 'wake_idle', 'tier.balance');
