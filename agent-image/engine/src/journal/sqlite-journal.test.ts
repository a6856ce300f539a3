import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { testFolder } from '@hamlet/test/env/at-end';
import { anEvent } from '../testing/an-event.ts';
import { EVENT_VERSION, type JournalEvent } from './event.ts';
import { MAX_PAYLOAD_BYTES } from './payload-table.ts';
import { MAX_EVENT_BYTES } from './event-table.ts';
import { JournalError, type Journal } from './journal.ts';
import { MAX_READ, openSqliteJournal } from './sqlite-journal.ts';

const folder = testFolder('journal');

let files = 0;
const newPath = (): string => join(folder, `${(files += 1)}.db`);

const write = (journal: Journal, ...events: readonly JournalEvent[]): void =>
  journal.append({ events, payloads: [], sync: false });

function withJournal<T>(path: string, use: (journal: Journal) => T): T {
  const journal = openSqliteJournal(path);
  try {
    return use(journal);
  } finally {
    journal.close();
  }
}

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof JournalError) return error.code;
    throw error;
  }
  return 'no error';
};

test('a journal keeps events in order and texts by reference', () => {
  const path = newPath();
  const events = [anEvent('run_opened'), anEvent('stage_opened'), anEvent('model_asked')];
  const ref = withJournal(path, (journal) => {
    const payload = journal.refer('hello');
    journal.append({ events, payloads: [payload, payload, journal.refer('hello')], sync: true });
    return payload.ref;
  });
  withJournal(path, (journal) => {
    assert.deepEqual(journal.eventsOf('r1'), { ok: true, events });
    assert.equal(journal.textOf(ref), 'hello');
    assert.equal(journal.textOf(journal.refer('never written').ref), null);
    assert.equal(journal.refer('hello').ref, ref, 'the salt stays');
    assert.equal(journal.fence, 2, 'a new opening has a greater fence than every event');
  });
  assert.notEqual(
    withJournal(newPath(), (other) => other.refer('hello').ref),
    ref,
    'another journal has another salt',
  );
});

test('a write with an invalid or oversized event stores nothing', () => {
  withJournal(newPath(), (journal) => {
    assert.throws(() => write(journal, anEvent('run_opened'), { ...anEvent('interrupted'), fence: -1 }));
    const calls = Array.from({ length: 64 }, (_, index) => ({
      id: `${index}`.padEnd(200, 'x'),
      modelId: 'y'.repeat(200),
      tool: 'é'.repeat(200),
      arguments: 'z'.repeat(22),
      effect: null,
    }));
    assert.ok(JSON.stringify(calls).length < MAX_EVENT_BYTES, 'the largest valid answer fits');
    write(journal, anEvent('model_answered', { calls }));
    const large = journal.refer('x'.repeat(MAX_PAYLOAD_BYTES + 1));
    assert.equal(
      codeOf(() => journal.append({ events: [anEvent('run_opened')], payloads: [large], sync: false })),
      'journal_too_large',
    );
    assert.equal(journal.lastSeq(), 1);
    assert.equal(journal.rowOf('r1'), null);
  });
});

test('one engine holds a journal: a second one in this or another process is refused', async () => {
  const path = newPath();
  const journal = openSqliteJournal(path);
  assert.equal(
    codeOf(() => openSqliteJournal(path)),
    'journal_locked',
  );
  const source = JSON.stringify(join(import.meta.dirname, 'sqlite-journal.ts'));
  const program = `const { openSqliteJournal } = await import(${source});
    try { openSqliteJournal(process.argv[1]); console.log('opened'); } catch (error) { console.log(error.code); }`;
  const second = async (): Promise<string> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, path]);
    const output: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => output.push(part));
    await once(child, 'close');
    return Buffer.concat(output).toString().trim();
  };
  assert.equal(await second(), 'journal_locked');
  journal.close();
  assert.equal(await second(), 'opened');
});

test('a journal of a newer schema or with newer events is refused with the fix', () => {
  const newerSchema = newPath();
  withJournal(newerSchema, () => {});
  const newerEvents = newPath();
  withJournal(newerEvents, (journal) => write(journal, anEvent('run_opened')));
  const change = (path: string, sql: string): void => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };
  change(newerSchema, 'pragma user_version = 99');
  change(newerEvents, `update event set v = ${EVENT_VERSION + 1}`);
  for (const path of [newerSchema, newerEvents]) {
    assert.throws(() => openSqliteJournal(path), { code: 'journal_newer', message: /Start a newer engine/ });
  }
});

