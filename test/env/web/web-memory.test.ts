/** In a real browser: what an agent remembers of a person, and the memory of a repository, in the panel of an agent. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CallInput, SyncedMemory, useRepositoryMemory } from '@hamlet/contract';
import { PermissionPlay, type Working } from '../../../api/server/src/permissions/testing/permission-play.ts';
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
  await reportMemory();
  await write('bob', [{ op: 'add', name: 'oven', type: 'thing', observations: ['Bob cleaned it.'] }]);
  await writeInSession(['kim'], [note('m-000000000002', 'Kim bakes on Sundays.', 'Kim')]);
  await writeInSession([], [note('m-000000000003', 'Noah plans a surprise.', 'Noah')]);
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

const aMemory = (parts: Partial<SyncedMemory>): SyncedMemory => ({
  memory_id: 'm-1',
  kind: 'fact',
  text: '',
  about: null,
  speaker: null,
  audience: null,
  pinned: false,
  dormant: false,
  outside: false,
  corrected: false,
  importance: 0.5,
  uses: 3,
  used_at: null,
  since: new Date().toISOString(),
  until: null,
  replaces: null,
  run_id: null,
  session_id: null,
  repository: null,
  ...parts,
});

/** Ada reports what it remembers of Kim, of another person and of the village. */
async function reportMemory(): Promise<void> {
  const { accounts } = await stage.admin.listAccounts({});
  const kim = accounts.find(({ name }) => name === 'kim')?.account_id ?? '';
  const audience = [`account ${kim}`];
  const origin = {
    session_id: '01890000-0000-7000-8000-000000000001',
    run_id: '01890000-0000-7000-8000-000000000002',
  };
  await permits.play.as('ada').syncAgentMemory({
    agent_id: 'ada',
    cycle: (await permits.play.agent('ada')).cycle,
    applied: 0,
    mind: { goal: 'baking rye bread', plan: '9:00 bake; 14:00 read about ovens' },
    totals: { active: 1_204, dormant: 96, pinned: 1, dropped: 0, capacity: 200_000 },
    memories: [
      aMemory({ memory_id: 'm-tea', text: 'Kim drinks tea without sugar.', about: 'Kim', audience, pinned: true }),
      aMemory({
        memory_id: 'm-town',
        text: 'Kim lives in Bern.',
        about: 'Kim',
        audience,
        since: '2026-09-01T08:00:00.000Z',
        ...origin,
      }),
      aMemory({ memory_id: 'm-mill', text: 'The mill sells flour on Mondays.', outside: true, dormant: true }),
      aMemory({ memory_id: 'm-secret', text: 'Noah plans a surprise.', audience: ['account 1'] }),
      aMemory({
        memory_id: 'e-1',
        kind: 'evidence',
        text: 'I moved to Bern in May.',
        speaker: 'kim',
        audience,
        ...origin,
      }),
    ],
  });
}

const write = async (agentId: 'ada' | 'bob', changes: Changes): Promise<void> =>
  writeIn(await permits.startRun(agentId), changes);

/** Ada works on the repository in a session of an admin and others. */
async function writeInSession(people: string[], changes: Changes): Promise<void> {
  const repository = { url: `https://${REPOSITORY}.git`, branch: 'main' };
  const { session } = await stage.admin.createSession({ agent_id: 'ada', people, repository });
  const { run } = await stage.admin.sendMessage({ session_id: session.session_id, text: 'Work.' });
  await writeIn(await permits.start('ada', run), changes);
}

async function writeIn({ agentId, runId: run_id, cycle, attempt }: Working, changes: Changes): Promise<void> {
  await permits.play.as(agentId).useRepositoryMemory({ run_id, cycle, attempt, changes });
  await permits.endAll();
}

