/** The copy of a memory in the API, and the changes that people make there: after kills, lost answers and older volumes. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { syncAgentMemory, SYNCED_MEMORIES_MAX } from '@hamlet/contract';
import type { CallInput, MemoryCommand, SyncedMemory } from '@hamlet/contract';
import { openMemory, type Memory, type NewFact } from '@hamlet/engine/memory';
import { atEnd, testFolder } from '@hamlet/test/env/at-end';
import { ok } from '../../testing/scripted-village.ts';
import { createReporter, type Applied, type ReporterPorts } from './memory-reporter.ts';

const MIA = ['account Mia'];
const root = testFolder('memory-reporter');
const fact = (id: string, text: string, more: Partial<NewFact> = {}): NewFact => ({
  kind: 'fact',
  id,
  text,
  subject: 'Mia',
  audience: MIA,
  ...more,
});

type Body = CallInput<typeof syncAgentMemory>['body'];

/** The API's side: the copy, which takes only reports without a gap, and people's changes. */
function anApi() {
  const copy = new Map<string, SyncedMemory>();
  const api = { mark: null as number | null, isAway: false, losesAnswer: false, mind: null as Body['mind'] | null };
  const commands: MemoryCommand[] = [];
  const ends = new Map<number, string>();
  const bodies: Omit<Body, 'cycle'>[] = [];
  const sync: ReporterPorts['sync'] = async (given) => {
    if (api.isAway) return { kind: 'unreachable', why: 'away' };
    // As it crosses the wire.
    const body = syncAgentMemory.body.parse(JSON.parse(JSON.stringify({ ...given, cycle: 1 })));
    bodies.push(body);
    for (const { number, reason } of body.refused) ends.set(number, reason);
    const { from = null, to = 0 } = body.copy ?? {};
    const begins = from?.length === 0;
    const isGap = from !== null && !begins && (api.mark === null || !from.includes(api.mark));
    if (begins) copy.clear();
    if (from !== null && !isGap) api.mark = to;
    if (!isGap) {
      for (const id of body.gone) copy.delete(id);
      for (const memory of body.memories) copy.set(memory.memory_id, memory);
    }
    api.mind = body.mind ?? api.mind;
    if (api.losesAnswer) {
      api.losesAnswer = false;
      return { kind: 'unreachable', why: 'lost' };
    }
    return ok({
      commands: commands.filter(({ number }) => number > body.applied),
      more: false,
      life: 'uid',
      begin: isGap,
    });
  };
  const state = { commands, ends, bodies, sync, copy };
  return Object.assign(api, state);
}
type Api = ReturnType<typeof anApi>;

/** The note of the newest applied change on each volume. */
const volumes = new Map<string, Applied>();

/** The process of a resident on a volume, until it is killed. */
function aResident(api: Api, volume: string, mind: Body['mind'] = { goal: null, plan: null }) {
  const store = openMemory({ dir: join(volume, 'store') });
  const life = { isOver: false, notes: Number.POSITIVE_INFINITY };
  const kill = (): void => {
    if (!life.isOver) store.close();
    life.isOver = true;
  };
  atEnd(kill);
  const warnings: string[] = [];
  const reporter = createReporter({
    memory: store,
    sync: api.sync,
    applied: {
      read: () => volumes.get(volume) ?? { applied: 0 },
      write: (applied) => {
        if (life.notes === 0) {
          kill();
          throw new Error('killed');
        }
        life.notes -= 1;
        volumes.set(volume, applied);
      },
    },
    mind: () => mind ?? { goal: null, plan: null },
    log: { warn: (event) => void warnings.push(event) },
  });
  const exchange = async (): Promise<void> => {
    for (let rounds = 0; rounds < 100; rounds += 1)
      if (!(await reporter.pull()) || (await reporter.push()) !== 'more') return;
  };
  /** Kills the process when it notes one more change. */
  const killAfter = (notes: number): void => void (life.notes = notes);
  return { store, reporter, exchange, warnings, kill, killAfter };
}

const aVolume = (): string => mkdtempSync(join(root, 'volume-'));

