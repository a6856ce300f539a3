-- A parked run is queued, and its agent starts it again at parked_until: its model could not be reached, for the reason in parked_code.
-- Both columns stay after that time, until the run starts again; an older API starts such a run at once, which does no harm.
alter table run
  add column parked_until timestamptz,
  add column parked_code text check (length(parked_code) between 1 and 64),
  add constraint run_parked check ((parked_until is null) = (parked_code is null));
