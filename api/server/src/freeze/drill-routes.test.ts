/** Figures of drills over HTTP: acts of the audit, of which people see the newest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DrillReport } from '@hamlet/contract';
import { refuses } from '@hamlet/test/env/client';
import { clientOf, testVillage, TOKENS } from '../testing/test-village.ts';

const village = await testVillage();
const { peopleUrl } = await village.startReplica();
const [admin, member] = [clientOf(peopleUrl, TOKENS.admin), clientOf(peopleUrl, TOKENS.member)];
const report = (maxMs: number): DrillReport => ({
  version: '0.1.0',
  figures: [{ brake: 'Kill of an agent', effects: 'word', trials: 5, p50_ms: 1, max_ms: maxMs, held: true }],
  left_out: [],
});

test('the newest of two drills is shown, and the audit has both with their author', async () => {
  assert.deepEqual(await admin.getLastDrill(), { drill: null });
  await admin.recordDrill(report(400));
  await admin.recordDrill(report(300));
  const { drill } = await admin.getLastDrill();
  assert.equal(drill?.figures[0]?.max_ms, 300);
  const { records } = await admin.listAudit({ action: 'village.drill' });
  assert.deepEqual(
    records.map(({ action, actor_role, object }) => [action, actor_role, object]),
    Array.from({ length: 2 }, () => ['village.drill', 'admin', 'brakes of the village']),
  );
});

test('a member neither records nor sees drills, and a drill without a brake is refused', async () => {
  await refuses(member.recordDrill(report(1)), 'forbidden');
  await refuses(member.getLastDrill(), 'forbidden');
  await refuses(admin.recordDrill({ ...report(1), figures: [] }), 'validation_failed');
});
