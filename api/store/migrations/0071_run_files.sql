-- Files that people give with a message, until its run ends. The agent writes them to its workspace when it works on the run.
create table run_file (
  run_id uuid not null references run on delete cascade,
  -- Below the workspace.
  path text not null check (char_length(path) between 1 and 300),
  sha256 bytea not null check (octet_length(sha256) = 32),
  content bytea not null check (octet_length(content) between 1 and 524288),
  primary key (run_id, path)
);

create function run_ends_its_files() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from run_file where run_id = new.run_id;
  return null;
end $$;
create trigger ends_its_files after update of state on run for each row
  when (new.state in ('done', 'failed', 'cancelled') and old.state is distinct from new.state)
  execute function run_ends_its_files();

grant select, insert, delete on run_file to {app};
-- No names and no bytes.
grant select (run_id, sha256) on run_file to {reader};
