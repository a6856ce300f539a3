/** In a real browser: the memory of a repository in the panel of an agent, and its deletion by a person. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { useRepositoryMemory, type CallInput } from '@hamlet/contract';
import { PermissionPlay } from '../../../api/server/src/permissions/testing/permission-play.ts';
import { until } from '../until.ts';
import { visit } from '../browser.ts';
import { startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

const REPOSITORY = 'git.example.org/town/bakery';
const agentFile = (name: string): string => `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: ${name} }
spec:
  displayName: ${name}
  entitlement: { policy: Pinned, name: tier-1 }
  repository: { url: "https://${REPOSITORY}.git" }
`;

let stage: ViewerStage;
let permits: PermissionPlay;

before(async () => {
  stage = await startViewerStage({ kim: 'member', agents: { ada: agentFile('ada'), bob: agentFile('bob') } });
  permits = new PermissionPlay(stage.url);
  await permits.play.everybody();
  await write('ada', [
    note('m-000000000001', 'Rye needs 40 minutes at 230 degrees; wheat needs 25.', 'baking'),
    { op: 'add', name: 'oven', type: 'thing', observations: ['It is hot.', 'It has two doors.'] },
    { op: 'relate', from: 'oven', to: 'bakery', type: 'stands in' },
    { op: 'pin', memory_id: 'm-000000000001', pinned: true },
  ]);
  await write('bob', [{ op: 'add', name: 'oven', type: 'thing', observations: ['Bob cleaned it.'] }]);
});
after(() => stage?.remove());

type Changes = NonNullable<CallInput<typeof useRepositoryMemory>['body']['changes']>;

const note = (name: string, text: string, about: string): Changes[number] => ({
  op: 'add',
  name,
  type: 'note',
  observations: [text],
  about,
});

async function write(agentId: 'ada' | 'bob', changes: Changes): Promise<void> {
  const { runId: run_id, cycle, attempt } = await permits.startRun(agentId);
  await permits.play.as(agentId).useRepositoryMemory({ run_id, cycle, attempt, changes });
  await permits.endAll();
}

testOnDevices('the panel of an agent shows the memory of its repository', async (viewer, name) => {
  const { page } = viewer;
  await visit(page, '?agent=ada&tab=now');
  const memory = page.locator(`.memory[data-repository="${REPOSITORY}"]`);
  await memory.waitFor();
  assert.match(await memory.innerText(), /3 entries/);
  await memory.getByRole('button').first().click();
  const oven = memory.locator('.memory-entry', { hasText: 'two doors' });
  await oven.waitFor();
  assert.match(await oven.innerText(), /oven \(thing\)[^]*Bob cleaned it[^]*From outside[^]*Begun by ada/);
  await memory.locator('.memory-entry', { hasText: 'oven → stands in → bakery' }).waitFor();
  await oven.scrollIntoViewIfNeeded();
  await stage.shot(viewer, `memory-${name}`);
});

test('a person deletes an entry, and after a confirmation the whole memory', async (context) => {
  const viewer = await stage.viewer({});
  context.after(() => viewer.close());
  const { page } = viewer;
  await stage.signIn(viewer, 'kim');
  await visit(page, '?agent=ada&tab=now');
  const memory = page.locator(`.memory[data-repository="${REPOSITORY}"]`);
  await memory.getByRole('button').first().click();
  const oven = memory.locator('.memory-entry', { hasText: 'two doors' });
  await oven.getByRole('button', { name: /^Delete/ }).click();
  await oven.waitFor({ state: 'detached' });
  const left = async (): Promise<number> =>
    (await permits.play.admin.getRepositoryMemory({ repository: REPOSITORY })).entries.length;
  assert.equal(await left(), 2);
  await memory.locator('[data-action="ask-forget-memory"]').click();
  await stage.shot(viewer, 'memory-question');
  await memory.locator('[data-action="forget-memory"]').click();
  await memory.waitFor({ state: 'detached' });
  await until('nothing is left', async () => (await left()) === 0);
});
