/**
 * The readers of the memory of a repository: sessions of different people, an agent alone, a person who joins, people
 * who delete.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallData, CallInput } from '@hamlet/contract';
import { useRepositoryMemory } from '@hamlet/contract';
import { mayAllKnow } from '@hamlet/core';
import { listMemories } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { firstAdmin, invite, type SignedInPerson } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { startPlay } from '../testing/test-village.ts';

const REPOSITORY = 'git.example.org/town/shared';
const URL = `https://${REPOSITORY}.git`;
const withRepository = (before: string): string => `${before}  repository: { url: "${URL}" }\n`;
const { village, play } = await startPlay({
  environment: {
    HAMLET_REPOSITORIES: JSON.stringify([{ repository: 'git.example.org/*', members: ['*'] }]),
    HAMLET_TOOL_RULES: JSON.stringify([{ tools: ['delegate'], verdict: 'allow' }]),
  },
  samples: { 'good-agent-ada.yaml': withRepository, 'good-agent-bob.yaml': withRepository },
});
const talk = new SessionPlay(play.url);
const grace = await firstAdmin(play.url);
const member = (name: string) => invite(grace, play.url, { name, role: 'member' });
const [mia, noa, zoe] = [await member('Mia'), await member('Noa'), await member('Zoe')];

type Body = Partial<CallInput<typeof useRepositoryMemory>['body']>;
type Used = CallData<typeof useRepositoryMemory>;
type Changes = NonNullable<Body['changes']>;
type AgentName = 'ada' | 'bob';

const idOf = ({ accountId }: SignedInPerson): string => `account ${accountId}`;
const add = (name: string, ...observations: string[]): Changes[number] => ({
  op: 'add',
  name,
  type: 'thing',
  observations,
});

/** A run under way: `use` changes and reads, `end` ends it. */
async function begin(agentId: AgentName, runId: string) {
  const { attempt } = dataOf(await talk.start(agentId, runId)).run;
  const held = { run_id: runId, cycle: await talk.cycle(agentId), attempt };
  return {
    use: async (body: Body = {}): Promise<Used> =>
      dataOf(await talk.play.as(agentId).raw.useRepositoryMemory({ ...held, read: 'all', ...body })),
    delegate: async (): Promise<string> => {
      const call = { call_id: '1.0', tool: 'delegate', arguments: JSON.stringify({ role: 'helper', prompt: 'Help.' }) };
      const { outcome } = await talk.play.as(agentId).performCall({ ...held, ...call });
      return (outcome.data as { readonly run_id: string }).run_id;
    },
    end: async (): Promise<void> => {
      const { settleRun } = talk.play.as(agentId).raw;
      dataOf(await settleRun({ ...held, state: 'done', summary: 'Done.', answer: 'Done.' }));
    },
  };
}

async function openSession(agentId: AgentName, opener: SignedInPerson, ...others: readonly string[]): Promise<string> {
  const body = { agent_id: agentId, people: [...others], repository: { url: URL, branch: 'main' } };
  return (await opener.client.createSession(body)).session.session_id;
}

const beginIn = async (agentId: AgentName, sessionId: string, author: SignedInPerson) =>
  begin(agentId, (await author.client.sendMessage({ session_id: sessionId, text: 'Work.' })).run.run_id);

/** The answers to requests of one run in a new session. */
async function withPeople(
  agentId: AgentName,
  [opener, ...others]: readonly [SignedInPerson, ...string[]],
  ...bodies: readonly Body[]
): Promise<readonly Used[]> {
  return answersOf(await beginIn(agentId, await openSession(agentId, opener, ...others), opener), bodies);
}

/** The answers to requests of one run without a session, in the repository of the agent. */
const alone = async (agentId: AgentName, ...bodies: readonly Body[]): Promise<readonly Used[]> =>
  answersOf(await begin(agentId, (await talk.give(agentId)).run_id), bodies);

async function answersOf(run: Awaited<ReturnType<typeof begin>>, bodies: readonly Body[]): Promise<readonly Used[]> {
  const answers: Used[] = [];
  for (const body of bodies) answers.push(await run.use(body));
  await run.end();
  return answers;
}

const READ: Body = { read: 'all' };
const namesIn = (used: Used | undefined): readonly string[] => pluck(used?.entries ?? [], 'name').toSorted();
const listed = async (person: SignedInPerson, query: object = {}) =>
  (await person.client.getRepositoryMemory({ repository: REPOSITORY, ...query })).entries;
