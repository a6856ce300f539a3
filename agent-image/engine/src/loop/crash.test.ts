/**
 * Kills a process at each write of the journal, and at requests to the model; another process continues the run. The witness records
 * what happened in the world.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { FULL_RUN } from '@hamlet/test/env/seeded';
import { z } from 'zod';
import { defineTool } from '../effects/tool.ts';
import { EFFECTS, type Effect } from '../journal/event.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import { anEngine, aRequest, IDLE_CLOCK } from '../testing/an-engine.ts';
import { calls, scriptedModel } from '../testing/scripted-model.ts';

const CHILD = join(import.meta.dirname, '../testing/crash-child.ts');
type Way = 'plain' | 'turns' | 'compaction' | 'worker';
/**
 * Writes of a run. `plain`: opening, stage, two requests with their answers, intent and settlement of five calls, closing;
 * `turns`: six requests; `compaction`: also the summary; `worker`: those of the worker, and of its parent with one call.
 */
const WRITES: Readonly<Record<Way, number>> = { plain: 17, turns: 25, compaction: 18, worker: 26 };
const NAMES: Readonly<Record<Way, string>> = {
  plain: 'a run',
  turns: 'a run with a call in each answer',
  compaction: 'a run that is summarized',
  worker: 'a run with a worker',
};
/** Kills at the requests of a run with a call in each answer. Each request leaves the process before the journal has it. */
const SENT = EFFECTS.map((_, index) => `sent:${index + 2}`);

/**
 * The kills of the gate: alternately before and after each write until the calls are made, around the summary and at the end,
 * at the beginning and in the work of a worker, and at requests.
 */
const GATE: Readonly<Record<Way, readonly string[]>> = {
  plain: Array.from({ length: 14 }, (_, index) => `${index % 2 === 0 ? 'before' : 'after'}:${index + 1}`),
  turns: SENT,
  compaction: ['before:15', 'after:15', 'after:18'],
  worker: ['after:6', 'before:18'],
};
const CLOCKS_OFF_MS = [3_600_000, -3_600_000, 0];

const Report = z.object({
  outcome: z.unknown(),
  asked: z.array(z.string()),
  results: z.array(z.string()),
  before: z.record(z.string(), z.number()),
  settled: z.array(z.string()),
  intended: z.array(z.string()),
  requests: z.array(z.string()),
  isSummarized: z.boolean(),
});

const folder = testFolder('crash');

type Child = Readonly<{ signal: string | null; output: string; errors: string }>;

type Start = Readonly<{ way: Way; point: string; clockOffMs?: number }>;

async function child(name: string, { way, point, clockOffMs = 0 }: Start): Promise<Child> {
  const files = [join(folder, `${name}.db`), join(folder, `${name}.txt`)];
  const process_ = spawn(process.execPath, [CHILD, ...files, point, `${clockOffMs}`, way]);
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  process_.stdout.on('data', (part: Buffer) => output.push(part));
  process_.stderr.on('data', (part: Buffer) => errors.push(part));
  const [, signal] = await once(process_, 'close');
  return {
    signal: signal === null ? null : String(signal),
    output: Buffer.concat(output).toString(),
    errors: Buffer.concat(errors).toString(),
  };
}

function linesOf(name: string, effect: Effect): readonly (readonly string[])[] {
  const file = join(folder, `${name}.txt`);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => line.startsWith(`${effect} `)).map((line) => line.split(' '));
}

function callOf(way: Way, effect: Effect): string {
  const index = EFFECTS.indexOf(effect);
  return way === 'turns' ? `${index + 1}.0` : `1.${index}`;
}

/** The rules of each effect, for a run that was killed once and continued once. */
function checkWorld(name: string, way: Way, report: z.infer<typeof Report>): void {
  const count = (effect: Effect): number => linesOf(name, effect).length;
  for (const effect of ['read', 'idempotent', 'keyed'] as const)
    assert.ok(count(effect) >= 1 && count(effect) <= 2, `${effect}: ${count(effect)} times`);
  assert.equal(new Set(linesOf(name, 'keyed').map(([, key]) => key)).size, 1, 'a keyed call keeps its key');
  assert.equal(count('verify'), 1, 'a verify call happens once');
  assert.equal(count('once'), 1, 'a once call happens once');
  for (const effect of EFFECTS)
    if (report.settled.includes(callOf(way, effect)))
      assert.equal(count(effect), report.before[effect], `${effect} was settled and ran again`);
  const isUnknown = report.intended.includes(callOf(way, 'once')) && !report.settled.includes(callOf(way, 'once'));
  assert.deepEqual(
    report.asked,
    isUnknown ? ['unknown'] : [],
    'a person decides about an unknown once call, and about no other',
  );
}

