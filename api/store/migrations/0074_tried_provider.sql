-- What a passed test of a provider found, for the connection that the admin makes next. Null for tests before this version.
alter table tried_provider
  add column ms integer check (ms >= 0),
  add column abilities jsonb check (jsonb_typeof(abilities) = 'object');
