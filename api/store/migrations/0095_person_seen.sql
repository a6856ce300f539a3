-- Each person's last look: at the village, and at single posts and sessions. ADR 143.
create table person_seen (
  person_id text not null check (length(person_id) between 1 and 300),
  -- Everything on the board and in sessions before the rows of `board` and `sessions` is read.
  thing text not null check (thing ~ '^(village|board|sessions|(post|session)/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$'),
  seen_at timestamptz not null,
  primary key (person_id, thing)
);
create index person_seen_by_age on person_seen (seen_at) where thing like '%/%';

grant select, insert, update, delete on person_seen to {app};

create index run_by_end on run (state, ended_at desc)
  where state in ('done', 'failed') and session_id is null and parent_run_id is null;
create index transfer_judging on ledger.transfer (transfer_id desc) where reason in ('reward', 'penalty');
create index account_by_creation on account (created_at desc);
