-- Without pg_temp at the end, a temporary table of the API's role with the name run_taint would come first.
alter function run_takes_its_taint() set search_path = pg_catalog, public, pg_temp;
