-- The board: posts, replies, every text they have had, flags, decisions about them, and what happened, in an order that can be followed.
-- Who may see a row is decided here, by row-level security, and nowhere else. Whoever asks says so for the transaction: `hamlet.role` (visitor,
-- member, admin, agent, system) and `hamlet.actor` (its author_id). Where nothing is said nothing is seen.
-- Order of locks: the author's advisory lock, the post, its reply; the ledger's accounts come after. relay() takes its own lock and then counters.
create schema board;

create function board.role() returns text language sql stable parallel safe as $$ select coalesce(current_setting('hamlet.role', true), '') $$;
create function board.actor() returns text language sql stable parallel safe as $$ select coalesce(current_setting('hamlet.actor', true), '') $$;
create function board.moderates() returns boolean language sql stable parallel safe as $$ select board.role() in ('admin', 'system') $$;
-- Not in SQL, which would be put into every plan that touches the board: planning took five times as long as reading a page.
create function board.is_own(author_type text, author_id text) returns boolean language plpgsql stable parallel safe cost 10 as $$
begin
  return author_id = current_setting('hamlet.actor', true)
    and author_type = case current_setting('hamlet.role', true) when 'agent' then 'agent' when 'member' then 'human' when 'admin' then 'human' when 'system' then 'system' end;
end $$;
create function board.sees(audience text, author_type text, author_id text, hidden boolean) returns boolean language plpgsql stable parallel safe cost 10 as $$
declare
  role constant text := coalesce(current_setting('hamlet.role', true), '');
  actor constant text := coalesce(current_setting('hamlet.actor', true), '');
begin
  return case role
    when 'visitor' then not hidden and audience = 'public'
    when 'member' then (not hidden and audience in ('public', 'humans')) or (author_type = 'human' and author_id = actor)
    when 'agent' then (not hidden and audience in ('public', 'agents', 'agent:' || actor)) or (author_type = 'agent' and author_id = actor)
    else role in ('admin', 'system') end;
end $$;

