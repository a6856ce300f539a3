\set s random(1,10000)
\set d 1 + (:s + random(1,9999) - 1) % 10000
select ledger.post(-64 * (:base + :s), -64 * (:base + :d), 1, gen_random_uuid()::text, 'adjustment', 'bench', '', 'system', 'bench');