test('a foreign file and a damaged file have different codes, and neither is changed', () => {
  const foreign = newPath();
  const database = new DatabaseSync(foreign);
  database.exec('create table cakes (name text)');
  database.close();
  assert.equal(
    codeOf(() => openSqliteJournal(foreign)),
    'journal_foreign',
  );
  const damaged = newPath();
  writeFileSync(damaged, 'not a database at all, but long enough to look like one'.repeat(40));
  const before = readFileSync(damaged);
  assert.equal(
    codeOf(() => openSqliteJournal(damaged)),
    'journal_damaged',
  );
  assert.deepEqual(readFileSync(damaged), before);
  const missing = join(newPath(), 'missing', 'journal.db');
  assert.equal(
    codeOf(() => openSqliteJournal(missing)),
    'journal_unwritable',
  );
});

test('projections are rebuilt from the events after a drop or a change of version', () => {
  const path = newPath();
  const rows = (journal: Journal) => ({
    open: journal.rowOf('r1'),
    closed: journal.rowOf('r3'),
    last: journal.lastRunOf('c1'),
  });
  const before = withJournal(path, (journal) => {
    for (let run = 1; run <= 40; run += 1)
      write(
        journal,
        anEvent('run_opened', { run: `r${run}`, conversation: `c${run % 4}` }),
        anEvent('stage_opened', { run: `r${run}` }),
      );
    write(journal, anEvent('run_closed', { run: 'r3' }));
    return rows(journal);
  });
  assert.equal(before.open?.isOpen, true);
  assert.equal(before.last?.run, 'r37');
  for (const damage of [
    'drop table run; drop table projected',
    'drop table run',
    'update projected set version = 0',
    'update projected set seq = 0; delete from run',
  ]) {
    const database = new DatabaseSync(path);
    database.exec(damage);
    database.close();
    assert.deepEqual(withJournal(path, rows), before, damage);
  }
});

test('a mirror reads every entry once, in pages', () => {
  withJournal(newPath(), (journal) => {
    for (let run = 0; run < 25; run += 1) write(journal, anEvent('run_opened', { run: `r${run}` }));
    const seen: number[] = [];
    let at = 0;
    for (;;) {
      const { entries, next } = journal.readAfter(at, 10);
      if (entries.length === 0) break;
      seen.push(...entries.map(({ seq }) => seq));
      at = next;
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
    assert.equal(journal.readAfter(0, MAX_READ * 10).entries.length, 25);
  });
});

/** Size of the journal's files after the checkpoint at closing, in bytes. */
const bytesOf = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);

test('1,000 steps take at most 1.3 times the size of their texts, and as much per step as 250', (t) => {
  const STEP_TEXT = 4_096;
  const measure = (steps: number): number => {
    const path = newPath();
    const payloadBytes = withJournal(path, (journal) => {
      write(journal, anEvent('run_opened'), anEvent('stage_opened'));
      let bytes = 0;
      for (let ask = 1; ask <= steps; ask += 1) {
        const call = { id: `${ask}.0`, modelId: `call_${ask}`, tool: 'search', effect: 'read' as const };
        const hash = journal.refer(`{"query":"${ask}"}`).ref;
        const message = journal.refer(
          JSON.stringify({ content: '', calls: [{ id: call.modelId, name: 'search', query: ask }] }),
        );
        const result = journal.refer(randomBytes((STEP_TEXT / 4) * 3).toString('base64'));
        write(journal, anEvent('model_asked', { ask, request: journal.refer(`${ask}`).ref }));
        const answered = anEvent('model_answered', {
          ask,
          message: message.ref,
          calls: [{ ...call, arguments: hash }],
        });
        journal.append({ events: [answered], payloads: [message], sync: false });
        write(journal, anEvent('tool_intent', { call: call.id, tool: 'search', arguments: hash, effect: 'read' }));
        const settled = anEvent('tool_settled', { call: call.id, result: result.ref });
        journal.append({ events: [settled], payloads: [result], sync: false });
        bytes += message.text.length + result.text.length;
      }
      return bytes;
    });
    return bytesOf(path) / payloadBytes;
  };
  const [few, many] = [measure(250), measure(1_000)];
  t.diagnostic(`bytes over payload: ${few.toFixed(3)} at 250 steps, ${many.toFixed(3)} at 1,000`);
  assert.ok(many <= 1.3, `${many}`);
  assert.ok(many <= few * 1.02, 'linear');
});

