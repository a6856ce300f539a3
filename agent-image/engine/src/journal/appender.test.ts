import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { someJournals } from '../testing/a-tool.ts';
import { anEvent } from '../testing/an-event.ts';
import { Appender } from './appender.ts';
import { openEventTable, readable } from './event-table.ts';
import { openDatabase } from './open-database.ts';
import { openPayloadTable } from './payload-table.ts';
import { openRunTable } from './run-table.ts';
import { openSqliteJournal } from './sqlite-journal.ts';

/** A text that cannot be compressed into the room of a small file. */
const LARGE = randomBytes(400_000).toString('base64');

const journals = someJournals();

const MODULES = ['sqlite-journal.ts', '../testing/an-event.ts'].map((file) =>
  JSON.stringify(join(import.meta.dirname, file)),
);

/** Types of the events in the journal after a process has executed the statements and was then killed. */
async function leftBy(statements: string): Promise<readonly string[]> {
  const path = journals.path();
  const program = `const { openSqliteJournal } = await import(${MODULES[0]});
    const { anEvent } = await import(${MODULES[1]});
    const journal = openSqliteJournal(process.argv[1]);
    const write = (type, how) => journal.append({ events: [anEvent(type)], payloads: [journal.refer(type)], sync: false, ...how });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    write('run_opened', { sync: true });
    ${statements}
    process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, path], { stdio: 'inherit' });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL');
  const journal = openSqliteJournal(path);
  const types = journal.readAfter(0, 100).entries.map(({ event }) => event.type);
  for (const type of types) assert.equal(journal.textOf(journal.refer(type).ref), type);
  journal.close();
  return types;
}

test('a killed process loses only the writes that waited in the last turn of its event loop', async () => {
  const SOON = '{ soon: true }';
  const LONG = "{ soon: true, payloads: [journal.refer('stage_opened'), journal.refer('x'.repeat(1 << 20))] }";
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [`write('stage_opened')`, ['run_opened', 'stage_opened']],
    [`write('stage_opened', ${SOON})`, ['run_opened']],
    [`write('stage_opened', ${SOON}); await turn()`, ['run_opened', 'stage_opened']],
    [`write('stage_opened', ${SOON}); write('model_asked')`, ['run_opened', 'stage_opened', 'model_asked']],
    [`write('stage_opened', ${LONG}); write('model_asked', ${SOON})`, ['run_opened', 'stage_opened', 'model_asked']],
    [
      `write('stage_opened', ${SOON}); write('cancel_asked', { sync: true })`,
      ['run_opened', 'stage_opened', 'cancel_asked'],
    ],
    [`write('stage_opened', ${SOON}); journal.readRunAfter('r1', 0, 1)`, ['run_opened', 'stage_opened']],
    [`write('stage_opened', ${SOON}); journal.readAfter(0, 1)`, ['run_opened', 'stage_opened']],
    [`write('stage_opened', ${SOON}); await journal.synced()`, ['run_opened', 'stage_opened']],
    [`write('stage_opened', ${SOON}); journal.close()`, ['run_opened', 'stage_opened']],
  ];
  for (const [statements, expected] of cases) assert.deepEqual(await leftBy(statements), expected, statements);
});

test('callers of one turn of the event loop share a sync', async () => {
  const journal = journals.open();
  const first = journal.synced();
  assert.equal(journal.synced(), first);
  await first;
  const next = journal.synced();
  assert.notEqual(next, first);
  await next;
  journal.close();
});

test('after a failed transaction, waiting writes come first in the next one, which is committed at once', () => {
  const path = journals.path();
  const database = openDatabase(path);
  const events = openEventTable(database);
  const appender = new Appender({
    database,
    path,
    events,
    payloads: openPayloadTable(database),
    runs: openRunTable(database),
    makeRoom: () => false,
  });
  const append = (type: 'run_opened' | 'stage_opened' | 'model_asked', text: string, soon: boolean): void =>
    appender.append({ events: [anEvent(type)], payloads: [{ ref: type, text }], sync: false, soon });
  append('run_opened', '', false);
  database.exec('pragma max_page_count = 40');
  append('stage_opened', 'small', true);
  assert.throws(() => append('model_asked', LARGE, false), { code: 'journal_unwritable' });
  assert.equal(appender.last, 2, 'the waiting write keeps its place');
  assert.equal(events.last().seq, 1, 'the file has neither write');
  assert.throws(() => append('model_asked', LARGE, true), { code: 'journal_unwritable' }, 'a write that could wait');
  database.exec('pragma max_page_count = 100000');
  append('model_asked', LARGE, false);
  appender.end();
  assert.deepEqual(
    readable(events.after(0, 10), 0).map(({ seq, event }) => [seq, event.type]),
    [
      [1, 'run_opened'],
      [2, 'stage_opened'],
      [3, 'model_asked'],
    ],
  );
  database.close();
});
