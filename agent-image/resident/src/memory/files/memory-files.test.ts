/** Memory files of repositories under a real supervisor: synchronized with the village, safe over crashes, and never trusted. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { connectHands } from '../../hands/hands-client.ts';
import { aMemoryVillage, type MemoryVillage } from '../../testing/a-repository-memory.ts';
import { openExportStore } from './export-store.ts';
import { repositoryFile } from './repository-file.ts';
import type { Exchanged } from './exchange-file.ts';
import { createMemoryFiles, memoryFileOf, type MemoryFiles } from './memory-files.ts';

const BAKERY = 'https://git.example.org/town/bakery.git';
const MILL = 'https://git.example.org/town/mill.git';
const { signal } = new AbortController();

const hands = untilEnd(await startHands());
const client = untilEnd(await connectHands(hands.socket));
let village: MemoryVillage;
let files: MemoryFiles;
let warnings: string[];
/** The runs under way, with their people at the start. */
const booked = new Map<string, readonly string[] | null>();
let homes = 0;
let home: string;

beforeEach(() => {
  booked.clear();
  home = join(hands.workspace, `home-${(homes += 1)}`);
  mkdirSync(home);
  village = aMemoryVillage();
  warnings = [];
  begin('r1', 'ada', BAKERY);
  begin('r2', 'ada', MILL);
  begin('r3', 'ada', null);
  files = aProcess();
});

function begin(run: string, agentId: string, url: string | null): void {
  village.runs.set(run, { agentId, url, people: null });
  booked.set(run, null);
}

/** Ada begins a run in a session of these people on the bakery. */
function beginWith(run: string, ...people: string[]): void {
  village.runs.set(run, { agentId: 'ada', url: BAKERY, people });
  booked.set(run, people);
}

/** A new resident process with the volume of the previous one. */
function aProcess(state = join(home, '../state')): MemoryFiles {
  const find = (run: string) => {
    const url = village.runs.get(run)?.url ?? null;
    const people = booked.get(run);
    if (people === undefined) return undefined;
    return { repository: url === null ? null : { url, branch: 'main' }, memoryAudience: people } as never;
  };
  const log = { warn: (_event: string, entry: object = {}) => void warnings.push(JSON.stringify(entry)) };
  const exports = openExportStore(`${state}-${homes}`);
  const shared = repositoryFile(village.memory);
  const memoryOf = (run: string) => (village.memory.has(run) ? shared : null);
  return createMemoryFiles({ memoryOf, book: { find }, home, exports, log });
}

const fileOf = (url: string | null, people: readonly string[] | null = null): string =>
  join(home, memoryFileOf(url === null ? null : { url, audience: people }));
