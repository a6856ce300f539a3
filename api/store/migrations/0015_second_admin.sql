-- Whose hands an account has been in. Whoever makes an account or resets its password is shown a code that opens it, so that neither of the two approves what
-- the other one asks for.
create table account_hand (
  hand_id uuid primary key default uuidv7(),
  account_id uuid not null references account,
  act text not null check (act in ('made', 'reset')),
  by_role text not null,
  by_id text not null check (length(by_id) between 1 and 200),
  at timestamptz not null default now()
);
create index account_hand_by_account on account_hand (account_id);

-- What is known of the accounts that are there: the audit has it.
insert into account_hand (account_id, act, by_role, by_id, at)
  select a.account_id, case u.action when 'account.create' then 'made' else 'reset' end, u.actor_role, u.actor_id, u.at
  from audit u join account a on u.object = 'account ' || a.account_id where u.action in ('account.create', 'account.reset');

grant select, insert on account_hand to {app};
grant select on account_hand to {reader};
