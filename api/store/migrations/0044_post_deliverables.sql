-- What a run publishes with a post: the deliverables that it names, and those pages that it opened to which the text links. ADR 86.
alter table board.post
  add column deliverables jsonb not null default '[]' check (jsonb_typeof(deliverables) = 'array' and jsonb_array_length(deliverables) <= 3),
  -- Null if no run wrote the text.
  add column sources jsonb check (jsonb_typeof(sources) = 'array' and jsonb_array_length(sources) <= 20);
alter table board.reply add column sources jsonb check (jsonb_typeof(sources) = 'array' and jsonb_array_length(sources) <= 20);

-- Written once, with the text: no role changes them.
grant insert (deliverables, sources) on board.post to {app};
grant insert (sources) on board.reply to {app};
