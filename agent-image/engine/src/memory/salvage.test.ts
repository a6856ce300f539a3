import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { MemoryError } from './memory-error.ts';
import { hashedEmbedder } from './embedding/hashed-embedder.ts';
import { openMemory } from './open-memory.ts';
import { GuardedStore } from './store/guarded-store.ts';
import { openStore } from './store/open-store.ts';
import { openParts } from './store/parts.ts';
import { salvageStore } from './store/salvage.ts';

const ROWS = 400;
const said = (turn: number) =>
  ({
    kind: 'evidence',
    id: `m-${turn}`,
    session: 's',
    turn,
    speaker: 'ana',
    text: `The number of shelf ${turn} in the cellar is ${turn * 7}.`,
    audience: ['ana'],
  }) as const;

async function filled(dir: string): Promise<string> {
  const memory = openMemory({ dir });
  await memory.remember(Array.from({ length: ROWS }, (_, turn) => said(turn)));
  memory.pin('m-399', { audience: 'keeper' });
  memory.forget(['m-17'], { audience: 'keeper' });
  memory.close();
  return join(dir, 'memory.db');
}

function overwrite(path: string, from: number, bytes: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, from);
  closeSync(file);
}

test('damage anywhere in the file costs only the entries of its own pages, and the damaged file is kept aside', async () => {
  const page = 4_096;
  for (const share of [0.1, 0.5, 0.8]) {
    const dir = testFolder('salvage');
    const path = await filled(dir);
    const pages = Math.floor(statSync(path).size / page);
    overwrite(path, Math.floor(pages * share) * page, page);
    const memory = openMemory({ dir });
    // Damage that no search touches shows when the page is read.
    memory.list({ audience: 'keeper', limit: 1_000 });
    await memory.search('number of shelf 250 in the cellar', { audience: ['ana'], k: 100 });
    await memory.remember([said(ROWS + 1)]);
    const { evidence, salvage, forgotten } = memory.stats();
    assert.ok(evidence >= ROWS - 60, `${evidence} of ${ROWS} entries after damage at ${share}`);
    if (salvage !== null) assert.ok(existsSync(salvage.aside));
    assert.ok(forgotten <= 1);
    assert.equal(memory.get('m-17', { audience: 'keeper' }), null);
    memory.close();
    openMemory({ dir }).close();
  }
});

test('a file without a header opens as a new memory beside the damaged one', async () => {
  const dir = testFolder('salvage');
  const path = await filled(dir);
  overwrite(path, 0, 512);
  const memory = openMemory({ dir });
  const { evidence, salvage } = memory.stats();
  assert.equal(evidence, 0);
  assert.ok(salvage !== null && existsSync(salvage.aside));
  const [again] = await memory.remember([said(1)]);
  assert.equal(again?.outcome, 'remembered');
  memory.forget(['m-1'], { audience: 'keeper' });
  assert.deepEqual(
    readdirSync(dir).filter((name) => name.includes('damaged')),
    [],
  );
  memory.close();
});

test('a second process is refused while the first one has the memory open', () => {
  const dir = testFolder('salvage');
  const memory = openMemory({ dir });
  assert.throws(
    () => openMemory({ dir }),
    (error) => error instanceof MemoryError && error.code === 'memory_locked',
  );
  memory.close();
});

const KILLED = `
  import { openMemory } from '${new URL('./open-memory.ts', import.meta.url).href}';
  const memory = openMemory({ dir: process.argv[1] });
  for (let turn = 0; ; turn += 1) {
    const text = 'Crate ' + turn + ' holds apples and pears';
    await memory.remember([{ kind: 'evidence', session: 's', turn, speaker: 'ana', text, audience: 'public' }]);
    process.stdout.write(turn + '\\n');
  }
`;

test('a memory that was confirmed survives a kill, and the next process opens the store', async () => {
  const dir = testFolder('salvage');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', KILLED, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (data: Buffer) => {
    printed += data.toString();
    if (printed.split('\n').length > 20) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const confirmed = printed.trim().split('\n').length;
  const memory = openMemory({ dir });
  assert.ok(memory.stats().evidence >= confirmed);
  assert.equal(memory.stats().salvage, null);
  assert.ok((await memory.search('crate apples', { audience: 'public' })).length > 0);
  memory.close();
});

/** Runs a program with an open memory of the folder until it kills itself. */
async function killed(dir: string, program: string): Promise<void> {
  const opening = `import { DatabaseSync } from 'node:sqlite';
    const die = () => process.kill(process.pid, 'SIGKILL');
    const open = async () => (await import('${new URL('open-memory.ts', import.meta.url).href}')).openMemory({ dir: process.argv[1] });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `${opening}\n${program}`, dir], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}

test('a kill right after a forgetting leaves no bytes once the memory is open again', async () => {
  const dir = testFolder('salvage');
  await filled(dir);
  for (const name of ['memory.db.damaged-1', 'memory.db.new']) writeFileSync(join(dir, name), said(250).text);
  await killed(
    dir,
    `const memory = await open();
    const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function (sql) {
      if (sql.includes('wal_checkpoint')) die();
      return exec.call(this, sql);
    };
    memory.forget(['m-250'], { audience: 'keeper' });`,
  );
  const memory = openMemory({ dir });
  assert.deepEqual([memory.get('m-250', { audience: 'keeper' }), memory.stats().forgotten], [null, 2]);
  assert.deepEqual(
    readdirSync(dir).filter((name) => readFileSync(join(dir, name)).includes('shelf 250 in')),
    [],
  );
  memory.close();
});

test('a salvage without room is tried again at the next use', async () => {
  const dir = testFolder('salvage');
  const path = await filled(dir);
  const pages = Math.floor(statSync(path).size / 4_096);
  const embedder = hashedEmbedder();
  let tries = 0;
  const store = new GuardedStore({
    open: () => openParts(openStore(path), embedder),
    salvage: () => {
      tries += 1;
      if (tries === 1) throw new Error('ENOSPC');
      salvageStore(path, embedder, 1);
    },
  });
  overwrite(path, Math.floor(pages * 0.5) * 4_096, 4_096);
  const readAll = () => store.read(({ database }) => database.prepare('select * from memory').all().length);
  const verify = () =>
    store.read(({ database }) => {
      const result = database.prepare('pragma quick_check(1)').get()?.['quick_check'];
      if (result !== 'ok') throw Object.assign(new Error('damaged'), { errcode: 11 });
    });
  assert.throws(verify, /ENOSPC/);
  verify();
  assert.ok(readAll() >= ROWS - 60);
  store.database.close();
});
