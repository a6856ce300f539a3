/** Rules that an admin stores over HTTP, on two replicas: a change at one judges calls at the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VillageRule, VillageRules } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { refuses } from '@hamlet/test/env/client';
import { PermissionPlay } from '../testing/permission-play.ts';
import { clientOf, eventually, testVillage, TOKENS } from '../../testing/test-village.ts';

const DENIAL: VillageRule = { tools: ['network'], verdict: 'deny', reason: 'No net' };
const CHART: VillageRules = [{ tools: ['read', 'speak', 'exec'], verdict: 'allow' }, DENIAL];
const NARROW: VillageRules = [DENIAL, { tools: ['read'], verdict: 'allow', reason: 'Only look' }];

const village = await testVillage();
const environment = { HAMLET_TOOL_RULES: JSON.stringify(CHART) };
const [first, second] = [await village.startReplica(environment), await village.startReplica(environment)];
const permits = new PermissionPlay(second.peopleUrl);
const admin = clientOf(first.peopleUrl, TOKENS.admin);
const other = clientOf(second.peopleUrl, TOKENS.admin);
const versionOf = async (): Promise<string> => (await admin.getPolicy({})).village?.version ?? '';

test('a change is in force at the other replica, is audited once, and returns to the chart', async () => {
  await permits.play.everybody();
  const working = await permits.startRun('ada');
  let calls = 0;
  const runs = async (): Promise<boolean> => {
    const answer = await permits.begin(working, { callId: `1.${calls++}`, tool: 'shell', args: { command: 'ls' } });
    return answer.ok && answer.data.state !== 'denied';
  };
  assert.ok(await runs());
  const before = await versionOf();
  const changed = await admin.setVillageRules({ rules: NARROW, version: before });
  assert.deepEqual([changed.village?.source, changed.in_force], ['village', { of: 'village', rules: NARROW }]);
  await eventually('the denial at the other replica', async () => !(await runs()));
  const again = await admin.setVillageRules({ rules: NARROW, version: before });
  assert.equal(again.village?.version, changed.village?.version);
  await refuses(other.setVillageRules({ rules: CHART, version: before }), 'rules_changed');
  const back = await other.setVillageRules({ rules: null, version: await versionOf() });
  assert.deepEqual([back.village?.source, back.in_force], ['chart', { of: 'village', rules: CHART }]);
  await eventually('the allowance at the other replica', runs);
  const acts = (await readAudit(village.openDb(), 'rules', 10)).toReversed();
  assert.deepEqual(
    acts.map(({ action, detail }) => [action, (detail as { rules: unknown }).rules]),
    [
      ['village.rules', NARROW],
      ['village.rules', null],
    ],
  );
});

test('no admin drops a denial of the chart, or stores rules that contradict an example, are too long or unknown', async () => {
  const version = await versionOf();
  const allow: VillageRule = { tools: ['read'], verdict: 'allow' };
  await refuses(admin.setVillageRules({ rules: [allow], version }), 'policy_wrong', /the chart denies network/);
  const wrong = { ...allow, examples: { match: [{ tool: 'shell', when: 'run' as const }] } };
  await refuses(admin.setVillageRules({ rules: [DENIAL, wrong], version }), 'policy_wrong', /rule 2 must match shell/);
  const example = { tool: 'shell', when: 'run' as const, command: 'ls '.repeat(600) };
  const long = { tools: ['exec'], verdict: 'allow' as const, examples: { match: Array(20).fill(example) } };
  await refuses(admin.setVillageRules({ rules: [DENIAL, long, long], version }), 'policy_wrong', /bytes/);
  const unknown: VillageRule = { tools: ['no_such_tool'], verdict: 'allow' };
  await refuses(admin.setVillageRules({ rules: [DENIAL, unknown], version }), 'policy_wrong', /no_such_tool/);
  await refuses(clientOf(first.peopleUrl, TOKENS.member).setVillageRules({ rules: CHART, version }), 'forbidden');
  assert.equal(await versionOf(), version);
});

test('a chart that keeps its rules refuses every change', async () => {
  const kept = await village.startReplica({ ...environment, HAMLET_EDITABLE_RULES: 'false' });
  const there = clientOf(kept.peopleUrl, TOKENS.admin);
  const { village: about } = await there.getPolicy({});
  assert.equal(about?.editable, false);
  await refuses(there.setVillageRules({ rules: NARROW, version: about?.version ?? '' }), 'rules_locked');
});
