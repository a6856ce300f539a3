\set d random(1,10000)
select ledger.post(ledger.village_account('treasury'), -64 * (:base + :d), 1, gen_random_uuid()::text, 'reward', 'bench', '', 'system', 'bench');
