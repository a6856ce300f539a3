/** Memories of repositories over HTTP: agents that share one, a hostile pod, and people who read and delete. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallData, CallInput, Outcome, SafeMode } from '@hamlet/contract';
import { MEMORY_WRITES_PER_HOUR, REPOSITORY_MEMORIES_MAX, useRepositoryMemory } from '@hamlet/contract';
import { inTransaction, listMemories, writeRepositoryMemory } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { type AgentId, startPlay } from '../testing/test-village.ts';

const REPOSITORIES = JSON.stringify([{ repository: 'git.example.org/*', members: ['Mia'] }]);
const { village, play } = await startPlay({ environment: { HAMLET_REPOSITORIES: REPOSITORIES } });
const talk = new SessionPlay(play.url);
const admin = await firstAdmin(talk.play.url);
const mia = await invite(admin, talk.play.url, { name: 'Mia', role: 'member' });
const noa = await invite(admin, talk.play.url, { name: 'Noa', role: 'member' });

interface Working {
  readonly agentId: AgentId;
  readonly runId: string;
  readonly cycle: number;
  readonly attempt: number;
}
type Body = Partial<CallInput<typeof useRepositoryMemory>['body']>;
type Used = CallData<typeof useRepositoryMemory>;

/** A run of a message in a new session; without a repository if `url` is null. */
async function working(agentId: AgentId, url: string | null, safeMode?: SafeMode): Promise<Working> {
  const body = { people: [], ...(url === null ? {} : { repository: { url, branch: 'main' } }) };
  const { session } = await mia.client.createSession({ agent_id: agentId, ...body });
  const message = { text: 'Work.', ...(safeMode === undefined ? {} : { safe_mode: safeMode }) };
  const { run } = await mia.client.sendMessage({ session_id: session.session_id, ...message });
  const { attempt } = dataOf(await talk.start(agentId, run.run_id)).run;
  return { agentId, runId: run.run_id, cycle: await talk.cycle(agentId), attempt };
}
const end = ({ agentId, runId }: Working) => talk.answer(agentId, runId, 'Done.');

function use({ agentId, runId, cycle, attempt }: Working, body: Body = {}, more: object = {}): Promise<Outcome<Used>> {
  const whole = { cycle, attempt, ...body, ...more };
  return talk.play.as(agentId).raw.useRepositoryMemory({ run_id: runId, ...whole });
}
async function inRun(agentId: AgentId, url: string | null, ...bodies: readonly Body[]): Promise<readonly Used[]> {
  const run = await working(agentId, url);
  const answers: Used[] = [];
  for (const body of bodies) answers.push(dataOf(await use(run, body)));
  dataOf(await end(run));
  return answers;
}

let notes = 0;
const noteId = (): string => `m-${(notes += 1).toString(16).padStart(12, '0')}`;
const note = (text: string, name = noteId()) => ({ op: 'add' as const, name, type: 'note', observations: [text] });
const textsOf = ({ entries }: Used) => entries.flatMap(({ observations }) => observations);
const taintOf = async ({ runId }: Working) => ((await talk.get(runId)).taint ?? []).map(({ source }) => source);

test("a note appears in the next session of its repository under any address, and in no other repository's session", async () => {
  await inRun('ada', 'https://git.example.org/town/bakery.git', { changes: [note('Rye needs 40 minutes.')] });
  const [later] = await inRun('ada', 'https://mia:secret-word@git.example.org/town/bakery', { read: 'own' });
  assert.deepEqual(later && textsOf(later), ['Rye needs 40 minutes.']);
  const [other] = await inRun('ada', 'https://git.example.org/town/mill.git', { read: 'all' });
  assert.deepEqual(other, { version: 0, results: [], entries: [], outside: 0 });
  const { memories } = await mia.client.listRepositoryMemories();
  assert.deepEqual(pluck(memories, 'repository', 'entries', 'agents'), [['git.example.org/town/bakery', 1, ['ada']]]);
});

