/** The agent's own memory as a file in the hands, under a real supervisor and over a real store. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openMemory, type Fact } from '@hamlet/engine/memory';
import { atEnd, testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { connectHands } from '../../hands/hands-client.ts';
import { openExportStore } from './export-store.ts';
import { createMemoryFiles } from './memory-files.ts';
import { ownFile } from './own-file.ts';
import { createOwnMemory } from '../own-memory.ts';

const { signal } = new AbortController();
const hands = untilEnd(await startHands());
const client = untilEnd(await connectHands(hands.socket));
const root = testFolder('own-file');
const readBy = (...present: readonly string[]) => ({ present, repository: null });

/** An agent with its volume; `process` starts its resident again. */
function anAgent() {
  const dir = mkdtempSync(join(root, 'agent-'));
  const home = mkdtempSync(join(hands.workspace, 'home-'));
  const store = openMemory({ dir: join(dir, 'store') });
  atEnd(async () => store.close());
  const own = createOwnMemory(store);
  const noted: string[] = [];
  let ids = 0;
  const process = () => {
    const find = () => ({ repository: null }) as never;
    const note = async (_run: string, written: readonly string[]) => {
      assert.ok(written.length <= 64);
      noted.push(...written);
      return { tainted: [] };
    };
    const audienceOf = (run: string) => [run.split(' ')[0] ?? ''];
    const file = ownFile({ memory: own, nextId: () => `g-${(ids += 1)}`, audienceOf, note });
    const exports = openExportStore(join(dir, 'exports'));
    return createMemoryFiles({ memoryOf: () => file, book: { find }, home, exports, log: { warn: () => {} } });
  };
  const path = join(home, '.mcp-memory/memory.jsonl');
  const lines = () => readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const write = (...added: readonly (object | string)[]): void => {
    mkdirSync(join(home, '.mcp-memory'), { recursive: true });
    const texts = added.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    writeFileSync(path, texts.map((text) => `${text}\n`).join(''));
  };
  const textsFor = (...people: readonly string[]) =>
    own
      .list(readBy(...people), 1_000)
      .map(({ text }) => text)
      .toSorted();
  return { store, own, process, path, lines, write, noted, textsFor };
}

const entity = (name: string, ...observations: readonly string[]) => ({
  type: 'entity',
  name,
  entityType: 'person',
  observations,
});
const relation = (from: string, relationType: string, to: string) => ({ type: 'relation', from, to, relationType });
const exchange = (files: ReturnType<ReturnType<typeof anAgent>['process']>, run: string, called = true) =>
  files.exchange(client, run, { read: 'all', called, signal });
const common = { audience: 'public', isOutside: false } as const;

test('the file has what everybody may know and what programs wrote, which is remembered for the people of their run', async () => {
  const { own, process, lines, write, noted, textsFor } = anAgent();
  await own.remember({ id: 'm-1', text: 'The mill opens at nine.', about: 'mill', ...common });
  await own.remember({ id: 'm-2', text: 'Ana fears geese.', about: 'Ana', audience: ['ana'], isOutside: false });
  await own.remember({ id: 'm-3', text: 'A page says so.', about: null, audience: 'public', isOutside: true });
  const files = process();
  await exchange(files, 'ana 1');
  const mill = { ...entity('mill', 'The mill opens at nine.'), entityType: 'subject' };
  assert.deepEqual(lines(), [JSON.stringify(mill)]);
  const written = [mill, entity('Ana', 'Ana rows.', 'ok'), entity('empty'), relation('Ana', 'works at', 'mill')];
  write(...written);
  await exchange(files, 'ana 1');
  assert.deepEqual(textsFor('ana'), [
    'A page says so.',
    'Ana fears geese.',
    'Ana rows.',
    'The mill opens at nine.',
    'works at mill',
  ]);
  assert.deepEqual(textsFor('ben'), ['A page says so.', 'The mill opens at nine.']);
  assert.deepEqual(new Set(lines()), new Set(written.map((each) => JSON.stringify(each))));
  const [before, content] = [noted.length, lines()];
  await exchange(files, 'ben 2');
  await exchange(process(), 'ben 3');
  assert.deepEqual([noted.length, lines()], [before, content], 'a second exchange takes nothing again');
  assert.deepEqual(textsFor('ben'), ['A page says so.', 'The mill opens at nine.']);
});

