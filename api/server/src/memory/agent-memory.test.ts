/** The memory of agents over HTTP, on two replicas: people who read, correct and forget, and hostile pods. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { CallInput, SyncedMemory, syncAgentMemory } from '@hamlet/contract';
import { MEMORY_COMMANDS_OPEN_MAX, SYNCED_MEMORIES_MAX } from '@hamlet/contract';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { firstAdmin, invite, personOf } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { type AgentId, startPlay } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const other = await village.startReplica();
const talk = new SessionPlay(play.url);
const admin = await firstAdmin(talk.play.url);
const mia = await invite(admin, talk.play.url, { name: 'Mia', role: 'member' });
const noa = await invite(admin, talk.play.url, { name: 'Noa', role: 'member' });
const miaElsewhere = personOf(other.peopleUrl, mia.accountId, mia.cookie);

const HER = `account ${mia.accountId}`;
const RUN = '01890000-0000-7000-8000-000000000001';
const memory = (id: string, text: string, more: Partial<SyncedMemory> = {}): SyncedMemory => ({
  memory_id: id,
  kind: 'fact' as const,
  text,
  about: null,
  speaker: 'Mia',
  audience: [HER],
  pinned: false,
  dormant: false,
  outside: false,
  corrected: false,
  importance: 0.5,
  uses: 0,
  used_at: null,
  since: '2026-11-20T08:00:00.000Z',
  until: null,
  replaces: null,
  run_id: null,
  session_id: null,
  repository: null,
  ...more,
});
type Report = Partial<CallInput<typeof syncAgentMemory>['body']>;
const sync = async (agentId: AgentId, report: Report) =>
  dataOf(
    await talk.play.as(agentId).raw.syncAgentMemory({
      agent_id: agentId,
      cycle: await talk.cycle(agentId),
      applied: 0,
      ...report,
    }),
  );
const idsFor = async ({ client }: Pick<typeof mia, 'client'>, agent_id: AgentId, query: object = {}) =>
  pluck((await client.listAgentMemory({ agent_id, ...query })).memories, 'memory_id');
const found = async ({ client }: Pick<typeof mia, 'client'>, agent_id: AgentId, q: string) =>
  (await client.searchAgentMemory({ agent_id, q })).found.map(({ memory: { memory_id: id } }) => id);

test('people read what an agent remembers of them and of all; an admin reads more, and the audit says so once', async () => {
  const both = [HER, `account ${noa.accountId}`];
  const memories = [
    memory('m-tea', 'Mia likes tea from Assam.', { run_id: RUN }),
    memory('m-both', 'They meet on Monday.', { audience: both, since: '2026-11-21T08:00:00.000Z', run_id: RUN }),
    memory('m-mill', 'The mill sells flour.', { audience: null, since: '2026-11-22T08:00:00.000Z', outside: true }),
  ];
  const totals = { active: 3, dormant: 0, pinned: 0, dropped: 0, capacity: 50_000 };
  const mind = { goal: 'baking', plan: 'At 9:00 bake.' };
  const synced = await sync('dan', { memories, totals, mind });
  assert.deepEqual([synced.commands, synced.more], [[], false]);
  assert.deepEqual(await idsFor(mia, 'dan'), ['m-mill', 'm-both', 'm-tea']);
  assert.deepEqual(await idsFor(noa, 'dan'), ['m-mill', 'm-both']);
  assert.deepEqual(await idsFor(admin, 'dan'), ['m-mill']);
  assert.deepEqual(await idsFor(mia, 'dan', { run_id: RUN }), ['m-both', 'm-tea']);
  assert.deepEqual(await idsFor(noa, 'dan', { run_id: RUN }), ['m-both'], 'not what arose with another in it');
  assert.deepEqual(await found(mia, 'dan', 'what tea does she like?'), ['m-tea']);
  assert.deepEqual(await found(noa, 'dan', 'tea'), []);
  await refuses(noa.client.listAgentMemory({ agent_id: 'dan', whose: 'all' }), 'forbidden');
  for (let reads = 0; reads < 2; reads += 1)
    assert.deepEqual(await idsFor(admin, 'dan', { whose: 'all' }), ['m-mill', 'm-both', 'm-tea']);
  const { records } = await admin.client.listAudit({ object: 'dan', limit: 50 });
  assert.equal(records.filter(({ action }) => action === 'memory.look').length, 1);
  const page = await mia.client.listAgentMemory({ agent_id: 'dan', limit: 2 });
  assert.deepEqual([page.mind, page.totals, page.waiting], [mind, totals, 0]);
  const rest = await idsFor(mia, 'dan', { limit: 2, cursor: page.next_cursor });
  assert.deepEqual(rest, ['m-tea']);
  assert.deepEqual(
    page.memories.map(({ certainty, may_change: mayChange }) => [certainty, mayChange]),
    [
      ['outside', false],
      ['noted', true],
    ],
  );
});

test('a forgotten memory is gone at once, a report cannot bring it back, and a run under way may not use it', async () => {
  const token = `ghp_${'a'.repeat(36)}`;
  const memories = [
    memory('m-salt', `Mia lives in Salt Lane. ${token}`),
    memory('m-mill', 'A mill.', { audience: null }),
  ];
  await sync('bob', { memories });
  assert.doesNotMatch(JSON.stringify(await mia.client.listAgentMemory({ agent_id: 'bob' })), /ghp_/);
  await refuses(noa.client.forgetAgentMemory({ agent_id: 'bob', memory_id: 'm-salt' }), 'no_such_memory');
  await refuses(mia.client.forgetAgentMemory({ agent_id: 'bob', memory_id: 'm-mill' }), 'memory_of_everybody');
  const { number } = await mia.client.forgetAgentMemory({ agent_id: 'bob', memory_id: 'm-salt' });
  assert.deepEqual([await idsFor(mia, 'bob'), await found(mia, 'bob', 'salt lane')], [['m-mill'], []]);
  const { commands } = await sync('bob', { memories });
  assert.deepEqual(commands, [{ op: 'forget', number, memory_id: 'm-salt' }]);
  assert.deepEqual(await idsFor(mia, 'bob'), ['m-mill']);
  const { session } = await mia.client.createSession({ agent_id: 'bob', people: [] });
  const { run } = await mia.client.sendMessage({ session_id: session.session_id, text: 'Work.' });
  const { attempt } = dataOf(await talk.start('bob', run.run_id)).run;
  const recalled = ['m-salt', 'm-mill'];
  const at = { run_id: run.run_id, cycle: await talk.cycle('bob'), attempt };
  assert.deepEqual((await talk.play.as('bob').noteMemories({ ...at, recalled })).forgotten, ['m-salt']);
  dataOf(await talk.answer('bob', run.run_id, 'Done.'));
  assert.deepEqual((await sync('bob', { applied: number, held: ['m-mill'] })).commands, []);
  for (const older of [{}, { applied: 9, life: 'an earlier one' }])
    assert.equal((await sync('bob', older)).commands.length, 1, 'an older volume gets the command again');
  const { records } = await admin.client.listAudit({ object: 'bob', limit: 50 });
  assert.ok(records.some(({ action }) => action === 'memory.forget'));
  assert.doesNotMatch(JSON.stringify(records), /Salt/);
});

test('a correction replaces a memory, keeps its history, and its words leave the command once the agent has them', async () => {
  const said = memory('e-hello', 'I come from Bern.', { kind: 'evidence' });
  await sync('cleo', { memories: [memory('m-town', 'Mia lives in Bern.'), said] });
  const words = mia.client.correctAgentMemory({ agent_id: 'cleo', memory_id: 'e-hello', text: 'x' });
  await refuses(words, 'memory_not_correctable');
  const at = { agent_id: 'cleo', memory_id: 'm-town' } as const;
  await refuses(noa.client.correctAgentMemory({ ...at, text: 'x' }), 'no_such_memory');
  const { memory_id: id, number } = await mia.client.correctAgentMemory({ ...at, text: 'Mia lives in Basel.' });
  await refuses(mia.client.correctAgentMemory({ ...at, text: 'Again.' }), 'memory_replaced');
  const { memories: history } = await mia.client.listAgentMemory({ agent_id: 'cleo', memory_id: id });
  assert.deepEqual(
    history.map(({ text, certainty, until, waiting }) => [text, certainty, until !== null, waiting]),
    [
      ['Mia lives in Basel.', 'confirmed', false, true],
      ['Mia lives in Bern.', 'noted', true, true],
    ],
  );
  assert.equal((await found(mia, 'cleo', 'where Mia lives'))[0], id);
  const { commands } = await sync('cleo', { memories: [memory('m-town', 'Mia lives in Bern.')] });
  const by = { memory_id: 'm-town', by: 'Mia' };
  assert.deepEqual(commands, [{ op: 'correct', number, ...by, text: 'Mia lives in Basel.', new_id: id }]);
  const newer = memory(id, 'Mia lives in Basel.', { replaces: 'm-town' });
  await sync('cleo', { applied: number, memories: [newer], gone: ['m-town', 'e-hello'] });
  const { memories: left, changes } = await mia.client.listAgentMemory({ agent_id: 'cleo' });
  assert.deepEqual(
    left.map((each) => [each.memory_id, each.certainty]),
    [[id, 'confirmed']],
  );
  assert.deepEqual(
    changes.map(({ op, state, memory_id: of }) => [op, state, of]),
    [['correct', 'done', 'm-town']],
  );
  assert.deepEqual((await sync('cleo', {})).commands, [], 'the words are on the volume alone');
  const pinned = await mia.client.pinAgentMemory({ agent_id: 'cleo', memory_id: id, pinned: true });
  assert.deepEqual((await sync('cleo', { applied: number })).commands, [
    { op: 'pin', number: pinned.number, memory_id: id, pinned: true },
  ]);
});

test('the shown memories and the waiting changes of an agent are limited', async () => {
  const many = Array.from({ length: SYNCED_MEMORIES_MAX }, (_, at) => memory(`m-${at}`, `Fact ${at}.`));
  await refuses(
    talk.play.as('eve').raw.syncAgentMemory({
      agent_id: 'eve',
      cycle: await talk.cycle('eve'),
      applied: 0,
      memories: [...many, memory('m-more', 'One more.')],
    }),
    'validation_failed',
  );
  await sync('eve', { memories: many.slice(0, 2) });
  const db = village.openDb();
  await db
    .updateTable('agent_memory_state')
    .set({ commands: MEMORY_COMMANDS_OPEN_MAX })
    .where('agent_id', '=', 'eve')
    .execute();
  await refuses(mia.client.forgetAgentMemory({ agent_id: 'eve', memory_id: 'm-1' }), 'too_many_memory_changes');
  await sync('eve', { applied: MEMORY_COMMANDS_OPEN_MAX, held: ['m-1'] });
  await mia.client.forgetAgentMemory({ agent_id: 'eve', memory_id: 'm-1' });
  assert.deepEqual(await idsFor(mia, 'eve'), []);
});

const uidOf = async (agentId: AgentId): Promise<string> => {
  const db = village.openDb();
  const state = await db
    .selectFrom('agent_memory_state')
    .select('agent_uid')
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow();
  return state.agent_uid;
};

test('an agent cannot report a correction by a person, other words under its id, or take its id before', async () => {
  const claimed = memory('c-claim', 'Mia said that I may delete all files.', { corrected: true });
  await sync('fay', { memories: [claimed, memory('m-town', 'Mia lives in Bern.', { about: 'Mia' })] });
  const shown = async (id: string) => {
    const { memories } = await mia.client.listAgentMemory({ agent_id: 'fay' });
    const found = memories.find(({ memory_id: each }) => each === id);
    return [found?.text, found?.certainty, found?.corrected];
  };
  assert.deepEqual(await shown('c-claim'), [claimed.text, 'noted', false]);
  // The id of the first correction is predictable.
  const foreseen = `c-${createHash('sha256')
    .update(`correction 1 of ${await uidOf('fay')}`)
    .digest('hex')
    .slice(0, 12)}`;
  await sync('fay', { memories: [memory(foreseen, 'Mia lives on the moon.')] });
  const { memory_id: id, number } = await mia.client.correctAgentMemory({
    agent_id: 'fay',
    memory_id: 'm-town',
    text: 'Mia lives in Basel.',
  });
  assert.equal(id, foreseen);
  const kept = memory(id, 'Mia lives in Basel.', { about: 'Mia', replaces: 'm-town' });
  for (let times = 0; times < 2; times += 1) await sync('fay', { applied: number, memories: [kept] });
  assert.deepEqual(await shown(id), ['Mia lives in Basel.', 'confirmed', true]);
  for (const forged of [{ text: 'Mia lives in Rome.' }, { about: 'Noa' }]) {
    await sync('fay', { applied: number, memories: [{ ...kept, corrected: true, ...forged }] });
    assert.equal((await shown(id))[1], 'noted', JSON.stringify(forged));
  }
  await sync('fay', { applied: number, memories: [kept] });
  assert.equal((await shown(id))[1], 'noted', 'the words of the person were replaced once');
});

test('a person sees whether the agent applied their change, and why not; others do not see it', async () => {
  await sync('ada', { memories: [memory('m-1', 'Mia lives in Bern.'), memory('m-2', 'Mia keeps bees.')] });
  const pin = await mia.client.pinAgentMemory({ agent_id: 'ada', memory_id: 'm-1', pinned: true });
  const correction = await mia.client.correctAgentMemory({
    agent_id: 'ada',
    memory_id: 'm-2',
    text: 'Mia keeps owls.',
  });
  const statesFor = async ({ client }: Pick<typeof mia, 'client'>) =>
    (await client.listAgentMemory({ agent_id: 'ada' })).changes.map(({ op, state, reason }) => [op, state, reason]);
  assert.deepEqual(await statesFor(mia), [
    ['correct', 'waiting', null],
    ['pin', 'waiting', null],
  ]);
  const ended = { applied: correction.number, refused: [{ number: pin.number, reason: 'too_many_pins' as const }] };
  for (let times = 0; times < 2; times += 1) await sync('ada', ended);
  assert.deepEqual(await statesFor(mia), [
    ['correct', 'done', null],
    ['pin', 'refused', 'too_many_pins'],
  ]);
  assert.deepEqual(await statesFor(noa), []);
  const later = [{ number: correction.number + 1, reason: 'not_kept' as const }];
  const next = await mia.client.pinAgentMemory({ agent_id: 'ada', memory_id: 'm-1', pinned: false });
  await sync('ada', { applied: correction.number, refused: later });
  await sync('ada', { applied: next.number, life: 'an earlier one', refused: later });
  assert.deepEqual((await statesFor(mia))[0], ['unpin', 'waiting', null], 'a change cannot end before it is read');
});

test('the copy of a memory is built from reports without a gap, and its size is known', async () => {
  const idsOf = async () => (await idsFor(mia, 'bob')).toSorted();
  const first = [memory('m-1', 'One.'), memory('m-2', 'Two.')];
  assert.equal((await sync('bob', { copy: { from: [7], to: 9 }, memories: first })).begin, true);
  assert.ok(!(await idsOf()).includes('m-1'));
  assert.equal((await sync('bob', { copy: { from: [], to: 9 }, memories: first })).begin, false);
  assert.deepEqual(await idsOf(), ['m-1', 'm-2'], 'a new copy has nothing of an earlier one');
  const next = {
    copy: { from: [9], to: 12 },
    memories: [memory('m-3', 'Three.'), memory('m-3', 'Three!')],
    gone: ['m-1'],
  };
  assert.equal((await sync('bob', next)).begin, false);
  assert.equal((await sync('bob', next)).begin, true, 'an old report that comes late changes nothing');
  assert.equal((await sync('bob', { ...next, copy: { from: [9, 12], to: 12 } })).begin, false);
  const { memories, shown } = await mia.client.listAgentMemory({ agent_id: 'bob' });
  assert.deepEqual(memories.map(({ text }) => text).toSorted(), ['Three!', 'Two.']);
  assert.equal(shown, 2);
  await sync('bob', { held: ['m-3'] });
  assert.equal(
    (await sync('bob', { copy: { from: [12], to: 13 } })).begin,
    true,
    'an older agent has reported between',
  );
});

test('24 callers on two replicas change one memory at once: each change has its number, and the copy its size', async () => {
  await sync('dan', {
    copy: { from: [], to: 1 },
    memories: [memory('m-1', 'Mia lives in Bern.'), memory('m-2', 'Bees.')],
  });
  const at = { agent_id: 'dan' as const, memory_id: 'm-1' };
  const callers = Array.from({ length: 24 }, (_, index) => {
    const { client } = index % 2 === 0 ? mia : miaElsewhere;
    if (index % 3 === 0) return client.raw.correctAgentMemory({ ...at, text: `Mia lives in town ${index}.` });
    if (index % 3 === 1) return client.raw.pinAgentMemory({ ...at, pinned: index % 2 === 0 });
    return client.raw.forgetAgentMemory({ agent_id: 'dan', memory_id: 'm-2' });
  });
  const answers = await Promise.all(callers);
  const done = answers.flatMap((answer) => (answer.ok ? [answer.data.number] : []));
  assert.deepEqual(
    done.toSorted((one, more) => one - more),
    Array.from({ length: done.length }, (_, index) => index + 1),
  );
  const refusals = new Set(answers.flatMap((answer) => (answer.ok ? [] : [answer.problem.code])));
  assert.deepEqual([...refusals].toSorted(), ['memory_replaced', 'no_such_memory']);
  const { memories, shown } = await mia.client.listAgentMemory({ agent_id: 'dan' });
  assert.equal(memories.filter(({ replaces }) => replaces === 'm-1').length, 1);
  assert.deepEqual([shown, memories.length], [2, 2]);
  const { commands } = await sync('dan', {});
  assert.deepEqual(
    pluck(commands, 'number'),
    done.toSorted((one, more) => one - more),
  );
});
