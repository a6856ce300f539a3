import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { echo, outcomeOf, someJournals, typesOf } from '../testing/a-tool.ts';
import { anEngine, aRequest } from '../testing/an-engine.ts';
import { calls, says, scriptedModel } from '../testing/scripted-model.ts';
import type { Journal, Payload } from './journal.ts';
import { payloadsOf, SALT_REF } from './mirror-payloads.ts';
import type { MirrorPage } from './restore-journal.ts';
import { restoreSqliteJournal } from './restore-journal.ts';
import { openSqliteJournal } from './sqlite-journal.ts';

const journals = someJournals();
after(journals.remove);

/** What a mirror has of a journal, in pages of three entries. */
function mirrorOf(journal: Journal, keeps: (seq: number) => boolean): MirrorPage[] {
  const pages: MirrorPage[] = [{ entries: [], payloads: [{ ref: SALT_REF, text: journal.salt }] }];
  for (let at = 0; at < journal.lastSeq(); at = journal.readAfter(at, 3).next) {
    const entries = journal.readAfter(at, 3).entries.filter(({ seq }) => keeps(seq));
    const payloads: Payload[] = entries.flatMap(({ event }) => payloadsOf(journal, event));
    pages.push({ entries, payloads });
  }
  return pages;
}

async function* streamOf(pages: readonly MirrorPage[]): AsyncGenerator<MirrorPage> {
  yield* pages;
}

const ask = { judge: () => ({ verdict: 'ask' as const, reason: '' }) };

test('a restored journal continues its open run with the same references and the text of its conversation', async () => {
  const lost = journals.open();
  const first = anEngine({ journal: lost, model: scriptedModel([says('Tea.')]) });
  await outcomeOf(await first.engine.start(aRequest({ run: 'r0', input: 'What do you drink?' })));
  const model = scriptedModel([calls(['post', { text: 'x' }])]);
  const second = anEngine({ journal: lost, model, tools: [echo('post', 'keyed')], policy: ask });
  await outcomeOf(await second.engine.start(aRequest({ run: 'r1' })));
  const path = journals.path();
  const pages = mirrorOf(lost, () => true);
  assert.equal(await restoreSqliteJournal(path, streamOf(pages)), lost.lastSeq());
  const journal = openSqliteJournal(path);
  assert.equal(journal.refer('x').ref, lost.refer('x').ref);
  assert.equal(typesOf(journal, 'r1').at(-1), 'run_resumed');
  const next = scriptedModel([says('Posted.')]);
  const { engine } = anEngine({ journal, model: next, tools: [echo('post', 'keyed')], policy: ask });
  const answers = [{ request: 'r1/1.0/1', answer: 'allow' as const }];
  assert.deepEqual(await outcomeOf(engine.resume('r1', { answers })), { kind: 'done', text: 'Posted.' });
  const texts = next.requests[0]?.messages.map(({ content }) => content);
  assert.deepEqual(texts, ['What do you drink?', 'Tea.', 'Hello', '', 'post: x']);
});

test('a mirror with gaps keeps the places of its entries, and an empty mirror restores nothing', async () => {
  const lost = journals.open();
  for (const run of ['r0', 'r1', 'r2'])
    await outcomeOf(
      await anEngine({ journal: lost, model: scriptedModel([says('x')]) }).engine.start(aRequest({ run })),
    );
  const path = journals.path();
  const found = mirrorOf(lost, (seq) => lost.readAfter(seq - 1, 1).entries[0]?.event.run !== 'r1');
  await restoreSqliteJournal(path, streamOf(found));
  const journal = openSqliteJournal(path);
  assert.equal(journal.lastSeq(), lost.lastSeq());
  assert.deepEqual(
    [journal.rowOf('r0')?.isOpen, journal.rowOf('r1'), journal.rowOf('r2')?.isOpen],
    [false, null, false],
  );
  const untouched = journals.path();
  assert.equal(await restoreSqliteJournal(untouched, streamOf([])), 0);
  assert.equal(existsSync(untouched), false);
});

test('entries of a newer engine are refused, and the file that is there stays', async () => {
  const path = journals.path();
  const old = openSqliteJournal(path);
  const { salt } = old;
  old.close();
  const entry = { seq: 1, event: { v: 99, type: 'run_opened' } };
  await assert.rejects(restoreSqliteJournal(path, streamOf([{ entries: [entry], payloads: [] }])), {
    code: 'journal_newer',
  });
  assert.equal(openSqliteJournal(path).salt, salt);
});
