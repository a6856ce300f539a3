\set number random(1,16)
select count(*) filter (where refusal is null) from bench_batch b, ledger.post_batch(b.payer::bigint[], b.payee::bigint[], b.amount::bigint[], replace(b.key, '#', gen_random_uuid()::text)::text[], b.reason::ledger.reason[], b.source::text[], b.note::text[], b.actor_role::text[], b.actor_id::text[]) where b.number = :number;
