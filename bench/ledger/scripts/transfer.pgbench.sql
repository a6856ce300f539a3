\set s random(1,10000)
\set d 1 + (:s + random(1,9999) - 1) % 10000
\set payer -64 * (:base + :s)
\set payee -64 * (:base + :d)
select ledger.post(:payer, :payee, 1, gen_random_uuid()::text, 'adjustment', 'bench', '', 'system', 'bench');
