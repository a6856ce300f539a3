import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EntitlementBody } from '../routes/entitlements.ts';
import { Limits } from '../routes/agents.ts';
import { TierChange } from '../routes/trade/quote.ts';
import { EntitlementSpec } from './entitlement.ts';
import { TIER_LIMITS, tierLimitsBy } from './tier-limits.ts';

test('each limit of a tier is in the custom resource, in the body and the view of the API, and in the differences of tiers', () => {
  const most = { ...tierLimitsBy('field', ({ max }) => max), models: [] };
  const written = { ...tierLimitsBy('name', ({ max }) => max), models: [] };
  assert.deepEqual(EntitlementSpec.parse({ rank: 0, limits: most }).limits, most);
  assert.deepEqual(EntitlementBody.parse({ rank: 0, limits: written }).limits, written);
  assert.deepEqual(Limits.parse(written), written);
  for (const { field, name, max, usual } of TIER_LIMITS) {
    const above = { ...most, [field]: max + 1 };
    assert.ok(!EntitlementSpec.safeParse({ rank: 0, limits: above }).success, field);
    assert.ok(!EntitlementBody.safeParse({ rank: 0, limits: { ...written, [name]: max + 1 } }).success, name);
    assert.ok(TierChange.safeParse({ what: name, from: '0', to: '1' }).success, name);
    const { [field]: _, ...without } = most;
    const read = EntitlementSpec.safeParse({ rank: 0, limits: without });
    assert.equal(read.data?.limits[field], usual ?? undefined, `${field} may be left out only if it came later`);
  }
});
