\set s random(1,10000)
\set d 1 + (:s + random(1,9999) - 1) % 10000
\set src -1 * :s
\set dst -1 * :d
select w.post(:src,:dst,1,gen_random_uuid()::text,'adjustment','bench','','system','bench',null,'{"related_post_id":"0199d2a1-0000-7000-8000-000000000001","traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}');