test('a forgotten statement leaves the file, a corrected one too, because its new words are private, and a deleted line is forgotten', async () => {
  const { store, process, lines, write, textsFor } = anAgent();
  await store.remember([{ kind: 'fact', id: 'm-1', subject: 'mill', text: 'The mill is red.', audience: 'public' }]);
  const files = process();
  await exchange(files, 'ana 1');
  write(entity('Ana', 'Ana rows.', 'Ana lives in Lyon.', 'Ana sings.'), relation('Ana', 'knows', 'Ben'));
  await exchange(files, 'ana 1');
  const idOf = (text: string) =>
    store.list({ audience: ['ana'] }).memories.find((each) => each.text === text)?.id ?? '';
  store.forget([idOf('Ana rows.'), idOf('knows Ben')], { audience: ['ana'] });
  const corrected = { kind: 'fact', subject: 'Ana', text: 'Ana lives in Paris.', audience: ['ana'] } as const;
  await store.remember([{ ...corrected, supersedes: idOf('Ana lives in Lyon.') }]);
  await exchange(files, 'ana 1');
  const mill = JSON.stringify({ ...entity('mill', 'The mill is red.'), entityType: 'subject' });
  assert.deepEqual(lines(), [JSON.stringify(entity('Ana', 'Ana sings.')), mill]);
  write(entity('Ana', 'Ana lives in Paris.'));
  await exchange(files, 'ana 1');
  assert.ok(!textsFor('ana').includes('Ana sings.'));
  assert.ok(lines().includes(mill), 'programs do not delete what everybody may know');
  write(entity('Ana'));
  await exchange(files, 'ben 1');
  assert.ok(textsFor('ana').includes('Ana lives in Paris.'), 'nor what only others may know');
});

test('unreadable lines move beside the file, missing entries stay, and the other lines are taken', async () => {
  const { process, path, lines, write, textsFor } = anAgent();
  const files = process();
  write(entity('Ana', 'Ana rows.'));
  await exchange(files, 'ana 1');
  write(entity('Ben', 'Ben sings.'), '{"type":"entity","name":"To', '{"type":"other"}');
  await exchange(files, 'ana 1');
  assert.deepEqual(textsFor('ana'), ['Ana rows.', 'Ben sings.']);
  assert.deepEqual(lines(), [JSON.stringify(entity('Ben', 'Ben sings.'))]);
  const beside = readFileSync(join(path, '../memory.unreadable'), 'utf8');
  assert.equal(beside, '{"type":"entity","name":"To\n{"type":"other"}\n');
});

test('an emptied file deletes only after a call; after a crash the same lines are one memory, as text from outside', async () => {
  const { store, process, write, path, textsFor } = anAgent();
  write(entity('Ana', 'Ana rows.'));
  await exchange(process(), 'ana 1', false);
  const [first] = store.list({ audience: ['ana'] }).memories as readonly Fact[];
  assert.equal(first?.taint, 'outside', 'another run may have written what the first exchange finds');
  writeFileSync(path, '');
  const files = process();
  await exchange(files, 'ana 2', false);
  assert.deepEqual(textsFor('ana'), ['Ana rows.']);
  write(entity('Ana', 'Ana rows.'));
  await exchange(files, 'ana 2');
  assert.equal(store.stats().facts, 1);
});

test('a file of many lines is taken in several exchanges, and loses none', async () => {
  const { process, write, lines, textsFor } = anAgent();
  const files = process();
  const all = Array.from({ length: 300 }, (_, number) => entity(`n${number}`, `Number ${number} is a number.`));
  write(...all);
  for (const taken of [128, 256, 300]) {
    await exchange(files, 'ana 1');
    assert.deepEqual([textsFor('ana').length, lines().length], [taken, 300]);
  }
});
