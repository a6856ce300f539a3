\set payee -64 * (:base + random(1,10000))
select ledger.post(:unsharded, :payee, 1, gen_random_uuid()::text, 'reward', 'bench', '', 'system', 'bench');
