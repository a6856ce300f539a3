import assert from 'node:assert/strict';
import { copyFileSync, existsSync } from 'node:fs';
import { test } from 'node:test';
import { aTool, echo, outcomeOf, someJournals, typesOf } from '../testing/a-tool.ts';
import { anEngine, aRequest } from '../testing/an-engine.ts';
import { calls, says, scriptedModel } from '../testing/scripted-model.ts';
import type { Journal, Payload } from './journal.ts';
import { payloadsOf, SALT_REF } from './mirror-payloads.ts';
import { catchUpSqliteJournal, restoreSqliteJournal, type MirrorPage } from './restore-journal.ts';
import { openSqliteJournal } from './sqlite-journal.ts';

const journals = someJournals();

/** A mirror's content of a journal, in pages of three entries. */
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
const askFor = (name: string) => ({
  judge: ({ tool }: { tool: string }) => ({
    verdict: tool === name ? ('ask' as const) : ('allow' as const),
    reason: '',
  }),
});

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
  assert.deepEqual(texts, ['What do you drink?', 'Tea.', 'Hello\n\n[Situation]\nIt is noon.', '', 'post: x']);
});

test('entries of a mirror with gaps keep their positions, and an empty mirror restores nothing', async () => {
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

test('entries of a newer engine are refused, and the existing file stays', async () => {
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

test('a mirror that is ahead of the volume restores the lost entries, and nothing happens twice', async () => {
  const whole = journals.path();
  const before = openSqliteJournal(whole);
  await outcomeOf(await anEngine({ journal: before, model: scriptedModel([says('Tea.')]) }).engine.start(aRequest()));
  before.close();
  const volume = journals.path();
  copyFileSync(whole, volume);
  const posted: string[] = [];
  const post = aTool({ name: 'post', effect: 'keyed' }, async ({ text }, { key }) => {
    posted.push(`${text} ${key}`);
    return { kind: 'ok', text: 'posted' };
  });
  const settled = openSqliteJournal(whole);
  const model = scriptedModel([calls(['post', { text: 'x' }], ['pay', { text: 'y' }])]);
  const first = anEngine({ journal: settled, model, tools: [post, echo('pay', 'once')], policy: askFor('pay') });
  assert.equal((await outcomeOf(await first.engine.start(aRequest({ run: 'r1' })))).kind, 'waiting');
  const old = openSqliteJournal(volume);
  const lastSeq = old.lastSeq();
  old.close();
  const pages = mirrorOf(settled, (seq) => seq > lastSeq).filter(
    ({ entries }, index) => index === 0 || entries.length > 0,
  );
  assert.equal(await catchUpSqliteJournal(volume, streamOf(pages)), settled.lastSeq() - lastSeq);
  const journal = openSqliteJournal(volume);
  assert.equal(journal.rowOf('r1')?.isOpen, true);
  assert.ok(journal.fence > settled.fence);
  const next = scriptedModel([says('Posted and paid.')]);
  const second = anEngine({ journal, model: next, tools: [post, echo('pay', 'once')], policy: askFor('pay') });
  const answers = [{ request: 'r1/1.1/1', answer: 'allow' as const }];
  assert.deepEqual(await outcomeOf(second.engine.resume('r1', { answers })), {
    kind: 'done',
    text: 'Posted and paid.',
  });
  assert.equal(posted.length, 1, 'a settled call among the lost entries does not run again');
  assert.equal(typesOf(journal, 'r1').filter((type) => type === 'tool_settled').length, 2);
});

test('the mirror of another journal changes nothing', async () => {
  const [one, other] = [journals.path(), journals.open()];
  openSqliteJournal(one).close();
  await outcomeOf(await anEngine({ journal: other, model: scriptedModel([says('x')]) }).engine.start(aRequest()));
  const pages = mirrorOf(other, () => true);
  await assert.rejects(catchUpSqliteJournal(one, streamOf(pages)), { code: 'journal_foreign' });
  assert.equal(openSqliteJournal(one).lastSeq(), 0);
});