testOnDevices('the panel of an agent shows the memory of its repository', async (viewer, name) => {
  const { page } = viewer;
  await visit(page, '?agent=ada&tab=mind');
  const memory = page.locator(`.memory[data-repository="${REPOSITORY}"]`);
  await memory.waitFor();
  assert.match(await memory.innerText(), /4 entries/);
  await memory.getByRole('button').first().click();
  const oven = memory.locator('.memory-entry', { hasText: 'two doors' });
  await oven.waitFor();
  assert.match(
    await oven.innerText(),
    /oven \(thing\)[^]*Bob cleaned it[^]*From outside[^]*Begun by ada[^]*Everybody may know it/,
  );
  const hers = memory.locator('.memory-entry', { hasText: 'bakes on Sundays' });
  assert.match(await hers.innerText(), /Known to you and one other person/);
  assert.equal(
    await memory.locator('.memory-entry', { hasText: 'surprise' }).count(),
    0,
    'it arose with another person',
  );
  await memory.locator('.memory-entry', { hasText: 'oven → stands in → bakery' }).waitFor();
  await oven.scrollIntoViewIfNeeded();
  await stage.shot(viewer, `memory-${name}`);
});

test('a person deletes an entry, and after a confirmation all that they may know', async (context) => {
  const viewer = await stage.viewer({});
  context.after(() => viewer.close());
  const { page } = viewer;
  await stage.signIn(viewer, 'kim');
  await visit(page, '?agent=ada&tab=mind');
  const memory = page.locator(`.memory[data-repository="${REPOSITORY}"]`);
  await memory.getByRole('button').first().click();
  const oven = memory.locator('.memory-entry', { hasText: 'two doors' });
  await oven.getByRole('button', { name: /^Delete/ }).click();
  await oven.waitFor({ state: 'detached' });
  const left = async (): Promise<number> =>
    (await permits.play.admin.getRepositoryMemory({ repository: REPOSITORY })).entries.length;
  assert.equal(await left(), 4);
  await memory.locator('[data-action="ask-forget-memory"]').click();
  await stage.shot(viewer, 'memory-question');
  await memory.locator('[data-action="forget-memory"]').click();
  await memory.waitFor({ state: 'detached' });
  await until('only the entry of another session is left', async () => (await left()) === 1);
});

/** Bob remembers 600 things of Kim, each older than the previous one. */
async function reportMany(): Promise<void> {
  const { accounts } = await stage.admin.listAccounts({});
  const audience = [`account ${accounts.find(({ name }) => name === 'kim')?.account_id ?? ''}`];
  const { cycle } = await permits.play.agent('bob');
  const totals = { active: 2_700, dormant: 0, pinned: 0, dropped: 0, capacity: 200_000 };
  const all = Array.from({ length: 600 }, (_, number) =>
    aMemory({
      memory_id: `m-${number}`,
      text: `Kim counted ${number + 1} geese.`,
      audience,
      since: new Date(Date.UTC(2026, 9, 1) - number * 3_600_000).toISOString(),
    }),
  );
  for (let at = 0; at < all.length; at += 200)
    await permits.play.as('bob').syncAgentMemory({
      agent_id: 'bob',
      cycle,
      applied: 0,
      copy: { from: at === 0 ? [] : [at], to: at + 200 },
      memories: all.slice(at, at + 200),
      totals,
    });
}

testOnDevices('a long memory says how many are listed, and the oldest is found', async (viewer, name) => {
  await reportMany();
  const { page } = viewer;
  await visit(page, '?agent=bob&tab=mind');
  const cards = page.locator('.memory-card');
  await page.getByText('The newest 50 are listed').waitFor();
  await page.getByText('2,100 memories are not copied here yet').waitFor();
  await page.getByRole('button', { name: 'Older memories' }).click();
  await page.getByText('The newest 100 are listed').waitFor();
  assert.equal(await cards.count(), 100);
  await page.getByLabel('Search its memory').fill('600 geese');
  await page.locator('.memory-card[data-memory="m-599"]').waitFor();
  await page.getByText('The 20 best are listed').waitFor();
  await stage.shot(viewer, `mind-long-${name}`);
});

