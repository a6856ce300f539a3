-- A run whose calls are a cause for panic keeps its model for a last report, and can call nothing more. It fails with this code.
alter table run add column stopped_code text check (length(stopped_code) between 1 and 64);