test('after a kill in the middle of writing, a journal opens with complete writes only', async () => {
  const path = newPath();
  const modules = ['sqlite-journal.ts', '../testing/an-event.ts'].map((file) =>
    JSON.stringify(join(import.meta.dirname, file)),
  );
  const program = `const { openSqliteJournal } = await import(${modules[0]});
    const { anEvent } = await import(${modules[1]});
    const journal = openSqliteJournal(process.argv[1]);
    for (let run = 1; ; run += 1) {
      const events = [anEvent('run_opened', { run: 'r' + run }), anEvent('stage_opened', { run: 'r' + run })];
      journal.append({ events, payloads: [journal.refer('text of ' + run + 'x'.repeat(5000))], sync: run % 2 === 0 });
      if (run === 50) console.log('writing');
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, path]);
  const errors: Buffer[] = [];
  child.stderr.on('data', (part: Buffer) => errors.push(part));
  const ended = once(child, 'close').then(() => assert.fail(`the writer ended: ${Buffer.concat(errors).toString()}`));
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  child.kill('SIGKILL');
  await once(child, 'close');
  withJournal(path, (journal) => {
    const last = journal.lastSeq();
    assert.ok(last >= 100 && last % 2 === 0, `${last} events`);
    assert.ok(journal.textOf(journal.refer(`text of ${last / 2}${'x'.repeat(5000)}`).ref) !== null);
    write(journal, anEvent('run_opened', { run: 'next' }));
    assert.equal(journal.lastSeq(), last + 1);
  });
});

test('a log truncated at any byte opens with a prefix of the writes', () => {
  const path = newPath();
  const journal = openSqliteJournal(path);
  const base = readFileSync(path);
  for (let run = 1; run <= 20; run += 1)
    write(journal, anEvent('run_opened', { run: `r${run}` }), anEvent('stage_opened', { run: `r${run}` }));
  const [main, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
  journal.close();
  assert.deepEqual(main, base, 'all writes are in the log');
  const lengths = new Set<number>();
  for (let cut = log.length; cut > 0; cut -= 2_777) {
    for (const garbage of [0, 1_000]) {
      const torn = newPath();
      writeFileSync(torn, main);
      writeFileSync(`${torn}-wal`, Buffer.concat([log.subarray(0, cut), Buffer.alloc(garbage, 0xa5)]));
      withJournal(torn, (restored) => {
        const last = restored.lastSeq();
        assert.equal(last % 2, 0, 'a write is complete or absent');
        assert.deepEqual(
          pluck(restored.readAfter(0, 100).entries, 'seq'),
          Array.from({ length: last }, (_, index) => index + 1),
        );
        const runs = new Set(restored.readAfter(0, 100).entries.map(({ event }) => event.run));
        assert.equal([...runs].filter((run) => restored.rowOf(run)?.isOpen).length, last / 2);
        lengths.add(last);
      });
    }
  }
  assert.ok(lengths.size > 10 && lengths.has(40), `${lengths.size} lengths`);
});

test('pruning deletes the oldest closed runs with their own texts, and keeps open runs, shared texts and the count of events', () => {
  const path = newPath();
  const closed = (run: string): readonly JournalEvent[] => [
    anEvent('run_opened', { run }),
    anEvent('run_closed', { run }),
  ];
  const [shared, own] = withJournal(path, (journal) => {
    const [both, one] = [journal.refer('in two runs'), journal.refer('in one run')];
    const opened = (run: string, input: string) => anEvent('run_opened', { run, input, plan: both.ref });
    const old = [opened('old', one.ref), anEvent('run_closed', { run: 'old' })];
    journal.append({ events: old, payloads: [both, one], sync: false });
    write(journal, opened('open', both.ref), ...closed('new'), ...closed('last'));
    assert.equal(journal.prune({ runs: 2, events: 100 }), 1);
    write(journal, anEvent('stage_opened', { run: 'open' }));
    return [both.ref, one.ref];
  });
  withJournal(path, (journal) => {
    assert.deepEqual(journal.eventsOf('old'), { ok: true, events: [] });
    assert.deepEqual([journal.rowOf('old'), journal.rowOf('open')?.isOpen], [null, true]);
    assert.deepEqual([journal.textOf(own), journal.textOf(shared)], [null, 'in two runs']);
    assert.equal(journal.lastSeq(), 8, 'positions count on');
    assert.equal(journal.prune({ runs: 9, events: 3 }), 1, 'both closed runs have four events');
    assert.deepEqual([journal.rowOf('new'), journal.rowOf('last')?.isOpen], [null, false]);
  });
});

test('many runs take no more space than the kept ones', () => {
  const path = newPath();
  withJournal(path, (journal) => {
    const work = (from: number): void => {
      for (let number = from; number < from + 60; number += 1) {
        const run = `r${number}`;
        const text = journal.refer(`${run} `.repeat(20_000));
        const events = [anEvent('run_opened', { run, input: text.ref }), anEvent('run_closed', { run })];
        journal.append({ events, payloads: [text], sync: false });
        journal.prune({ runs: 5, events: 100 });
      }
    };
    work(0);
    const first = statSync(path).size;
    work(60);
    assert.ok(statSync(path).size <= first * 1.5, `${statSync(path).size} of ${first} bytes`);
  });
});
