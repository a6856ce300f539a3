-- Telegram numbers updates again, at random, after a week without one: a place that is this old counts no longer. ADR 137.
alter table channel_place add column moved_at timestamptz not null default now();

-- The message at a messenger that shows the report of a run (0037): the version shown last, and the edits so far.
alter table channel_run
  add column progress_id text check (length(progress_id) between 1 and 64),
  add column progress_version integer not null default 0 check (progress_version >= 0),
  add column progress_edits integer not null default 0 check (progress_edits between 0 and 20),
  add column progress_at timestamptz;
