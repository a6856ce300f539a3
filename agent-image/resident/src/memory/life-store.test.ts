import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { testFolder } from '@hamlet/test/env/at-end';
import { DIARY, entityOf, MAX_OBSERVATION_CHARS, NOTE } from './entity.ts';
import { MAX_DIARY_ENTRIES, openLifeStore, readEntities } from './life-store.ts';

const root = testFolder('life');
const aPath = () => join(mkdtempSync(join(root, 'agent-')), 'deep', 'life.jsonl');

test('after a restart the home and the last plan are remembered', () => {
  const path = aPath();
  const before = openLifeStore({ path });
  assert.equal(before.livedBefore, false);
  before.remember(
    entityOf('home', 'home', ['cottage-2']),
    entityOf('plan', 'plan', ['{"day":1}']),
    entityOf('turn 1', DIARY, ['I woke up.']),
  );
  before.remember(entityOf('plan', 'plan', ['{"day":2}']));
  before.close();
  const later = openLifeStore({ path });
  assert.equal(later.livedBefore, true);
  assert.deepEqual(later.recall('home')?.observations, ['cottage-2']);
  assert.deepEqual(later.recall('plan')?.observations, ['{"day":2}']);
  assert.deepEqual(pluck(later.diary(), 'name'), ['turn 1']);
  later.close();
});

test('a line truncated by a crash is dropped, earlier lines stay, and writing continues', () => {
  const path = aPath();
  const before = openLifeStore({ path });
  before.remember(entityOf('home', 'home', ['cottage-2']));
  before.close();
  appendFileSync(path, '{"type":"entity","name":"pl');
  const torn = openLifeStore({ path });
  torn.remember(entityOf('plan', 'plan', ['next']));
  torn.close();
  const later = openLifeStore({ path });
  assert.deepEqual(later.recall('home')?.observations, ['cottage-2']);
  assert.deepEqual(later.recall('plan')?.observations, ['next']);
  later.close();
});

test('the memory file of an earlier version gives home, plan and diary once, and keeps its notes', () => {
  const from = join(root, 'memory.jsonl');
  const note = { ...entityOf('m-1', NOTE, ['Ann likes tea.']), audience: null };
  const old = [entityOf('home', 'home', ['mill']), note, entityOf('turn 1', DIARY, ['I woke up.'])];
  writeFileSync(from, `${old.map((entity) => JSON.stringify(entity)).join('\n')}\nnot json\n`);
  const path = aPath();
  const first = openLifeStore({ path, from });
  assert.deepEqual([first.livedBefore, first.recall('m-1'), first.diary().length], [true, undefined, 1]);
  first.remember(entityOf('home', 'home', ['cottage-2']));
  first.close();
  const later = openLifeStore({ path, from });
  assert.deepEqual(later.recall('home')?.observations, ['cottage-2']);
  later.close();
});

test('the file stays bounded; the newest diary entries and every named entity survive', () => {
  const path = aPath();
  const maxBytes = 32 * 1024;
  const life = openLifeStore({ path, maxBytes });
  life.remember(entityOf('home', 'home', ['cottage-2']));
  for (let turn = 0; turn < 600; turn += 1) {
    life.remember(entityOf('plan', 'plan', [`plan ${turn}`]), entityOf(`turn ${turn}`, DIARY, ['I walked about.']));
    assert.ok(statSync(path).size <= maxBytes);
  }
  life.close();
  assert.deepEqual(readdirSync(join(path, '..')), ['life.jsonl']);
  const later = openLifeStore({ path });
  assert.equal(later.recall('plan')?.observations[0], 'plan 599');
  assert.equal(later.recall('home')?.observations[0], 'cottage-2');
  assert.equal(later.diary().length, MAX_DIARY_ENTRIES);
  assert.equal(later.diary().at(-1)?.name, 'turn 599');
  later.close();
});

test('an observation is shortened at its limit', () => {
  assert.equal(
    entityOf('x', 'y', ['z'.repeat(MAX_OBSERVATION_CHARS + 1)]).observations[0]?.length,
    MAX_OBSERVATION_CHARS,
  );
});

/** Runs a program whose files cannot get longer than 32 or 64 KiB, as the shell counts blocks: a write to a full disk is cut there. */
const onFullDisk = (path: string, program: string): string =>
  execFileSync(
    'sh',
    ['-c', 'ulimit -f 64 && exec "$@"', 'sh', process.execPath, '--input-type=module-typescript', '-e', program, path],
    { encoding: 'utf8', env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' } },
  );
const OPENING = `import { openLifeStore } from ${JSON.stringify(join(import.meta.dirname, 'life-store.ts'))};
const path = process.argv[1];`;
const aLine = (name: string) => entityOf(name, 'state', ['x'.repeat(1_000)]);

test('a disk without room for the whole file leaves the old one as it is', () => {
  const path = aPath();
  const before = openLifeStore({ path });
  for (let n = 0; n < 100; n += 1) before.remember(aLine(`e${n}`));
  before.close();
  const kept = readFileSync(path, 'utf8');
  const printed = onFullDisk(
    path,
    `${OPENING} try { openLifeStore({ path }); } catch (error) { console.log(error.code); }`,
  );
  assert.equal(printed, 'EFBIG\n');
  assert.equal(readFileSync(path, 'utf8'), kept);
  assert.deepEqual(readdirSync(join(path, '..')), ['life.jsonl']);
});

test('a write that a full disk cuts throws, and spoils no later line', () => {
  const path = aPath();
  const printed = onFullDisk(
    path,
    `${OPENING} const life = openLifeStore({ path }); let n = 0;
    const line = (size) => ({ type: 'entity', name: 'e' + n, entityType: 'state', observations: ['x'.repeat(size)] });
    try { for (; n < 200; n += 1) life.remember(line(1_000)); } catch { console.log(n, life.recall('e' + n) === undefined); }
    life.remember(line(10));`,
  );
  const [count = '', isUnknown] = printed.trim().split(' ');
  assert.equal(isUnknown, 'true');
  assert.deepEqual(
    readEntities(path).map(({ name, observations }) => [name, observations[0]?.length]),
    [...Array.from({ length: Number(count) }, (_, n) => [`e${n}`, 1_000]), [`e${count}`, 10]],
  );
});

test('the store appends to a file that it cannot shorten, and touches no other file', () => {
  const path = aPath();
  const life = openLifeStore({ path, maxBytes: 2_000 });
  mkdirSync(`${path}.new`);
  for (const name of ['a', 'b', 'c']) life.remember(aLine(name));
  const other = openSync(`${path}.other`, 'w');
  life.remember(aLine('d'));
  closeSync(other);
  life.close();
  assert.equal(statSync(`${path}.other`).size, 0);
  assert.deepEqual(pluck(readEntities(path), 'name'), ['a', 'b', 'c', 'd']);
});
