-- Failed runs, newest first: GET /me/needs has those that no later run follows up.
create index run_failed on run (ended_at desc) where state = 'failed' and kind <> 'worker';
