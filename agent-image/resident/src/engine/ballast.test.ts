/** A real full disk: a file system of 64 MiB in memory, in a mount namespace of the test. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';

const folder = testFolder('full-disk');

const MODULE = JSON.stringify(join(import.meta.dirname, 'open-journal.ts'));
const ENGINE = JSON.stringify(import.meta.resolve('@hamlet/engine'));
const ENGINE_EVENT = JSON.stringify(join(import.meta.dirname, '../../../engine/src/testing/an-event.ts'));

const PRELUDE = `
  const { closeSync, existsSync, openSync, rmSync, statSync, writeSync } = await import('node:fs');
  const { openSqliteJournal } = await import(${ENGINE});
  const { openJournal } = await import(${MODULE});
  const { anEvent } = await import(${ENGINE_EVENT});
  const [path, said] = ['journal.sqlite', []];
  const open = () => openJournal({
    path: process.cwd() + '/' + path,
    work: { mirrored: async () => ({ kind: 'ok', value: { entries: [], payloads: [] } }) },
    log: { info: () => {}, warn: (event, fields) => void said.push(fields.code) },
    stop: new AbortController().signal, rest: async () => {}, random: () => 0,
  });
  const write = (journal, type) => {
    try {
      journal.append({ events: [anEvent(type)], payloads: [journal.refer(type + 'x'.repeat(50_000))], sync: true });
      return 'written';
    } catch (error) { return error.code; }
  };
  const fillUp = () => {
    const file = openSync('filled', 'a');
    for (const size of [1 << 20, 4096, 1]) for (;;) try { writeSync(file, Buffer.alloc(size)); } catch { break; }
    closeSync(file);
  };
  const answer = (value) => console.log(JSON.stringify(value));
`;

/** The output of a program whose working directory is the small disk. */
async function onASmallDisk(statements: string): Promise<unknown> {
  const mount = `mount -t tmpfs -o size=64m none "$1" && cd "$1" && exec "$2" --input-type=module -e "$3"`;
  const program = `${PRELUDE} ${statements}`;
  const child = spawn('unshare', ['--mount', 'sh', '-ec', mount, 'sh', folder, process.execPath, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.equal(code, 0);
  return JSON.parse(output);
}

test('on a full disk the journal uses the space of its ballast, and logs that', async () => {
  const found = await onASmallDisk(`
    const journal = await open();
    const held = statSync('ballast').size;
    write(journal, 'run_opened');
    fillUp();
    const after = [1, 2, 3].map(() => write(journal, 'stage_opened'));
    journal.close();
    answer({ held, after, said, ballast: existsSync('ballast') });`);
  const written = ['written', 'written', 'written'];
  assert.deepEqual(found, { held: 2 << 20, after: written, said: ['disk_full'], ballast: false });
});

test('without a ballast the journal cannot be written on a full disk, so the test above can fail', async () => {
  const found = await onASmallDisk(`
    const journal = openSqliteJournal(path);
    write(journal, 'run_opened');
    fillUp();
    answer([1, 2, 3].map(() => write(journal, 'stage_opened')).at(-1));`);
  assert.equal(found, 'journal_unwritable');
});

test('a journal opens on a full disk, and restores its ballast once there is space', async () => {
  const found = await onASmallDisk(`
    const first = await open();
    write(first, 'run_opened');
    first.close();
    fillUp();
    const second = await open();
    const full = write(second, 'stage_opened');
    second.close();
    rmSync('filled');
    const third = await open();
    const events = third.readAfter(0, 10).entries.length;
    third.close();
    answer({ full, said, events, held: statSync('ballast').size });`);
  assert.deepEqual(found, { full: 'written', said: ['disk_full'], events: 2, held: 2 << 20 });
});
