\set payee -64 * (:base + random(1,10000))
select ledger.post(ledger.village_account('treasury'), :payee, 1, gen_random_uuid()::text, 'reward', 'bench', '', 'system', 'bench', null, '{"related_post_id":"0199d2a1-0000-7000-8000-000000000001","traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}');
