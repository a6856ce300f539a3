\set number random(1,16)
select count(*) filter (where refusal is null) from ledger.post_batch(replace((select body from bench_batch where number = :number), '#', gen_random_uuid()::text)::jsonb);