testOnDevices(
  'the Mind tab shows what the agent believes, from where, how sure and since when',
  async (viewer, name) => {
    const { page } = viewer;
    await visit(page, '?agent=ada&tab=mind');
    const card = (id: string) => page.locator(`.memory-card[data-memory="${id}"]`);
    await card('m-tea').waitFor();
    assert.match(await card('m-tea').innerText(), /Kim\s+Kim drinks tea[^]*Noted[^]*Pinned[^]*Known to you alone/);
    assert.match(await card('m-mill').innerText(), /From outside[^]*Dormant[^]*Everybody may know it/);
    assert.equal(await card('m-secret').count(), 0, 'it arose with another person');
    assert.equal(await card('m-mill').getByRole('button', { name: 'Forget…' }).count(), 0, 'only admins change it');
    const mind = await page.locator('section[aria-label="State of mind"]').innerText();
    assert.equal(await card('m-tea').getByRole('button', { name: 'From where' }).count(), 0, 'a note has no words');
    await card('m-town').getByRole('button', { name: 'From where' }).click();
    await card('m-town').getByText('kim: I moved to Bern in May.').waitFor();
    assert.match(mind, /baking rye bread[^]*9:00 bake[^]*1,300 of 200,000 memories, 96 of them dormant/);
    await stage.shot(viewer, `mind-${name}`);
    await page.locator('[data-kind="evidence"]').click();
    assert.match(await card('e-1').innerText(), /Said[^]*kim/);
    await page.getByLabel('Search its memory').fill('where does Kim live');
    await card('m-town')
      .getByText(/^Rank: \d+ % matching words/)
      .waitFor();
  },
);

test('an address of one memory shows it alone, and says if the person may not read it', async (context) => {
  const viewer = await stage.viewer({});
  context.after(() => viewer.close());
  const { page } = viewer;
  await stage.signIn(viewer, 'kim');
  await visit(page, '?agent=ada&tab=mind&memory=m-mill');
  await page.locator('.memory-card[data-memory="m-mill"]').waitFor();
  assert.equal(await page.locator('.memory-card').count(), 1);
  await visit(page, '?agent=ada&tab=mind&memory=m-secret');
  await page.getByText('not among the memories that you may read').waitFor();
  await page.getByRole('button', { name: 'All its memories' }).click();
  await page.locator('.memory-card[data-memory="m-tea"]').waitFor();
  assert.doesNotMatch(page.url(), /memory=/);
});

test('a person corrects and forgets what an agent believes of them', async (context) => {
  const viewer = await stage.viewer({});
  context.after(() => viewer.close());
  const { page } = viewer;
  await stage.signIn(viewer, 'kim');
  await visit(page, '?agent=ada&tab=mind');
  const card = (text: string) => page.locator('.memory-card', { hasText: text });
  await card('lives in Bern').locator('[data-action="open-correct"]').click();
  await page.fill('textarea[name="text"]', 'Kim lives in Basel.');
  await page.getByRole('button', { name: 'Save the correction' }).click();
  const basel = card('lives in Basel');
  await basel.getByText('Confirmed').waitFor();
  await basel.locator('[data-action="open-history"]').click();
  await basel.locator('.memory-history', { hasText: 'Bern' }).waitFor();
  await stage.shot(viewer, 'mind-corrected');
  await card('drinks tea').locator('[data-action="open-forget"]').click();
  await card('drinks tea').locator('[data-action="forget"]').click();
  await card('drinks tea').waitFor({ state: 'detached' });
  assert.equal(await page.locator('.memory-card:focus').count(), 1, 'the keyboard keeps its place in the list');
  const { commands } = await permits.play
    .as('ada')
    .syncAgentMemory({ agent_id: 'ada', cycle: (await permits.play.agent('ada')).cycle, applied: 0 });
  assert.deepEqual(
    commands.map(({ op }) => op),
    ['correct', 'forget'],
  );
});

test('a person sees why the agent could not apply a change', async (context) => {
  const viewer = await stage.viewer({});
  context.after(() => viewer.close());
  const { page } = viewer;
  await stage.signIn(viewer, 'kim');
  await visit(page, '?agent=ada&tab=mind');
  const card = page.locator('.memory-card', { hasText: 'lives in Basel' });
  await card.locator('[data-action="pin"]').click();
  await card.getByText('Not applied yet').waitFor();
  const { cycle } = await permits.play.agent('ada');
  const sync = (more: object) =>
    permits.play.as('ada').syncAgentMemory({ agent_id: 'ada', cycle, applied: 0, ...more });
  const { commands } = await sync({});
  const number = commands.at(-1)?.number ?? 0;
  await sync({ applied: number, refused: [{ number, reason: 'too_many_pins' }] });
  await page.getByText('The agent could not pin a memory: its people have 200 pins').waitFor();
  await stage.shot(viewer, 'mind-refused');
  await page.getByRole('button', { name: 'Show the memory' }).click();
  await page.locator('section[aria-label="One memory"] .memory-card', { hasText: 'lives in Basel' }).waitFor();
});