const linesOf = (url: string, people: readonly string[] | null = null): readonly string[] =>
  readFileSync(fileOf(url, people), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
const entity = (name: string, ...observations: string[]) => ({
  type: 'entity',
  name,
  entityType: 'thing',
  observations,
});
const add = (name: string, ...observations: string[]) => ({ op: 'add' as const, name, type: 'thing', observations });
const place = (run: string, read: 'own' | 'all' = 'own') => files.place(client, run, { read, signal });
const exchange = (run: string, called = false, read: 'own' | 'all' = 'all'): Promise<Exchanged> =>
  files.exchange(client, run, { read, called, signal });
const keep = (run: string) => files.keep(hands.socket, run, signal);

/** A program of the hands that changes the file. */
function rewrite(url: string, change: (lines: readonly string[]) => readonly string[]): void {
  writeFileSync(fileOf(url), change(linesOf(url)).join('\n'));
}
const write = (url: string, ...entities: object[]): void =>
  rewrite(url, (lines) => [...lines, ...entities.map((each) => JSON.stringify(each))]);
const namesIn = (url: string): readonly string[] =>
  village
    .entries(url)
    .map(({ name }) => name)
    .toSorted();

test('each repository has its own file, which its next session finds again and no other repository sees', async () => {
  await place('r1');
  write(BAKERY, entity('oven', 'It is hot.'));
  await keep('r1');
  await place('r2');
  assert.deepEqual(linesOf(MILL), []);
  assert.notEqual(dirname(fileOf(BAKERY)), dirname(fileOf(MILL)));
  begin('r4', 'ada', 'https://git.example.org/town/bakery');
  await place('r4');
  assert.deepEqual(linesOf(BAKERY), [JSON.stringify(entity('oven', 'It is hot.'))]);
  assert.equal(fileOf('https://git.example.org/town/bakery'), fileOf(BAKERY));
});

test('a run without a repository uses only the folder and sends nothing to the village', async () => {
  await place('r3');
  assert.ok(existsSync(dirname(fileOf(null))));
  writeFileSync(fileOf(null), JSON.stringify(entity('own', 'mine')));
  await keep('r3');
  assert.deepEqual(village.uses, []);
});

test('entries of others arrive in the file, entries of programs reach the village, and none is lost', async () => {
  begin('b1', 'bob', BAKERY);
  await exchange('r1');
  write(BAKERY, entity('oven', 'by ada'));
  village.change('b1', add('oven', 'by bob'), add('door', 'blue'));
  assert.deepEqual(await exchange('r1', true), { kind: 'done', refused: [] });
  assert.deepEqual(
    village
      .entries(BAKERY)
      .find(({ name }) => name === 'oven')
      ?.observations.toSorted(),
    ['by ada', 'by bob'],
  );
  assert.equal(linesOf(BAKERY).length, 2);
  rewrite(BAKERY, (lines) => lines.filter((line) => !line.includes('door')));
  assert.deepEqual(await exchange('r1', true), { kind: 'done', refused: ['not_yours'] });
  assert.deepEqual(namesIn(BAKERY), ['door', 'oven'], 'entries that another agent created stay');
  assert.equal(linesOf(BAKERY).length, 2);
});

test('a file for shells contains no outside text; the file for a server contains all of it', async () => {
  begin('b1', 'bob', BAKERY);
  village.change('b1', add('door', 'blue'));
  await place('r1');
  assert.deepEqual(linesOf(BAKERY), []);
  await exchange('r1');
  assert.equal(linesOf(BAKERY).length, 1);
  begin('r5', 'ada', BAKERY);
  await place('r5');
  assert.deepEqual(linesOf(BAKERY), []);
  assert.deepEqual(namesIn(BAKERY), ['door']);
});

test("after a crash the next process takes a program's entries as outside text, and none is lost", async () => {
  await place('r1');
  write(BAKERY, entity('oven', 'It is hot.'));
  files = aProcess();
  begin('r6', 'ada', BAKERY);
  await place('r6');
  assert.deepEqual(namesIn(BAKERY), ['oven']);
  assert.equal(village.entries(BAKERY)[0]?.outside, true);
  assert.deepEqual(
    pluck(
      village.uses.filter(({ changes = [] }) => changes.length > 0),
      'run',
      'left',
    ),
    [['r6', true]],
  );
});

test('an entry that a person deletes stays deleted, even if a restarted process has an old file', async () => {
  village.change('r1', add('poison', 'run this'), add('oven', 'hot'));
  await place('r1');
  village.forget(BAKERY, 'poison');
  files = aProcess();
  begin('r7', 'ada', BAKERY);
  await place('r7');
  assert.deepEqual([namesIn(BAKERY), linesOf(BAKERY).length], [['oven'], 1]);
});

test('after a refusal by the village the file stays, and a later exchange sends it', async () => {
  await exchange('r1');
  write(BAKERY, entity('oven', 'hot'));
  village.refuse = { kind: 'refused', code: 'memory_writes_limited', detail: 'Wait.' };
  assert.equal((await exchange('r1', true)).kind, 'refused');
  assert.equal(linesOf(BAKERY).length, 1);
  village.refuse = null;
  assert.equal((await exchange('r1')).kind, 'done');
  assert.deepEqual(namesIn(BAKERY), ['oven']);
});

test('the entry that a program writes during an exchange is not overwritten', async () => {
  await exchange('r1');
  write(BAKERY, entity('oven', 'hot'));
  let once = true;
  village.onUse = ({ read }) => {
    if (read === 'none' || !once) return;
    once = false;
    write(BAKERY, entity('door', 'blue'));
  };
  await exchange('r1');
  assert.deepEqual(namesIn(BAKERY), ['door', 'oven']);
});

test('a file that is too long is renamed, and a link out of the home is not followed', async () => {
  village.change('r1', add('oven', 'hot'));
  await place('r1');
  writeFileSync(fileOf(BAKERY), 'x'.repeat(600_000));
  await exchange('r1');
  assert.deepEqual([namesIn(BAKERY), linesOf(BAKERY).length], [['oven'], 1]);
  assert.equal(readFileSync(join(dirname(fileOf(BAKERY)), 'memory.unreadable')).length, 600_000);
  const outside = join(hands.workspace, `outside-${homes}`);
  writeFileSync(outside, JSON.stringify(entity('secret', 'of another')));
  rmSync(fileOf(BAKERY));
  symlinkSync(outside, fileOf(BAKERY));
  await keep('r1');
  assert.deepEqual(namesIn(BAKERY), ['oven']);
  assert.match(readFileSync(outside, 'utf8'), /of another/);
  assert.ok(warnings.length > 0);
});

test('an emptied file deletes memories only after a call of the server', async () => {
  village.change('r1', add('oven', 'hot'));
  await place('r1');
  writeFileSync(fileOf(BAKERY), '');
  await exchange('r1');
  assert.deepEqual(namesIn(BAKERY), ['oven']);
  writeFileSync(fileOf(BAKERY), '');
  await exchange('r1', true);
  assert.deepEqual(namesIn(BAKERY), []);
});

test('the file of a session has what its people may know, and a person who joins narrows it', async () => {
  beginWith('m1', 'mia');
  beginWith('n1', 'noa');
  beginWith('b1', 'noa', 'mia');
  village.change('r1', add('oven', 'hot'));
  village.change('m1', add('oven', 'broken'), add('of mia', 'a secret'));
  village.change('n1', add('of noa', 'a surprise'));
  for (const run of ['m1', 'n1', 'b1']) await place(run);
  const [mias, both] = [['mia'], ['mia', 'noa']];
  assert.deepEqual(linesOf(BAKERY, mias), [
    JSON.stringify(entity('oven', 'hot', 'broken')),
    JSON.stringify(entity('of mia', 'a secret')),
  ]);
  assert.deepEqual(linesOf(BAKERY, both), [JSON.stringify(entity('oven', 'hot'))]);
  village.runs.set('m1', { agentId: 'ada', url: BAKERY, people: both });
  await exchange('m1');
  assert.deepEqual(linesOf(BAKERY, mias), [JSON.stringify(entity('oven', 'hot'))]);
  assert.deepEqual(namesIn(BAKERY), ['of mia', 'of noa', 'oven', 'oven'], 'nothing is forgotten');
});

test('entries that a program writes in a session are for its people, even after a crash', async () => {
  village.change('r1', add('oven', 'hot'));
  beginWith('m1', 'mia');
  await place('m1');
  writeFileSync(fileOf(BAKERY, ['mia']), JSON.stringify(entity('oven', 'hot', 'broken')));
  files = aProcess();
  beginWith('b1', 'mia', 'noa');
  begin('r4', 'ada', BAKERY);
  beginWith('m2', 'mia');
  for (const run of ['b1', 'r4', 'm2']) await place(run);
  assert.deepEqual(
    village.entries(BAKERY).map(({ audience, observations }) => [audience, observations]),
    [
      [null, ['hot']],
      [['mia'], ['broken']],
    ],
  );
});

test('a file for some people ends with the last run that uses it', async () => {
  for (const run of ['m1', 'm2']) beginWith(run, 'mia');
  for (const run of ['m1', 'm2', 'r1']) await place(run);
  for (const run of ['m1', 'r1']) await keep(run);
  const file = fileOf(BAKERY, ['mia']);
  assert.ok(existsSync(file) && existsSync(fileOf(BAKERY)));
  writeFileSync(file, JSON.stringify(entity('of mia', 'a secret')));
  await keep('m2');
  assert.ok(!existsSync(file));
  assert.deepEqual(namesIn(BAKERY), ['of mia']);
  beginWith('m3', 'mia');
  await place('m3');
  assert.equal(linesOf(BAKERY, ['mia']).length, 1);
  booked.delete('m3');
  beginWith('m4', 'mia');
  await place('m4');
  await keep('m4');
  assert.ok(!existsSync(file), 'a run that waits does not use it');
  beginWith('m3', 'mia');
  await place('m3');
  assert.ok(existsSync(file), 'it gets the file again');
});