/** Kills the process at a write. The clock of the continuing process is off by `clockOffMs`. */
async function cell({ way, point, clockOffMs }: Required<Start>): Promise<void> {
  const name = `${way}-${point.replace(':', '-')}-${clockOffMs}`;
  const killed = await child(name, { way, point });
  assert.equal(killed.signal, 'SIGKILL', `${point}: ${killed.errors}`);
  const resumed = await child(name, { way, point: 'never', clockOffMs });
  assert.equal(resumed.signal, null);
  assert.ok(resumed.output !== '', resumed.errors);
  const report = Report.parse(JSON.parse(resumed.output));
  if (point === `after:${WRITES[way]}`) return assert.equal(report.outcome, 'closed');
  checkWorld(name, way, report);
  assert.deepEqual(report.outcome, { kind: 'done', text: 'All five are done.' });
  assert.ok(report.isSummarized || report.results.length > 0 || report.settled.length === EFFECTS.length);
  // The kill may come after the last request to the model, and a summary replaces the results.
  if (report.results.length > 0) {
    assert.equal(report.results.length, EFFECTS.length, 'each call has one result');
    for (const [index, effect] of EFFECTS.slice(0, 4).entries())
      assert.equal(report.results[index], `result of ${effect}`);
    assert.match(report.results[4] ?? '', /^(result of once|A person confirmed)/);
  }
}

const allOf = (way: Way): readonly string[] => [
  ...Array.from({ length: WRITES[way] }, (_, index) => [`before:${index + 1}`, `after:${index + 1}`]).flat(),
  ...(way === 'turns' ? SENT : []),
];

/** Without a kill the run ends after its last write. */
async function checkWhole(way: Way): Promise<void> {
  const name = `${way}-whole`;
  const whole = await child(name, { way, point: `before:${WRITES[way] + 1}` });
  assert.equal(whole.signal, null, `the run has more writes ${whole.errors}`);
  checkWorld(name, way, Report.parse(JSON.parse(whole.output)));
}

for (const way of ['plain', 'turns', 'compaction', 'worker'] as const)
  test(`a kill at a write or request of ${NAMES[way]} repeats and loses nothing, even if the clock is an hour off`, async () => {
    const failures: string[] = [];
    for (const [index, point] of (FULL_RUN ? allOf(way) : GATE[way]).entries()) {
      // In the gate the clocks alternate.
      const turn = index % CLOCKS_OFF_MS.length;
      for (const clockOffMs of FULL_RUN ? CLOCKS_OFF_MS : CLOCKS_OFF_MS.slice(turn, turn + 1))
        await cell({ way, point, clockOffMs }).catch((error: unknown) =>
          failures.push(`${point}, clock ${clockOffMs}: ${String(error)}`),
        );
    }
    if (FULL_RUN || way === 'plain') await checkWhole(way);
    assert.deepEqual(failures, []);
  });

test('a request that kills the process uses up an attempt in each process after the first', async () => {
  for (const point of ['sent:2', 'sent:1', 'sent:1'])
    assert.equal((await child('fatal', { way: 'turns', point })).signal, 'SIGKILL');
  const { output } = await child('fatal', { way: 'turns', point: 'never' });
  // The kill of the first process also lost the call of the first answer, which only reads.
  assert.deepEqual(Report.parse(JSON.parse(output)).requests, ['1.1', '1.2', '1.3']);
});

test('an engine with an empty volume knows no run and calls nothing', async () => {
  const journal = openSqliteJournal(join(folder, 'empty.db'));
  const model = scriptedModel([]);
  const { engine } = anEngine({ journal, model });
  assert.deepEqual(engine.resume('r1'), { ok: false, code: 'no_such_run' });
  model.assertDone();
});

test('after a lost volume a person decides about verify and once calls', async () => {
  const path = join(folder, 'restored.db');
  let verified = 0;
  const pay = defineTool({
    name: 'pay',
    description: 'pay',
    input: z.strictObject({}),
    effect: 'verify',
    timeoutMs: 60_000,
    execute: () => new Promise(() => {}),
    verify: async () => {
      verified += 1;
      return { kind: 'not_done' };
    },
  });
  const first = openSqliteJournal(path);
  const limits = { interruptGraceMs: 20 };
  const model = scriptedModel([calls(['pay', {}])]);
  const before = anEngine({ journal: first, model, tools: [pay], limits, clock: IDLE_CLOCK });
  await before.engine.start(aRequest({ run: 'r1' }));
  while (!before.notices.some((notice) => notice.type === 'event' && notice.event.type === 'tool_intent'))
    await new Promise((resolve) => setTimeout(resolve, 2));
  await before.engine.interrupt();
  first.close();
  const journal = openSqliteJournal(path);
  const { engine, questions } = anEngine({ journal, model: scriptedModel([]), tools: [pay] });
  const begun = engine.resume('r1', { volumeLost: true });
  const outcome = begun.ok ? await begun.outcome : assert.fail(begun.code);
  assert.deepEqual(outcome, { kind: 'waiting', for: 'permission', requests: ['r1/1.0/1'] });
  assert.deepEqual([questions[0]?.why, verified], ['unknown', 0]);
});