test("agents share a memory; a run gets another agent's entries only on request, and they taint the run", async () => {
  const url = 'git@git.example.org:town/shared.git';
  await inRun('ada', url, { changes: [note('The oven is hot.')] });
  const run = await working('bob', 'ssh://git@git.example.org/town/shared');
  const own = dataOf(await use(run, { changes: [note('The door is blue.')] }));
  assert.deepEqual([textsOf(own), own.outside], [['The door is blue.'], 1]);
  assert.deepEqual(await taintOf(run), []);
  const all = dataOf(await use(run, { read: 'all' }));
  assert.deepEqual(
    all.entries.map(({ observations, outside, agent_id }) => [observations[0], outside, agent_id]),
    [
      ['The oven is hot.', true, 'ada'],
      ['The door is blue.', false, 'bob'],
    ],
  );
  assert.deepEqual(await taintOf(run), ['memory']);
  const [oven] = all.entries;
  const forgotten = await use(run, { changes: [{ op: 'forget', memory_id: oven?.memory_id ?? '' }] });
  assert.deepEqual(dataOf(forgotten).results, ['not_yours']);
  dataOf(await use(run, { changes: [note('Strangers said so.')], read: 'none' }));
  await end(run);
  const [next] = await inRun('bob', url, { read: 'own' });
  assert.deepEqual(
    next && textsOf(next),
    ['The door is blue.'],
    'even its own agent gets the text of a tainted run as outside text',
  );
});

test('two runs that write concurrently lose nothing', async () => {
  const url = 'https://git.example.org/town/both.git';
  const runs = await Promise.all([working('ada', url), working('bob', url)]);
  const written = Array.from({ length: 8 }, (_, at) => runs.map((run) => use(run, { changes: [note(`fact ${at}`)] })));
  (await Promise.all(written.flat())).forEach(dataOf);
  await Promise.all(
    runs.map((run) => use(run, { changes: [{ op: 'add', name: 'oven', type: 'thing', observations: [run.agentId] }] })),
  );
  const { entries } = await mia.client.getRepositoryMemory({ repository: url });
  assert.equal(entries.length, 17);
  assert.deepEqual(entries.find(({ name }) => name === 'oven')?.observations.toSorted(), ['ada', 'bob']);
  await Promise.all(runs.map(end));
});

test('a hostile pod cannot choose a repository, use runs of others or exceed a limit', async () => {
  const run = await working('cleo', 'https://git.example.org/town/hostile.git');
  const claimed = { repository: 'git.example.org/town/bakery' };
  await refuses(use(run, { read: 'all' }, claimed), 'validation_failed');
  await refuses(use({ ...run, agentId: 'ada' }, {}), 'not_own_agent');
  await refuses(use({ ...run, attempt: run.attempt + 1 }, {}), 'claim_lapsed');
  const long = 'x'.repeat(4_001);
  await refuses(use(run, { changes: [note(long)] }), 'validation_failed');
  await refuses(use(run, { changes: Array.from({ length: 65 }, () => note('x')) }), 'validation_failed');
  const big = Array.from({ length: 5 }, (_, at) => `${at}${'x'.repeat(3_990)}`);
  const large = dataOf(await use(run, { changes: [{ op: 'add', name: 'big', type: 'thing', observations: big }] }));
  assert.deepEqual(large.results, ['memory_full']);
  for (let batch = 0; batch < 8; batch += 1) {
    const { results } = dataOf(await use(run, { changes: Array.from({ length: 64 }, () => note('x')), read: 'none' }));
    if (batch === 7) assert.deepEqual([results[51], results[52]], ['done', 'memory_full']);
  }
  await end(run);
  await refuses(use(run, {}), 'run_settled');
  const other = await working('cleo', 'https://git.example.org/town/hostile-too.git');
  let refusal: string | null = null;
  for (let written = 500; refusal === null && written <= MEMORY_WRITES_PER_HOUR; written += 128) {
    const ids = Array.from({ length: 64 }, noteId);
    const forgets = ids.map((memory_id) => ({ op: 'forget' as const, memory_id }));
    for (const changes of [ids.map((id) => note('x', id)), forgets]) {
      const answer = await use(other, { changes, read: 'none' });
      if (!answer.ok) refusal = answer.problem.code;
    }
  }
  assert.equal(refusal, 'memory_writes_limited');
  assert.ok((await use(other, { read: 'own' })).ok, 'reading goes on');
  await end(other);
});

test('no secret of a known form is stored', async () => {
  const token = `ghp_${'a1'.repeat(18)}`;
  const url = 'https://git.example.org/town/secrets.git';
  const add = { op: 'add' as const, name: token, type: token, observations: [`The token is ${token}.`], about: token };
  const relate = { op: 'relate' as const, from: token, to: token, type: token };
  await inRun('dan', url, { changes: [add, relate] });
  const { entries } = await mia.client.getRepositoryMemory({ repository: url });
  assert.equal(entries.length, 2);
  assert.doesNotMatch(JSON.stringify(entries), /ghp_/);
});

