-- The mind that works on a run, as its agent named it last: at a start, or with a renewal of the lease once a version is known.

alter table run add column mind jsonb check (jsonb_typeof(mind) = 'object');
grant select (mind) on run to {reader};
