-- Notices that leave the village: mail and web push. ADR 146.
-- The code that confirms an address, which a mail brought. The row stays, so that a person sends few codes a day.
create table notice_code (
  account_id uuid primary key references account on delete cascade,
  address text not null check (octet_length(address) between 3 and 254),
  -- Null once it is used.
  code_hash bytea check (length(code_hash) = 32),
  expires_at timestamptz not null,
  sent_at timestamptz not null,
  -- Codes since `counted_from`.
  sent integer not null check (sent > 0),
  counted_from timestamptz not null
);

-- A confirmed address of a person, or a browser that takes web push.
create table notice_target (
  target_id uuid primary key default uuidv7(),
  account_id uuid not null references account on delete cascade,
  way text not null check (way in ('mail', 'push')),
  -- The address of mail, or the URL of the browser's push service.
  address text not null check (octet_length(address) between 3 and 1024),
  -- Its keys for encryption, only of a browser.
  p256dh text check (length(p256dh) = 87),
  auth text check (length(auth) = 22),
  name text not null check (length(name) between 1 and 64),
  wants text not null check (wants in ('off', 'needs', 'morning')),
  -- Ends mails without a sign-in.
  leave_token text unique check (length(leave_token) between 32 and 64),
  added_at timestamptz not null default now(),
  -- The next look at what waits for the person.
  due_at timestamptz not null default now(),
  -- The last notice, and the needs that it or an earlier one named and that still wait.
  sent_at timestamptz,
  noted text[] not null default '{}' check (cardinality(noted) <= 100),
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz,
  failure text check (length(failure) between 1 and 64),
  check ((way = 'mail') = (leave_token is not null)),
  check ((way = 'push') = (p256dh is not null and auth is not null)),
  check ((failures = 0) = (failing_since is null and failure is null))
);
create unique index notice_target_of_mail on notice_target (account_id) where way = 'mail';
create unique index notice_target_of_push on notice_target (address) where way = 'push';
create index notice_target_of_account on notice_target (account_id);
create index notice_target_due on notice_target (due_at) where wants <> 'off';

grant select, insert, update, delete on notice_code, notice_target to {app};

-- The id of the post, or of the reply, behind the newest so many of the board: a reader who may see few of them reads no more rows
-- than these. Null on a smaller board. It shows an id alone, so it passes row-level security.
create function board.post_behind(newest integer) returns uuid language sql stable security definer set search_path = pg_catalog as $$
  select post_id from board.post order by post_id desc offset newest limit 1
$$;
create function board.reply_behind(newest integer) returns uuid language sql stable security definer set search_path = pg_catalog as $$
  select reply_id from board.reply order by reply_id desc offset newest limit 1
$$;
revoke all on function board.post_behind, board.reply_behind from public;
grant execute on function board.post_behind, board.reply_behind to {app};