/** The ids and the state of all memories, as the agent has them and as the copy has them. */
function isEqual(store: Memory, api: Api): void {
  const held: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = store.list({ audience: 'keeper', limit: 1_000, ...(after !== undefined && { after }) });
    held.push(...page.memories.map(({ id, pinned, text }) => `${id} ${pinned} ${text}`));
    after = page.next;
  }
  const shown = [...api.copy.values()].map(({ memory_id: id, pinned, text }) => `${id} ${pinned} ${text}`);
  assert.deepEqual(shown.toSorted(), held.toSorted());
}

test('all memories of an agent reach people, in bounded reports, and after that only later changes', async () => {
  const api = anApi();
  const { store, exchange } = aResident(api, aVolume());
  const facts = Array.from({ length: 2_500 }, (_, at) =>
    fact(`m-${at}`, `Mia has seen mill number ${at}.`, { subject: `mill ${at}` }),
  );
  for (let at = 0; at < facts.length; at += 500) await store.remember(facts.slice(at, at + 500));
  await exchange();
  isEqual(store, api);
  assert.ok(api.bodies.every(({ memories = [] }) => memories.length <= SYNCED_MEMORIES_MAX));
  const before = api.bodies.length;
  store.pin('m-7', { audience: 'keeper' });
  store.forget(['m-8'], { audience: 'keeper' });
  await exchange();
  const later = api.bodies.slice(before).flatMap(({ memories = [], gone = [] }) => [...memories, ...gone]);
  assert.equal(later.length, 2);
  isEqual(store, api);
});

test("people's changes hold before the next recall, and the agent recalls nothing while the API is away", async () => {
  const api = anApi();
  const { store, reporter, exchange } = aResident(api, aVolume(), { goal: 'baking', plan: null });
  await store.remember([fact('m-1', 'Mia lives in Bern.', { pinned: true }), fact('m-2', 'Mia keeps seven bees.')]);
  await exchange();
  assert.deepEqual(api.mind, { goal: 'baking', plan: null });
  const words = { new_id: 'c-1', text: 'Mia lives in Basel.', by: 'Mia' };
  api.commands.push(
    { op: 'correct', number: 1, memory_id: 'm-1', ...words },
    { op: 'forget', number: 2, memory_id: 'm-2' },
  );
  api.isAway = true;
  assert.equal(await reporter.pull(), false);
  api.isAway = false;
  assert.equal(await reporter.pull(), true);
  assert.equal(store.get('m-2', { audience: 'keeper' }), null);
  const old = store.get('m-1', { audience: 'keeper' });
  assert.ok(old?.kind === 'fact' && old.supersededBy === 'c-1', 'the history stays');
  await exchange();
  isEqual(store, api);
  const corrected = api.copy.get('c-1');
  assert.deepEqual([corrected?.replaces, corrected?.pinned], ['m-1', true]);
});

test('a change that the agent cannot apply is reported with the reason, and the copy shows the truth again', async () => {
  const api = anApi();
  const { store, exchange } = aResident(api, aVolume());
  const pins = Array.from({ length: 200 }, (_, at) =>
    fact(`m-${at}`, `Mia has pinned remark ${at}.`, { pinned: true }),
  );
  await store.remember([...pins, fact('m-more', 'Mia has one more remark.')]);
  await exchange();
  // The API shows a change at once.
  const more = api.copy.get('m-more');
  assert.ok(more !== undefined);
  api.copy.set('m-more', { ...more, pinned: true });
  api.copy.set('c-1', { ...more, memory_id: 'c-1', text: 'A correction of nothing.' });
  api.commands.push(
    { op: 'pin', number: 1, memory_id: 'm-more', pinned: true },
    { op: 'correct', number: 2, memory_id: 'm-never', new_id: 'c-1', text: 'A correction of nothing.', by: 'Mia' },
    { op: 'pin', number: 3, memory_id: 'm-never', pinned: false },
    { op: 'pin', number: 4, memory_id: 'm-1', pinned: false },
  );
  await exchange();
  assert.deepEqual(
    [...api.ends],
    [
      [1, 'too_many_pins'],
      [2, 'no_such_memory'],
      [3, 'no_such_memory'],
    ],
  );
  isEqual(store, api);
});