const namesFor = async (person: SignedInPerson, query: object = {}) =>
  pluck(await listed(person, query), 'name').toSorted();

test('memories of a session are for its people, in each session of all of them and in the company of no other', async () => {
  await withPeople('ada', [mia], { changes: [add('of mia', 'She looks for a new job.')] });
  await withPeople('bob', [noa], { changes: [add('of noa', 'Noa plans a surprise.')] });
  await withPeople('ada', [mia, 'Noa'], { changes: [add('of both', 'They meet on Monday.')] });
  await alone('ada', { changes: [add('of all', 'The oven is hot.')] });
  const seen = {
    mia: namesIn((await withPeople('bob', [mia], READ))[0]),
    noa: namesIn((await withPeople('ada', [noa], READ))[0]),
    both: namesIn((await withPeople('bob', [noa, 'Mia'], READ))[0]),
    zoe: namesIn((await withPeople('ada', [zoe], READ))[0]),
    withZoe: namesIn((await withPeople('ada', [mia, 'Zoe'], READ))[0]),
    unaccompanied: namesIn((await alone('bob', READ))[0]),
  };
  assert.deepEqual(seen, {
    mia: ['of all', 'of both', 'of mia'],
    noa: ['of all', 'of both', 'of noa'],
    both: ['of all', 'of both'],
    zoe: ['of all'],
    withZoe: ['of all'],
    unaccompanied: ['of all'],
  });
  const [own] = await withPeople('bob', [zoe], { read: 'own' });
  assert.equal(own?.outside, 1, 'entries that the people may not know are not counted either');
});

test('a person reads, counts and deletes what they may know; an admin reads the rest on request, and the audit says so once', async () => {
  assert.deepEqual(await namesFor(mia), ['of all', 'of both', 'of mia']);
  assert.deepEqual(await namesFor(zoe), ['of all']);
  assert.deepEqual(await namesFor(grace), ['of all']);
  const countFor = async ({ client }: SignedInPerson, query: object = {}) =>
    pluck((await client.listRepositoryMemories(query)).memories, 'entries', 'agents');
  assert.deepEqual(await countFor(mia), [[3, ['ada']]]);
  assert.deepEqual(await countFor(noa, { agent_id: 'bob' }), [[3, ['ada', 'bob']]]);
  assert.deepEqual(await countFor(mia, { agent_id: 'bob' }), [], 'bob created no entry that she may know');
  assert.deepEqual(await countFor(grace), [[4, ['ada', 'bob']]]);
  await refuses(mia.client.getRepositoryMemory({ repository: REPOSITORY, whose: 'all' }), 'forbidden');
  for (let reads = 0; reads < 2; reads += 1) assert.equal((await listed(grace, { whose: 'all' })).length, 4);
  const looks = async () =>
    (await grace.client.listAudit({ object: REPOSITORY, limit: 50 })).records.filter(
      ({ action }) => action === 'memory.look',
    ).length;
  assert.equal(await looks(), 1);
  const both = (await listed(noa)).find(({ name }) => name === 'of both');
  assert.deepEqual(both?.audience, [idOf(mia), idOf(noa)].toSorted());
  const secret = (await listed(mia)).find(({ name }) => name === 'of mia')?.memory_id ?? '';
  const at = { repository: REPOSITORY };
  await refuses(noa.client.forgetRepositoryEntry({ memory_id: secret, ...at }), 'no_such_memory');
  assert.deepEqual(await noa.client.forgetRepositoryMemory(at), { forgotten: 3 });
  assert.deepEqual(await namesFor(mia), ['of mia'], 'an entry that Noa may not know stays');
  await refuses(zoe.client.forgetRepositoryMemory(at), 'no_such_memory');
  assert.deepEqual(await countFor(zoe), [], 'a memory without an entry for her is not listed');
  assert.deepEqual(await grace.client.forgetRepositoryMemory(at), { forgotten: 1 });
  await refuses(grace.client.forgetRepositoryMemory(at), 'no_such_memory');
});

