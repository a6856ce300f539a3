import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { openSqliteJournal, SALT_REF, type JournalEvent, type Journal } from '@hamlet/engine';
import { ok } from '../testing/scripted-village.ts';
import { openJournal } from './open-journal.ts';

const folder = testFolder('open-journal');

const opened = (journal: Journal, run: string): JournalEvent => {
  const { ref } = journal.refer('x');
  const texts = { plan: ref, prompt: ref, situation: ref, recalled: ref, input: ref };
  const budgets = { steps: 1, tokens: 1, moneyMicros: 1, timeMs: 1, idleCalls: 1 };
  const envelope = { v: 8, run, stage: 'main', fence: journal.fence, at: 0, elapsedMs: 0 } as const;
  return {
    ...envelope,
    type: 'run_opened',
    conversation: run,
    after: null,
    parent: null,
    model: 'm',
    budgets,
    ...texts,
  };
};

const append = (journal: Journal, run: string): void =>
  journal.append({ events: [opened(journal, run)], payloads: [journal.refer('x')], sync: true });

/** The journal of a volume with one run, and a mirror of it that has a second run. */
function aVolume(name: string, salt?: string) {
  const [path, mirrorPath] = [join(folder, `${name}.db`), join(folder, `${name}-mirror.db`)];
  const volume = openSqliteJournal(path);
  append(volume, 'r1');
  volume.close();
  copyFileSync(path, mirrorPath);
  const mirror = openSqliteJournal(mirrorPath);
  append(mirror, 'r2');
  const asked: number[] = [];
  const warnings: string[] = [];
  const open = () =>
    openJournal({
      path,
      work: {
        mirrored: async (from) => {
          asked.push(from);
          const { entries, next } = mirror.readAfter(from, 1);
          const payloads = [{ ref: SALT_REF, text: salt ?? mirror.salt }, mirror.refer('x')];
          return ok({ entries: entries.map((entry) => ({ ...entry, run_id: entry.event.run })), payloads, next });
        },
      },
      log: { info: () => {}, warn: (event, fields) => void warnings.push(`${event} ${JSON.stringify(fields)}`) },
      stop: new AbortController().signal,
      rest: async () => {},
      random: () => 0,
    });
  return { open, asked, warnings };
}

test('opening a journal adds the entries that only the mirror has, and requests no others', async () => {
  const { open, asked, warnings } = aVolume('behind');
  const journal = await open();
  assert.ok(journal.rowOf('r1')?.isOpen && journal.rowOf('r2')?.isOpen);
  const found = journal.eventsOf('r2');
  assert.deepEqual(found.ok && found.events.map(({ type }) => type), ['run_opened', 'run_resumed']);
  assert.deepEqual(asked, [1, 2]);
  assert.match(warnings.join(), /^journal_restored .*"entries":1/);
  journal.close();
  const again = await open();
  assert.equal(asked.at(-1), again.lastSeq());
  assert.equal(warnings.length, 1, 'a journal that is ahead of its mirror stays unchanged');
});

test('a mirror of another journal is ignored with a warning', async () => {
  const { open, warnings } = aVolume('foreign', 'the salt of another journal');
  const journal = await open();
  assert.deepEqual([journal.rowOf('r1')?.isOpen, journal.rowOf('r2')], [true, null]);
  assert.match(warnings.join(), /^capability .*journal_foreign/);
});
