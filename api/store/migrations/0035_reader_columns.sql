-- The role of readers sees numbers, states and times, and no text that a person or an agent wrote for few: prompts, answers, events, arguments, replies, turns.
-- It keeps the columns of today that are not named here; a later column needs a grant of its own.
do $$
declare
  hidden record;
  shown text;
begin
  for hidden in
    select * from (values
      ('run', array['prompt', 'summary', 'error_message']),
      ('run_event', array['detail']),
      ('permission', array['arguments', 'reason', 'question', 'reply']),
      ('effect', array['outcome']),
      ('turn', array['turn']),
      ('run_offer', array['reason']),
      ('personality', array['text', 'reason'])
    ) as t (name, columns)
  loop
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into shown from pg_attribute a
      where a.attrelid = format('public.%I', hidden.name)::regclass and a.attnum > 0 and not a.attisdropped and a.attname <> all (hidden.columns);
    execute format('revoke select on public.%I from {reader}', hidden.name);
    execute format('grant select (%s) on public.%I to {reader}', shown, hidden.name);
  end loop;
end $$;
