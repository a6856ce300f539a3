import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { echo, outcomeOf, someJournals, typesOf } from '../testing/a-tool.ts';
import { anEngine } from '../testing/an-engine.ts';
import { says, scriptedModel } from '../testing/scripted-model.ts';
import { openSqliteJournal } from './sqlite-journal.ts';

const journals = someJournals();

const CLOSED = 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f01';
const OPEN = 'b1ffc1a8-6f5c-4f3c-9d1c-0f2f4a3e9f02';

/** The file that an engine with the first schema wrote. */
function oldJournal(): string {
  const path = journals.path();
  const database = new DatabaseSync(path);
  database.exec('pragma page_size = 2048; pragma journal_mode = wal;');
  database.exec(readFileSync(join(import.meta.dirname, '../testing/journal-1.sql'), 'utf8'));
  database.close();
  return path;
}

test('opening a journal of the first schema converts it, and keeps events, texts and runs', async () => {
  const path = oldJournal();
  const before = new DatabaseSync(path);
  const rows = before.prepare('select * from event order by seq').all();
  before.close();
  for (const opening of ['first', 'second']) {
    const journal = openSqliteJournal(path);
    const { entries } = journal.readAfter(0, 100);
    assert.deepEqual(
      entries.map(({ seq, event: { run, type, stage, fence, at } }) => ({ seq, run, type, stage, fence, at })),
      rows.map(({ seq, run, type, stage, fence, at }) => ({ seq, run, type, stage, fence, at })),
      opening,
    );
    assert.deepEqual([journal.rowOf(CLOSED)?.isOpen, journal.lastRunOf('c1')?.run], [false, OPEN]);
    assert.equal(journal.textOf(journal.refer('Ask for tea.').ref), 'Ask for tea.');
    journal.close();
  }
  const journal = openSqliteJournal(path);
  const model = scriptedModel([says('Posted.')]);
  const { engine } = anEngine({ journal, model, tools: [echo('post', 'once')] });
  const answers = [{ request: `${OPEN}/1.0/1`, answer: 'allow' as const }];
  assert.deepEqual(await outcomeOf(engine.resume(OPEN, { answers })), { kind: 'done', text: 'Posted.' });
  const texts = model.requests[0]?.messages.map(({ content }) => content);
  const last = 'Post x.\n\n[Situation]\nIt is noon.';
  assert.deepEqual(texts, ['Ask for tea.', '', 'post: Tea?', 'Posted.', last, '', 'post: x']);
  assert.equal(typesOf(journal, OPEN).at(-1), 'run_closed');
  journal.close();
});

test('a failed conversion leaves the journal unchanged', () => {
  const path = oldJournal();
  const database = new DatabaseSync(path);
  database.exec('create table event_1 (another integer)');
  database.close();
  assert.throws(() => openSqliteJournal(path));
  const left = new DatabaseSync(path);
  assert.equal(left.prepare('select count(*) as n from event where type = ?').get('run_opened')?.['n'], 2);
  assert.equal(left.prepare('pragma user_version').get()?.['user_version'], 1);
  left.close();
});