test('a run without a repository has no repository memory', async () => {
  const run = await working('eve', null);
  await refuses(use(run, {}), 'no_repository');
  await end(run);
});

test('a run in a safe mode reads the memory but cannot change it', async () => {
  const url = 'https://git.example.org/town/safe.git';
  await inRun('ada', url, { changes: [note('Before.')] });
  const run = await working('ada', url, 'analysis_only');
  await refuses(use(run, { changes: [note('Meanwhile.')] }), 'policy_denied');
  assert.deepEqual(textsOf(dataOf(await use(run, { read: 'all' }))), ['Before.']);
  await end(run);
});

test('a person deletes one or all entries; the audit has their ids but no text', async () => {
  const repository = 'git.example.org/town/forget';
  const id = noteId();
  await inRun('ada', `https://${repository}.git`, { changes: [note('A poisoned word.', id), note('A good one.')] });
  const params = { memory_id: id };
  const query = { repository };
  assert.deepEqual(await mia.client.forgetRepositoryEntry({ ...params, ...query }), { forgotten: 1 });
  await refuses(mia.client.forgetRepositoryEntry({ ...params, ...query }), 'no_such_memory');
  const { entries } = await mia.client.getRepositoryMemory({ repository: `https://${repository}` });
  assert.deepEqual(pluck(entries, 'observations'), [['A good one.']]);
  assert.deepEqual(await mia.client.forgetRepositoryMemory(query), { forgotten: 1 });
  await refuses(mia.client.forgetRepositoryMemory(query), 'no_such_memory');
  const { records: acts } = await talk.play.admin.listAudit({ object: repository, limit: 10 });
  assert.deepEqual(acts.map(({ action }) => action).toSorted(), ['memory.forget', 'memory.forget_all']);
  assert.doesNotMatch(JSON.stringify(acts), /poisoned/);
});

test('a member whom the list does not name opens no session on a repository and sees nothing of its memory', async () => {
  const repository = 'git.example.org/town/closed';
  await inRun('ada', `https://${repository}.git`, { changes: [note('A word.')] });
  const entry = { memory_id: noteId(), repository };
  const on = { agent_id: 'ada', people: [], repository: { url: `git@git.example.org:town/closed`, branch: 'main' } };
  await refuses(noa.client.createSession(on), 'repository_not_allowed');
  await refuses(noa.client.getRepositoryMemory({ repository }), 'repository_not_allowed');
  await refuses(noa.client.forgetRepositoryEntry(entry), 'repository_not_allowed');
  await refuses(noa.client.forgetRepositoryMemory({ repository }), 'repository_not_allowed');
  assert.deepEqual((await noa.client.listRepositoryMemories({})).memories, []);
  assert.ok((await mia.client.listRepositoryMemories({})).memories.some((memory) => memory.repository === repository));
  const { session } = await talk.play.admin.createSession(on);
  assert.equal(session.repository?.branch, 'main');
});

test('the number of memories of a village is limited; existing ones stay usable', async () => {
  const db = village.openDb();
  const { rows } = await listMemories(db, { agentId: null, reader: null, after: null, limit: REPOSITORY_MEMORIES_MAX });
  await inTransaction(db, async (tx) => {
    for (let at = rows.length; at < REPOSITORY_MEMORIES_MAX; at += 1)
      await writeRepositoryMemory(tx, `git.example.org/many/${at}`, { written: [], forgotten: [] });
  });
  const run = await working('ada', 'https://git.example.org/town/one-too-many.git');
  await refuses(use(run, { changes: [note('x')] }), 'too_many_memories');
  assert.deepEqual(dataOf(await use(run, { read: 'all' })).entries, []);
  await end(run);
  const [known] = await inRun('ada', 'https://git.example.org/town/bakery.git', { changes: [note('Still here.')] });
  assert.deepEqual(known?.results, ['done']);
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const query: { limit: number; cursor?: string } = { limit: 100, ...(cursor === '' ? {} : { cursor }) };
    const { memories, next_cursor } = await mia.client.listRepositoryMemories(query);
    assert.ok(memories.length <= 100);
    cursor = next_cursor;
  }
  assert.equal(pages, 10);
});