test('the same name and text with two audiences are two entries, and no change widens one', async () => {
  const oven = add('oven', 'Its door is broken.');
  await withPeople('ada', [mia], { changes: [oven] });
  await withPeople('ada', [noa], { changes: [oven] });
  await alone('ada', { changes: [add('oven', 'It is hot.')] });
  const all = await listed(grace, { whose: 'all' });
  const words = new Map(all.map(({ audience, observations }) => [String(audience), observations]));
  assert.deepEqual(
    words,
    new Map([
      [idOf(mia), ['Its door is broken.']],
      [idOf(noa), ['Its door is broken.']],
      ['null', ['It is hot.']],
    ]),
  );
  const common = all.find(({ audience }) => audience === null)?.memory_id ?? '';
  const hers = all.find(({ audience }) => audience?.includes(idOf(mia)))?.memory_id ?? '';
  const corrected = {
    changes: [add('oven', 'Mia broke it.'), { op: 'pin' as const, memory_id: common, pinned: true }],
  };
  assert.deepEqual((await withPeople('ada', [mia], corrected))[0]?.results, ['done', 'done']);
  const known = (await withPeople('ada', [mia], { changes: [add('oven', 'It is hot.')] }))[0];
  assert.equal(known?.entries.length, 2, 'what everybody knows is not kept for her once more');
  const [own] = await withPeople('ada', [zoe], {
    changes: [
      { op: 'drop', memory_id: hers, observations: ['Mia broke it.'] },
      { op: 'pin', memory_id: hers, pinned: true },
      { op: 'forget', memory_id: hers },
      { op: 'add', name: hers, type: 'note', observations: ['A note with the id of an entry of others.'] },
    ],
  });
  assert.deepEqual(own?.results, ['no_such_memory', 'no_such_memory', 'no_such_memory', 'not_yours']);
  assert.deepEqual(
    (await listed(zoe)).map(({ observations, pinned }) => [observations, pinned]),
    [[['It is hot.'], true]],
  );
  assert.deepEqual((await listed(mia)).flatMap(({ observations }) => observations).toSorted(), [
    'It is hot.',
    'Its door is broken.',
    'Mia broke it.',
  ]);
  const db = village.openDb();
  await assert.rejects(
    db.updateTable('repository_memory_entry').set({ audience: null }).where('memory_id', '=', hers).execute(),
    /the audience of entry .* never changes/,
  );
});

test('a person who joins narrows what the run reads at once; the joined and the left learn nothing that it adds', async () => {
  const session = await openSession('ada', mia);
  const run = await beginIn('ada', session, mia);
  await run.use({ changes: [add('before', 'Said to Mia.')] });
  assert.ok(namesIn(await run.use()).includes('before'));
  await mia.client.addSessionPerson({ session_id: session, name: 'Noa' });
  assert.ok(!namesIn(await run.use()).includes('before'));
  const { results } = await run.use({ changes: [add('before', 'And this.'), add('after', 'Still of Mia.')] });
  assert.deepEqual(results, ['done', 'done']);
  await run.end();
  const mine = (await listed(mia)).filter(({ name }) => name === 'before' || name === 'after');
  assert.deepEqual(
    mine.map(({ observations, audience }) => [observations, audience]),
    [
      [['Said to Mia.', 'And this.'], [idOf(mia)]],
      [['Still of Mia.'], [idOf(mia)]],
    ],
  );
  const next = await beginIn('ada', session, mia);
  await next.use({ changes: [add('together', 'Said to both.')] });
  await mia.client.removeSessionPerson({ session_id: session, person_id: idOf(noa) });
  await next.use({ changes: [add('afterwards', 'Noa has left.')] });
  await next.end();
  assert.ok((await namesFor(noa)).includes('together'), 'what arose with her stays hers');
  assert.ok(!(await namesFor(noa)).includes('afterwards'));
});

test('memories that a worker adds are for the people who were present when its run was given', async () => {
  const session = await openSession('ada', mia);
  const parent = await beginIn('ada', session, mia);
  await mia.client.addSessionPerson({ session_id: session, name: 'Noa' });
  const worker = await begin('ada', await parent.delegate());
  const { results, entries } = await worker.use({ changes: [add('of a worker', 'Part of the work.')] });
  assert.deepEqual(results, ['done']);
  assert.ok(!pluck(entries, 'name').includes('of a worker'), 'Noa is present and may not know it');
  await worker.end();
  await parent.end();
  const entry = (await listed(mia)).find(({ name }) => name === 'of a worker');
  assert.deepEqual(entry?.audience, [idOf(mia)]);
});

test('the database and the API have one rule for one person', async () => {
  const db = village.openDb();
  const page = { agentId: null, after: null, limit: 10 };
  const all = await listed(grace, { whose: 'all' });
  for (const person of [mia, noa, zoe, grace]) {
    const [memory] = (await listMemories(db, { ...page, reader: idOf(person) })).rows;
    const known = all.filter(({ audience }) => mayAllKnow(audience, [idOf(person)]));
    assert.equal(memory?.entries ?? 0, known.length);
  }
});
