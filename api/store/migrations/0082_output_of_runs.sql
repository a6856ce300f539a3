-- The form in which a run must answer, and the answer of a run that is done. Both are JSON as text: the model reads the schema in the
-- order in which it was written, and numbers beyond 2^53 keep their digits.
create table run_output (
  run_id uuid primary key references run on delete cascade,
  schema text not null check (octet_length(schema) between 2 and 16384),
  output text check (char_length(output) between 1 and 65536)
);

grant select, insert, update (output) on run_output to {app};
-- No texts.
grant select (run_id) on run_output to {reader};
