/**
 * Carries out one task whose plan has stages of each role, and kills itself at a given write of the journal. Arguments: path of the
 * journal, path of the witness, a kill point (`before:7`, `after:7` or `never`), `runs` or `calls` for its agents. It prints a JSON report.
 */
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import { defineTool, type Tool } from '../effects/tool.ts';
import { createFlow } from '../flow/create-flow.ts';
import type { Effect } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import type { RunOutcome } from '../loop/advance.ts';
import type { ModelPort } from '../loop/ports.ts';
import { loadRun } from '../loop/transcript.ts';
import { aPlan, aStage } from './a-plan.ts';
import { anEngine, aRequest } from './an-engine.ts';
import { BUDGETS } from './an-event.ts';
import { says } from './scripted-model.ts';

const [path = '', witness = '', point = 'never', agents = 'runs'] = process.argv.slice(2);
const TASK = 't1';

/** Each line is one effect in the world. */
const witnessed = (text: string): void => appendFileSync(witness, `${text}\n`);

let writes = 0;

function killAt(journal: Journal): Journal {
  const killIf = (when: string): void => {
    if (point !== `${when}:${writes}`) return;
    process.kill(process.pid, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  return {
    ...journal,
    append: (write) => {
      writes += 1;
      killIf('before');
      journal.append(write);
      killIf('after');
    },
  };
}

/** The tool says its name and what it got. Its first attempt at the stage `flaky` fails. */
const aTool = (effect: Exclude<Effect, 'verify'>): Tool =>
  defineTool({
    name: effect,
    description: effect,
    input: z.strictObject({ text: z.string() }),
    effect,
    timeoutMs: 10_000,
    execute: async ({ text }, { call, key }) => {
      witnessed(`call ${call} ${key}`);
      if (call.startsWith('flaky.1.1:')) return { kind: 'failed', code: 'broken', text: 'Try again.' };
      return { kind: 'ok', text: `${effect} ${text}` };
    },
  });

const tool = (id: string, effect: Effect, fields = {}) =>
  aStage(id, { role: 'tool', tool: effect, input: { text: id }, ...fields });

const plan = aPlan(
  [
    tool('start', 'read'),
    tool('left', 'keyed'),
    tool('right', 'idempotent'),
    tool('flaky', 'keyed', { retry: { attempts: 2, backoffMs: 0, on: null } }),
    aStage('all', { role: 'merge', merge: 'by_source' }),
    aStage('judge', { role: 'agent', agent: 'ada', decides: true }),
    aStage('refuse'),
    aStage('draft', { role: 'agent', agent: 'ada' }),
    aStage('polish', {
      role: 'feedback',
      agent: 'ada',
      feedback: { reviews: 'draft', until: "output == 'good'", maxRounds: 3 },
    }),
    tool('publish', 'once'),
  ],
  [
    'start>left',
    'start>right',
    'start>flaky',
    'left>all',
    'right>all',
    'flaky>all',
    'all>judge',
    "judge?refuse:output == 'no'",
    'judge?draft',
    'draft>polish',
    'polish>publish',
  ],
);

/** The words of an agent depend only on its stage and what it got. */
function wordsOf(input: string): string {
  if (input.startsWith('judge')) return 'yes';
  if (input.startsWith('polish')) return input.includes('second') ? 'good' : 'bad';
  return input.includes('feedback') ? 'second draft' : 'first draft';
}

const model: ModelPort = {
  chat: (request, signal) => {
    const said = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
    witnessed(`model ${request.at?.run}`);
    return says(wordsOf(said))(request, signal);
  },
};

/** Asks an agent, in place of a run of it. */
const ask = defineTool({
  name: 'ask',
  description: 'Asks an agent.',
  input: z.strictObject({ text: z.string() }),
  effect: 'read',
  timeoutMs: 10_000,
  execute: async ({ text }, { call }) => {
    witnessed(`model ${call}`);
    return { kind: 'ok', text: JSON.stringify(wordsOf(text)) };
  },
});

const flow = createFlow({
  ...(agents === 'calls' && {
    agentCall: ({ stage, input }) => ({
      tool: 'ask',
      arguments: { text: `${stage.id} ${JSON.stringify(input)}` },
    }),
  }),
  agentRun: async ({ stage, input }) => {
    const text = `${stage.id} ${JSON.stringify(input)}`;
    return {
      ok: true,
      run: { input: text, prompt: { stable: 'Help.', situation: '' }, model: 'test', budgets: BUDGETS },
    };
  },
  toolStep: ({ stage, input }, [settled]) => {
    if (settled === undefined) return { kind: 'calls', calls: [{ tool: stage.tool ?? '', arguments: input }] };
    const { outcome } = settled;
    if (outcome?.kind === 'ok') return { kind: 'done', output: outcome.text };
    return { kind: 'failed', failure: { category: 'tool', code: 'broken', message: 'Broken.' } };
  },
  beforeStage: async () => null,
  afterStage: () => {},
});

const journal = killAt(openSqliteJournal(path));
const { engine, questions } = anEngine({
  journal,
  model,
  tools: [...(['read', 'keyed', 'idempotent', 'once'] as const).map(aTool), ask],
  flow,
});

type Ended = Readonly<{ id: string; round: number; attempt: number; end: string; edges: readonly string[] }>;

function endsOf(): readonly Ended[] {
  const found = journal.eventsOf(TASK);
  if (!found.ok) return [];
  const opened = new Map<string, { round: number; attempt: number }>();
  return found.events.flatMap((event) => {
    if (event.type === 'stage_opened' && event.flow !== undefined) opened.set(event.stage, event.flow);
    if (event.type !== 'stage_closed' || event.flow === undefined) return [];
    const { round, attempt } = opened.get(event.stage) ?? { round: 0, attempt: 0 };
    return [{ id: event.stage, round, attempt, end: event.flow.end, edges: event.flow.edges }];
  });
}

async function finished(): Promise<RunOutcome | string> {
  const request = aRequest({
    run: TASK,
    conversation: TASK,
    input: '"x"',
    stage: { id: 'task', plan: JSON.stringify(plan) },
    flow: {
      workflow: 'test',
      pipeline: 'default',
      task: JSON.stringify({ id: TASK, input: 'x', mode: null, tags: [], overrides: [], routing: [] }),
    },
  });
  const begun = journal.rowOf(TASK) === null ? await engine.start(request) : engine.resume(TASK);
  if (!begun.ok) return begun.code;
  const outcome = await begun.outcome;
  const [question] = questions;
  if (question === undefined) return outcome;
  // A person looks at the world.
  witnessed(`asked ${question.call} ${question.why}`);
  const answered = engine.answer(TASK, { request: question.request, answer: 'happened' });
  return answered.ok ? answered.outcome : answered.code;
}

const before = endsOf();
witnessed('process');
const outcome = await finished();
const loaded = loadRun(journal, TASK);
const report = { outcome, before, ends: endsOf(), writes, isClosed: loaded.ok && loaded.state.outcome !== null };
journal.close();
console.log(JSON.stringify(report));
