/** The condition RulesChecked of Agents and Entitlements, on a real API server. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import type { EntitlementStatus } from '@hamlet/contract/kinds';
import type { KubeObject } from '@hamlet/kube';
import { until } from '@hamlet/test/env/until';
import { AGENTS, ENTITLEMENTS } from './objects/names.ts';
import { testVillage, type TestVillage } from './testing/test-village.ts';

let v: TestVillage;

const rules = (tools: readonly string[]): object => ({
  rules: [
    { tools, verdict: 'deny', examples: { match: [{ tool: 'shell', command: 'true && git push origin main' }] } },
  ],
});

before(async () => {
  v = await testVillage();
  await v.addNode('sparky1');
  await v.createTier('tier-0', { rank: 0, tools: rules(['spend']) });
  await v.startOperator();
});
after(async () => v.remove());

/** Waits for the condition RulesChecked of the tier. Returns its message. */
const ofTier = (wanted: string): Promise<string> =>
  until(`tier-0: ${wanted}`, async () => {
    const at = { namespace: v.namespace, name: 'tier-0' };
    const { status } = await v.server.client.get<KubeObject & { readonly status?: EntitlementStatus }>(
      ENTITLEMENTS,
      at,
    );
    const found = status?.conditions?.find(({ type }) => type === 'RulesChecked');
    return `${found?.status} ${found?.reason}` === wanted ? (found?.message ?? '') : false;
  });

test("the condition reports a tier's rule that contradicts its example, until it is corrected", async () => {
  assert.match(
    await ofTier('False RuleBroken'),
    /rule 1 must match shell with the command "true && git push origin main"/,
  );
  const at = { namespace: v.namespace, name: 'tier-0' };
  await v.server.client.mergePatch(ENTITLEMENTS, { spec: { tools: rules(['publish']) } }, at);
  assert.match(await ofTier('True ExamplesHold'), /^the example holds$/);
});

test("the condition reports an Agent's rule, while the Agent keeps running; without examples the condition is removed", async () => {
  await v.createAgent('ada', { tools: rules(['spend']) });
  assert.match(
    await v.condition('ada', 'RulesChecked False RuleBroken'),
    /rule 1 must match shell .*: correct the rule/,
  );
  await v.event('ada', 'RuleBroken');
  await v.runningPod('ada');
  const at = { namespace: v.namespace, name: 'ada' };
  await v.server.client.mergePatch(AGENTS, { spec: { tools: rules(['publish']) } }, at);
  await v.condition('ada', 'RulesChecked True ExamplesHold');
  await v.server.client.mergePatch(AGENTS, { spec: { tools: { rules: [{ tools: ['spend'], verdict: 'deny' }] } } }, at);
  await until('the condition is gone', async () => {
    const { conditions = [] } = await v.statusOf('ada');
    return conditions.length > 0 && conditions.every(({ type }) => type !== 'RulesChecked');
  });
});
