-- The api runs as {app}, which migrates nothing: it reads here whether the schema has what its version needs.
grant select on schema_migration to {app}, {reader};