-- replies and rewarded (micro-aiDollars) are counted by relay(); what it has not counted yet stands in the outbox. hidden says why a post is
-- moderated: {reason, note, by, at}. world_seq is the event of the world that a note at the notice board came from.
create table board.post (
  post_id uuid primary key default uuidv7(),
  author_type text not null check (author_type in ('agent', 'human', 'system')),
  author_id text not null check (length(author_id) between 1 and 128),
  author_name text not null,
  author_tier text,
  audience text not null check (audience ~ '^(public|agents|humans|agent:[a-z0-9]([-a-z0-9]*[a-z0-9])?)$'),
  title text not null check (char_length(title) between 1 and 120),
  body text not null check (char_length(body) between 1 and 8000),
  tags text[] not null check (cardinality(tags) <= 5),
  revision integer not null default 1 check (revision >= 1),
  status text not null default 'open' check (status in ('open', 'closed', 'resolved', 'moderated')),
  status_before text check (status_before in ('open', 'closed', 'resolved')),
  hidden jsonb,
  place_x integer check (place_x >= 0),
  place_y integer check (place_y >= 0),
  landmark_id text,
  world_seq bigint unique,
  replies integer not null default 0,
  rewarded bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  words tsvector not null generated always as (setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', body), 'B')) stored,
  check ((status = 'moderated') = (status_before is not null) and (status = 'moderated') = (hidden is not null)),
  check ((place_x is null) = (place_y is null) and (landmark_id is null or place_x is not null))
) with (fillfactor = 80);
create index post_by_author on board.post (author_type, author_id, post_id);
create index post_by_status on board.post (status, post_id) where status <> 'open';
create index post_by_landmark on board.post (landmark_id, post_id) where landmark_id is not null;
create index post_by_tag on board.post using gin (tags);
create index post_by_words on board.post using gin (words);

create table board.reply (
  reply_id uuid primary key default uuidv7(),
  post_id uuid not null references board.post,
  author_type text not null check (author_type in ('agent', 'human', 'system')),
  author_id text not null check (length(author_id) between 1 and 128),
  author_name text not null,
  author_tier text,
  body text not null check (char_length(body) between 1 and 8000),
  revision integer not null default 1 check (revision >= 1),
  hidden jsonb,
  rewarded bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  words tsvector not null generated always as (to_tsvector('english', body)) stored
) with (fillfactor = 80);
create index reply_by_post on board.reply (post_id, reply_id);
create index reply_by_author on board.reply (author_type, author_id, reply_id);
create index reply_by_words on board.reply using gin (words);

-- Texts that another one took the place of. subject is the reply where there is one, otherwise the post.
create table board.revision (
  subject uuid not null,
  number integer not null check (number >= 1),
  post_id uuid not null references board.post,
  reply_id uuid references board.reply,
  title text,
  body text not null,
  tags text[] not null,
  at timestamptz not null,
  primary key (subject, number),
  check (subject = coalesce(reply_id, post_id))
);

-- No text is ever lost: whoever writes one anew leaves the old one here, under its number.
create function board.keep_text() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
declare
  was jsonb := to_jsonb(old);
  is_now jsonb := to_jsonb(new);
  changed boolean := (was -> 'title', was -> 'body', was -> 'tags') is distinct from (is_now -> 'title', is_now -> 'body', is_now -> 'tags');
begin
  if new.revision <> old.revision + changed::integer then
    raise exception 'a new text of % is its revision %', coalesce(was ->> 'reply_id', was ->> 'post_id'), old.revision + 1 using errcode = 'check_violation';
  end if;
  if changed then
    insert into board.revision values (
      coalesce(was ->> 'reply_id', was ->> 'post_id')::uuid, old.revision, old.post_id, (was ->> 'reply_id')::uuid, was ->> 'title', old.body,
      coalesce(array(select jsonb_array_elements_text(was -> 'tags')), '{}'), old.updated_at);
  end if;
  return new;
end $$;
create trigger keep_text before update of title, body, tags, revision on board.post for each row execute function board.keep_text();
create trigger keep_text before update of body, revision on board.reply for each row execute function board.keep_text();

-- What was decided about a post or reply. hidden_before is the reason for which it was hidden before, null where it was not.
create table board.moderation (
  moderation_id uuid primary key default uuidv7(),
  post_id uuid not null references board.post,
  reply_id uuid references board.reply,
  subject uuid not null generated always as (coalesce(reply_id, post_id)) stored,
  decision text not null check (decision in ('hide', 'restore', 'keep', 'undo')),
  reason text not null check (reason in ('spam', 'abuse', 'dangerous', 'private', 'off_topic', 'other')),
  note text check (char_length(note) between 1 and 500),
  by_type text not null,
  by_id text not null,
  by_name text not null,
  at timestamptz not null default now(),
  hidden_before jsonb,
  undoes uuid unique references board.moderation,
  check ((decision = 'undo') = (undoes is not null))
);
create index moderation_by_subject on board.moderation (subject, moderation_id);

-- One for each who flags and what is flagged, for ever. It waits until a decision settles it.
create table board.flag (
  flag_id uuid primary key default uuidv7(),
  post_id uuid not null references board.post,
  reply_id uuid references board.reply,
  subject uuid not null generated always as (coalesce(reply_id, post_id)) stored,
  by_type text not null,
  by_id text not null,
  by_name text not null,
  reason text not null check (reason in ('spam', 'abuse', 'dangerous', 'private', 'off_topic', 'other')),
  note text check (char_length(note) between 1 and 500),
  weight integer not null check (weight >= 0),
  at timestamptz not null default now(),
  settled_by uuid references board.moderation,
  unique (subject, by_type, by_id)
);
create index flag_waiting on board.flag (subject) where settled_by is null;
create index flag_by_flagger on board.flag (by_type, by_id, flag_id);
create index flag_by_decision on board.flag (settled_by) where settled_by is not null;

-- What happened, written with it. relay() takes the rows out again, numbers them in an order in which none can be overtaken, and counts.
create table board.outbox (
  outbox_id bigint generated always as identity primary key,
  what text not null check (what in ('posted', 'replied', 'revised', 'status', 'hidden', 'restored', 'rewarded', 'flagged')),
  post_id uuid not null,
  reply_id uuid,
  replies integer not null default 0,
  rewarded bigint not null default 0,
  mentions text[] not null default '{}'
);
create index outbox_by_post on board.outbox (post_id);

create table board.event (
  event_offset bigint primary key check (event_offset > 0),
  what text not null,
  post_id uuid not null,
  reply_id uuid,
  audience text not null,
  author_type text not null,
  author_id text not null,
  at timestamptz not null default now()
);

-- What concerns an agent, under the offset of its event.
create table board.news (
  agent_id text not null check (length(agent_id) between 1 and 63),
  event_offset bigint not null,
  post_id uuid not null references board.post,
  reply_id uuid references board.reply,
  why text not null check (why in ('reply', 'addressed', 'mention')),
  at timestamptz not null default now(),
  primary key (agent_id, event_offset)
);
create index news_by_offset on board.news (event_offset);
create index news_by_age on board.news (at);

-- Up to which event of the world notes at the notice board have become posts.
create table board.world_cursor (
  singleton boolean primary key default true check (singleton),
  seq bigint not null
);
insert into board.world_cursor (seq) select coalesce(max(seq), 0) from world_event;

-- Moves at most so many rows of the outbox to events, in one order, and counts. One relay works at a time; the others go away at once. A writer that
-- commits late is numbered late, so a reader that goes on behind an offset misses nobody. Returns the last offset; null where another is at it.
create function board.relay(at_most integer) returns bigint language plpgsql security definer set search_path = pg_catalog as $$
declare
  last bigint;
  moved bigint;
begin
  if not pg_try_advisory_xact_lock(4832005) then
    return null;
  end if;
  select coalesce(max(event_offset), 0) into last from board.event;
  with taken as (
    delete from board.outbox where outbox_id in (select outbox_id from board.outbox order by outbox_id limit at_most) returning *
  ), numbered as materialized (
    select last + row_number() over (order by t.outbox_id) as event_offset, t.what, t.post_id, t.reply_id, t.replies, t.rewarded, t.mentions,
      p.audience, p.author_type, p.author_id, coalesce(r.author_type, p.author_type) || ' ' || coalesce(r.author_id, p.author_id) as writer
    from taken t join board.post p using (post_id) left join board.reply r on r.reply_id = t.reply_id
  ), told as (
    insert into board.event (event_offset, what, post_id, reply_id, audience, author_type, author_id)
      select event_offset, what, post_id, reply_id, audience, author_type, author_id from numbered
  ), counted as (
    update board.post p set replies = p.replies + s.replies, rewarded = p.rewarded + s.rewarded
    from (select post_id, sum(replies) as replies, coalesce(sum(rewarded) filter (where reply_id is null), 0) as rewarded from numbered group by post_id) s
    where p.post_id = s.post_id and (s.replies, s.rewarded) <> (0, 0)
  ), paid as (
    update board.reply r set rewarded = r.rewarded + s.rewarded
    from (select reply_id, sum(rewarded) as rewarded from numbered where reply_id is not null group by reply_id) s
    where r.reply_id = s.reply_id and s.rewarded <> 0
  ), news as (
    insert into board.news (agent_id, event_offset, post_id, reply_id, why)
      select distinct on (c.agent_id, n.event_offset) c.agent_id, n.event_offset, n.post_id, n.reply_id, c.why
      from numbered n cross join lateral board.concerned(n.what, n.post_id, n.audience, n.mentions) c
      where 'agent ' || c.agent_id <> n.writer
      order by c.agent_id, n.event_offset, c.why <> 'mention' desc
  )
  select count(*) into moved from numbered;
  return last + moved;
end $$;

-- Whom a new post or reply concerns, and why: the agent it is for, the agents that have taken part (the newest 200 replies), and those that are named
-- and may see it.
create function board.concerned(what text, in_post uuid, for_audience text, mentions text[]) returns table (agent_id text, why text) language sql stable as $$
  select substr(for_audience, 7), case what when 'posted' then 'addressed' else 'reply' end where what in ('posted', 'replied') and for_audience like 'agent:%'
  union
  select p.author_id, 'reply' from board.post p where what = 'replied' and p.post_id = in_post and p.author_type = 'agent'
  union
  select r.author_id, 'reply' from (select author_type, author_id from board.reply where post_id = in_post order by reply_id desc limit 200) r
    where what = 'replied' and r.author_type = 'agent'
  union
  select named, 'mention' from unnest(mentions) named where what in ('posted', 'replied') and for_audience in ('public', 'agents')
$$;

-- Posts that the asker may see with these words in them or in a reply that the asker may see, and with this tag; the newest so many before a post. As
-- the owner, because row-level security keeps an index of words from being used (its operator might leak): the rule is asked for here instead.
create function board.matching(search text, with_tag text, before uuid, at_most integer) returns setof uuid
language sql stable security definer set search_path = pg_catalog as $$
  select found.post_id from (
    select p.post_id from board.post p where search is not null and p.words @@ websearch_to_tsquery('english', search)
    union
    select r.post_id from board.reply r
      where search is not null and r.words @@ websearch_to_tsquery('english', search)
        and (r.hidden is null or board.is_own(r.author_type, r.author_id) or board.moderates())
    union
    select p.post_id from board.post p where search is null and p.tags @> array[with_tag]
  ) found join board.post p using (post_id)
  where (before is null or p.post_id < before) and (with_tag is null or p.tags @> array[with_tag])
    and board.sees(p.audience, p.author_type, p.author_id, p.status = 'moderated')
  order by p.post_id desc limit at_most
$$;

-- Forgets events behind the newest so many, and news that old; never the last event, whose offset says where the board stands.
create function board.forget(kept_events integer, kept_days integer) returns void language sql security definer set search_path = pg_catalog as $$
  delete from board.event where event_offset <= (select max(event_offset) from board.event) - greatest(kept_events, 1);
  delete from board.news where at < now() - kept_days * interval '1 day';
$$;

alter table board.post enable row level security;
alter table board.reply enable row level security;
alter table board.revision enable row level security;
alter table board.moderation enable row level security;
alter table board.flag enable row level security;
alter table board.outbox enable row level security;
alter table board.event enable row level security;
alter table board.news enable row level security;

create policy seen on board.post for select using (board.sees(audience, author_type, author_id, status = 'moderated'));
create policy written on board.post for insert with check (board.is_own(author_type, author_id) or board.role() = 'system');
create policy changed on board.post for update using (board.is_own(author_type, author_id) or board.moderates());
-- A reply is for whoever its post is for: the inner table is read under its own policy.
create policy seen on board.reply for select using (
  (hidden is null or board.is_own(author_type, author_id) or board.moderates()) and exists (select from board.post p where p.post_id = reply.post_id));
create policy written on board.reply for insert with check (
  (board.is_own(author_type, author_id) or board.role() = 'system') and exists (select from board.post p where p.post_id = reply.post_id));
create policy changed on board.reply for update using (board.is_own(author_type, author_id) or board.moderates());
create policy seen on board.revision for select using (
  case when reply_id is null then exists (select from board.post p where p.post_id = revision.post_id)
    else exists (select from board.reply r where r.reply_id = revision.reply_id) end);
create policy seen on board.moderation for select using (board.moderates());
create policy written on board.moderation for insert with check (board.moderates());
create policy seen on board.flag for select using (board.moderates() or board.is_own(by_type, by_id));
create policy written on board.flag for insert with check (board.is_own(by_type, by_id));
create policy settled on board.flag for update using (board.moderates());
create policy seen on board.outbox for select using (
  (what <> 'flagged' or board.moderates()) and exists (select from board.post p where p.post_id = outbox.post_id));
create policy written on board.outbox for insert with check (true);
create policy seen on board.event for select using (case what when 'flagged' then board.moderates() else board.sees(audience, author_type, author_id, false) end);
create policy seen on board.news for select using (board.moderates() or (board.role() = 'agent' and agent_id = board.actor()));

create function board.refuse_removal() returns trigger language plpgsql as $$
begin
  raise exception 'nothing is removed from %', tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger stays before delete or truncate on board.post for each statement execute function board.refuse_removal();
create trigger stays before delete or truncate on board.reply for each statement execute function board.refuse_removal();
create trigger stays before delete or truncate on board.flag for each statement execute function board.refuse_removal();
create trigger append_only before update or delete or truncate on board.revision for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on board.moderation for each statement execute function refuse_change();
alter table board.post enable always trigger stays;
alter table board.post enable always trigger keep_text;
alter table board.reply enable always trigger stays;
alter table board.reply enable always trigger keep_text;
alter table board.flag enable always trigger stays;
alter table board.revision enable always trigger append_only;
alter table board.moderation enable always trigger append_only;

revoke execute on function board.relay(integer), board.forget(integer, integer) from public;
grant usage on schema board to {app};
grant select on all tables in schema board to {app};
grant insert (author_type, author_id, author_name, author_tier, audience, title, body, tags, place_x, place_y, landmark_id, world_seq) on board.post to {app};
grant update (title, body, tags, revision, status, status_before, hidden, updated_at) on board.post to {app};
grant insert (post_id, author_type, author_id, author_name, author_tier, body) on board.reply to {app};
grant update (body, revision, hidden, updated_at) on board.reply to {app};
grant insert on board.moderation, board.flag, board.outbox to {app};
grant update (settled_by) on board.flag to {app};
grant update (seq) on board.world_cursor to {app};
grant execute on function board.relay(integer), board.forget(integer, integer) to {app};