test('a kill between a change and its acknowledgement applies it once, and loses no refusal', async () => {
  for (const notes of [0, 1, 2]) {
    const api = anApi();
    const volume = aVolume();
    const first = aResident(api, volume);
    await first.store.remember([fact('m-1', 'Mia lives in Bern.')]);
    await first.exchange();
    api.commands.push(
      { op: 'correct', number: 1, memory_id: 'm-1', new_id: 'c-1', text: 'Mia lives in Basel.', by: 'Mia' },
      { op: 'pin', number: 2, memory_id: 'm-gone', pinned: true },
    );
    first.killAfter(notes);
    await assert.rejects(first.reporter.pull(), /killed/);
    const next = aResident(api, volume);
    await next.exchange();
    assert.deepEqual([...api.ends], [[2, 'no_such_memory']], `killed after ${notes} notes`);
    assert.equal(next.store.stats().facts, 2);
    isEqual(next.store, api);
  }
});

test('a report that arrives without its answer comes again, and the copy does not begin again', async () => {
  const api = anApi();
  const volume = aVolume();
  const first = aResident(api, volume);
  await first.store.remember([fact('m-1', 'Mia lives in Bern.')]);
  await first.exchange();
  await first.store.remember([fact('m-2', 'Mia keeps seven bees.')]);
  await first.reporter.pull();
  api.losesAnswer = true;
  assert.equal(await first.reporter.push(), 'failed');
  first.kill();
  const next = aResident(api, volume);
  const before = api.bodies.length;
  await next.exchange();
  isEqual(next.store, api);
  assert.ok(api.bodies.slice(before).every(({ copy }) => copy?.from.length !== 0));
});

test('after an older volume, a new one or a lost database, the copy begins again and equals the memory', async () => {
  const api = anApi();
  const volume = aVolume();
  const older = aVolume();
  const first = aResident(api, volume);
  await first.store.remember([fact('m-1', 'Mia lives in Bern.'), fact('m-2', 'Mia keeps seven bees.')]);
  await first.exchange();
  first.kill();
  cpSync(volume, older, { recursive: true });
  const second = aResident(api, volume);
  await second.store.remember([fact('m-3', 'Mia plays the cello.')]);
  second.store.forget(['m-2'], { audience: 'keeper' });
  await second.exchange();
  second.kill();
  for (const each of [older, aVolume()]) {
    const restored = aResident(api, each);
    await restored.store.remember([fact('m-9', 'Mia paints.')]);
    await restored.exchange();
    isEqual(restored.store, api);
    restored.kill();
  }
  api.copy.clear();
  api.mark = null;
  const last = aResident(api, older);
  await last.exchange();
  isEqual(last.store, api);
  assert.equal(last.store.stats().facts, 3);
});

test('a text that Postgres cannot store, and a memory that the API cannot show, keep no other memory from people', async () => {
  const api = anApi();
  const { store, exchange, warnings } = aResident(api, aVolume(), { goal: 'to bake\0 \ud800', plan: '\0' });
  await store.remember([
    fact('m-1', 'Mia lives\0 in Bern \udc00.', { subject: 'Mi\0a' }),
    fact('m-2', 'Mia keeps seven bees.', { repository: ' ' }),
    fact('no id of the API', 'Mia paints.'),
    fact('m-4', 'Mia plays the cello.'),
  ]);
  await exchange();
  assert.deepEqual(
    ['m-1', 'm-4'].map((id) => api.copy.get(id)?.text),
    ['Mia lives\ufffd in Bern \ufffd.', 'Mia plays the cello.'],
  );
  assert.deepEqual(api.mind, { goal: 'to bake\ufffd \ufffd', plan: '\ufffd' });
  assert.ok(warnings.includes('memory_not_shown') && !warnings.includes('memory_not_synced'));
});

atEnd(async () => rmSync(root, { recursive: true, force: true }));
