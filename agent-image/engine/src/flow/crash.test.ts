/** Kills a process at each write of the journal of a task; another process continues. The witness records what happened in the world. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { cases } from '@hamlet/test/env/seeded';
import { z } from 'zod';

const CHILD = join(import.meta.dirname, '../testing/flow-crash-child.ts');
const folder = testFolder('flow-crash');

const Ended = z.object({
  id: z.string(),
  round: z.number(),
  attempt: z.number(),
  end: z.string(),
  edges: z.array(z.string()),
});
type Ended = z.infer<typeof Ended>;
const Report = z.object({
  outcome: z.unknown(),
  before: z.array(Ended),
  ends: z.array(Ended),
  writes: z.number(),
  isClosed: z.boolean(),
});
type Report = z.infer<typeof Report>;

type Child = Readonly<{ signal: string | null; report: Report | null; errors: string }>;

type Agents = 'runs' | 'calls';

async function child(name: string, point: string, agents: Agents): Promise<Child> {
  const files = [join(folder, `${name}.db`), join(folder, `${name}.txt`)];
  const process_ = spawn(process.execPath, [CHILD, ...files, point, agents]);
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  process_.stdout.on('data', (part: Buffer) => output.push(part));
  process_.stderr.on('data', (part: Buffer) => errors.push(part));
  const [, signal] = await once(process_, 'close');
  const text = Buffer.concat(output).toString();
  return {
    signal: signal === null ? null : String(signal),
    report: text === '' ? null : Report.parse(JSON.parse(text)),
    errors: Buffer.concat(errors).toString(),
  };
}

/** Effects in the world, by process. */
const worldOf = (name: string): readonly (readonly string[])[] =>
  readFileSync(join(folder, `${name}.txt`), 'utf8')
    .split('process\n')
    .slice(1)
    .map((part) => part.split('\n').filter(Boolean));

const nameOf = ({ id, round, attempt }: Ended): string => `${id}.${round}.${attempt}`;
/** The work of a stage that a line of the witness is about. */
const stageOf = (line: string): string => (/^\w+ (?:t1\/)?([a-z]+\.\d+\.\d+)/.exec(line) ?? [])[1] ?? line;
const endsOf = (report: Report): readonly string[] => report.ends.map((end) => `${nameOf(end)} ${end.end}`).toSorted();

for (const [agents, kills] of [
  ['runs', 3],
  ['calls', 2],
] as const)
  test(`a kill at a write of the journal repeats no finished stage, and changes no outcome: agents are ${agents}`, async (t) => {
    const whole = await child(`${agents}-whole`, 'never', agents);
    const wanted = whole.report ?? assert.fail(whole.errors);
    assert.deepEqual(wanted.outcome, { kind: 'done', text: 'once publish', output: '"once publish"' });
    const failures: string[] = [];
    const points = pointsOf(wanted.writes, kills);
    for (const point of points)
      await killAt(point, { agents, wanted }).catch((error: unknown) => failures.push(`${point}: ${String(error)}`));
    t.diagnostic(`${points.length} kills`);
    assert.deepEqual(failures, []);
  });

async function killAt(point: string, { agents, wanted }: Readonly<{ agents: Agents; wanted: Report }>): Promise<void> {
  const name = `${agents}-${point.replace(':', '-')}`;
  const killed = await child(name, point, agents);
  assert.equal(killed.signal, 'SIGKILL', killed.errors);
  const resumed = await child(name, 'never', agents);
  const report = resumed.report ?? assert.fail(resumed.errors);
  const [, again = []] = worldOf(name);
  const finished = new Set(report.before.map(nameOf));
  assert.deepEqual(
    again.filter((line) => finished.has(stageOf(line))),
    [],
    'a finished stage works again',
  );
  assert.deepEqual(report.ends.slice(0, report.before.length), report.before, 'an end has changed');
  assert.deepEqual(endsOf(report), endsOf(wanted));
  if (report.outcome !== 'closed') checkOutcome(report.outcome, again);
  assert.equal(report.isClosed, true);
  checkEffects(name);
}

/** If a person confirms a call of unknown outcome, the engine writes that in place of the result. */
function checkOutcome(outcome: unknown, again: readonly string[]): void {
  const isAsked = again.some((line) => line.startsWith('asked publish.1.1:1 unknown'));
  const { kind, text } = z.object({ kind: z.string(), text: z.string() }).parse(outcome);
  assert.equal(kind, 'done');
  assert.match(text, isAsked ? /A person confirmed/ : /^once publish$/);
}

/** Calls that may be repeated keep their key; one that may not happens once. */
function checkEffects(name: string): void {
  const calls = worldOf(name)
    .flat()
    .filter((line) => line.startsWith('call '));
  for (const [call, lines] of Object.entries(Object.groupBy(calls, stageOf))) {
    assert.equal(new Set(lines).size, 1, `${call} has several keys`);
    assert.ok((lines ?? []).length <= (call.startsWith('publish') ? 1 : 2), `${call} ran ${lines?.length} times`);
  }
}

/** Kills before and after each write; `make test` has some of them, spread over the task. */
function pointsOf(writes: number, kills: number): readonly string[] {
  const all = Array.from({ length: writes }, (_, index) => [`before:${index + 1}`, `after:${index + 1}`]).flat();
  const wanted = cases(kills, all.length);
  return Array.from({ length: wanted }, (_, index) => all[Math.floor(((index + 0.5) * all.length) / wanted)] ?? '');
}
