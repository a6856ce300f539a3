-- The whole memory of agents is shown, in reports without a gap, and people see how their changes ended. ADR 116.
alter table agent_memory_state
  -- The place that the reports have reached; null before the first, and for agents that list all that they hold.
  add column mark bigint check (mark >= 0),
  -- Rows of agent_memory, and the bytes of their texts, names and people.
  add column shown bigint not null default 0 check (shown >= 0),
  add column shown_bytes bigint not null default 0 check (shown_bytes >= 0);
update agent_memory_state s set shown = m.shown, shown_bytes = m.bytes
from (
  select agent_uid, count(*) as shown, sum(octet_length(concat(text, about, speaker, repository, audience::text))) as bytes
  from agent_memory
  group by agent_uid
) m
where s.agent_uid = m.agent_uid;
create index agent_memory_of_kind on agent_memory (agent_uid, kind, since desc, memory_id desc);
create index agent_memory_by_words on agent_memory using gin (words);

-- Why the agent could not apply it.
alter table agent_memory_command
  add column refusal text check (refusal in ('no_such_memory', 'too_many_pins', 'memory_full', 'not_kept'));
create index agent_memory_command_of_person on agent_memory_command (agent_uid, by_id, number desc);

-- Agents reported it themselves before.
update agent_memory m set corrected = false
where corrected and not exists (
  select from agent_memory_command c where c.agent_uid = m.agent_uid and c.op = 'correct' and c.new_id = m.memory_id
);

grant select (mark, shown, shown_bytes) on agent_memory_state to {reader};
grant select (refusal) on agent_memory_command to {reader};
