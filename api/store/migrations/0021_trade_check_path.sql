-- 0020_ledger_post.sql gave every function of the owner the path of pg_catalog alone. trade_check names tables of public, so that it found none of them.
alter function trade_check() set search_path = pg_catalog, public, pg_temp;
