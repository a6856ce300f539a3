-- Functions with the owner's rights look for temporary objects last.
alter function board.post_behind(integer) set search_path = pg_catalog, pg_temp;
alter function board.reply_behind(integer) set search_path = pg_catalog, pg_temp;
