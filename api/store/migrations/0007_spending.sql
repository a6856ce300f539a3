-- What running agents hold to run by. Lock order: operator_fence, a row of this table, then the ledger's, agent_tier, and the lock that orders internal_event last.

-- One row for each agent that holds money for a pod of a priced tier, or that could not pay for the tier it was to have. A row is changed by whoever
-- holds its lock; its history is in the ledger: every hold is of the key 'claim AGENT VERSION', and its resolution says what was used.
create sequence compute_claim_version;
create table compute_claim (
  agent_id text primary key check (length(agent_id) between 1 and 63),
  uid text not null check (length(uid) between 1 and 64),
  version bigint not null unique,
  cycle bigint not null check (cycle >= 0),
  asked_at timestamptz not null,
  -- What is held. told: the operator was told that no next hold could be taken.
  tier text check (length(tier) between 1 and 253),
  hold_id uuid unique references ledger.hold,
  per_hour bigint check (per_hour > 0),
  amount bigint check (amount > 0),
  until timestamptz,
  told boolean not null default false,
  -- The meter: time that was used of the hold, and since when the rest is counted.
  used_ms bigint not null default 0 check (used_ms >= 0),
  running_since timestamptz,
  pod_uid text check (length(pod_uid) between 1 and 64),
  image_digest text check (length(image_digest) between 1 and 512),
  traceparent text,
  -- What was asked for in vain.
  refused_tier text check (length(refused_tier) between 1 and 253),
  refused_reason text check (refused_reason in ('NotPaid', 'HoldRefused')),
  payable_tier text check (length(payable_tier) between 1 and 253),
  check (num_nulls(tier, hold_id, per_hour, amount, until) in (0, 5)),
  check (hold_id is not null or (used_ms = 0 and running_since is null and pod_uid is null)),
  check ((pod_uid is null) = (running_since is null)),
  check ((refused_tier is null) = (refused_reason is null)),
  check (refused_tier is not null or payable_tier is null),
  check (hold_id is not null or refused_tier is not null)
);
create index compute_claim_by_end on compute_claim (until) where hold_id is not null;

-- What is wrong between holds and claims: no hold for running without its claim, no claim without its hold. Rows for whoever looks.
create view compute_claim_fault as
  select 'hold_without_claim' as fault, h.hold_id, a.owner as agent_id
    from ledger.open_hold o join ledger.hold h using (hold_id) join ledger.account a on a.account_id = h.payer
    where h.idempotency_key like 'claim %' and not exists (select from compute_claim c where c.hold_id = h.hold_id)
  union all
  select 'claim_without_hold', c.hold_id, c.agent_id
    from compute_claim c where c.hold_id is not null and not exists (select from ledger.open_hold o where o.hold_id = c.hold_id);

-- The words of events are checked where they are written: every part of the village has its own.
alter table internal_event drop constraint internal_event_event_check;
alter table internal_event add constraint internal_event_event_check check (event ~ '^[a-z_]{1,32}$');

grant select, insert, update, delete on compute_claim to {app};
grant select on compute_claim_fault to {app};
grant usage on sequence compute_claim_version to {app};
grant select on compute_claim, compute_claim_fault to {reader};
