/**
 * Carries out one run with one call of each effect, and kills itself at a given write of the journal or request to the model.
 * Arguments: path of the journal, path of the witness, a kill point (`before:7`, `after:7`, `sent:2` or `never`), the offset of its
 * clock in milliseconds, and a way: `plain`, `turns` (each answer has one call), `compaction` (a summary replaces the calls) or
 * `worker` (a worker of the run makes the calls). It prints a JSON report.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { defineTool, type Tool } from '../effects/tool.ts';
import { EFFECTS, type Effect } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import type { Begun, RunRequest } from '../loop/engine.ts';
import type { CompactionPort, Message, ModelPort } from '../loop/ports.ts';
import { SYSTEM_CLOCK } from '../loop/system-clock.ts';
import { anEngine, aRequest } from './an-engine.ts';
import { calls, says } from './scripted-model.ts';

const [path = '', witness = '', point = 'never', clockOffMs = '0', way = 'plain'] = process.argv.slice(2);
const WORKER = 'w1';
/** The run that makes the calls. */
const acting = way === 'worker' ? WORKER : 'r1';

/** Each line is one effect in the world: name, key and attempt. */
const witnessed = (name: string): readonly string[] =>
  existsSync(witness)
    ? readFileSync(witness, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(`${name} `))
    : [];

function killIf(when: string, count: number): void {
  if (point !== `${when}:${count}`) return;
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function killAt(journal: Journal): Journal {
  let writes = 0;
  return {
    ...journal,
    append: (write) => {
      writes += 1;
      killIf('before', writes);
      journal.append(write);
      killIf('after', writes);
    },
  };
}

function aTool(effect: Effect): Tool {
  const description = {
    name: effect,
    description: effect,
    input: z.strictObject({}),
    timeoutMs: 10_000,
    execute: async (_input: object, { key, attempt }: { key: string; attempt: number }) => {
      appendFileSync(witness, `${effect} ${key} ${attempt}\n`);
      return { kind: 'ok' as const, text: `result of ${effect}` };
    },
  };
  if (effect !== 'verify') return defineTool({ ...description, effect });
  return defineTool({
    ...description,
    effect,
    verify: async (_input, { key }) =>
      witnessed('verify').some((line) => line.includes(key))
        ? { kind: 'done', outcome: { kind: 'ok', text: 'result of verify' } }
        : { kind: 'not_done' },
  });
}

const SUMMARY = 'Each of the five calls was made.';
const last: { messages: readonly Message[]; requests: number } = { messages: [], requests: 0 };
const isSummarized = (): boolean => JSON.stringify(last.messages).includes(SUMMARY);

/** The model's answer depends only on the request, so any process may ask it. */
const model: ModelPort = {
  chat: (request, signal) => {
    last.requests += 1;
    killIf('sent', last.requests);
    const results = request.messages.filter(({ role }) => role === 'tool').length;
    const isFirst = results === 0;
    const done = says('All five are done.');
    if (request.at?.run !== acting) return (isFirst ? calls(['delegate', {}]) : done)(request, signal);
    last.messages = request.messages;
    const next = EFFECTS[results];
    if (way === 'turns') return (next === undefined ? done : calls([next, {}]))(request, signal);
    const step = isFirst && !isSummarized() ? calls(...EFFECTS.map((effect) => [effect, {}] as const)) : done;
    return step(request, signal);
  },
};

const summarizing: CompactionPort = {
  contextTokens: () => 10,
  summarize: async () => ({ text: SUMMARY, tokens: 5, moneyMicros: 1 }),
};

const delegate = defineTool({
  name: 'delegate',
  description: 'delegate',
  input: z.strictObject({}),
  effect: 'keyed',
  timeoutMs: 10_000,
  execute: async (_input, { run, call }) => {
    // An engine knows a run once its first step has returned.
    await new Promise((resolve) => setImmediate(resolve));
    const ended = engine.outcomeOf(WORKER);
    const request = { ...aRequest({ conversation: 'c2', parent: { run, call } }), run: WORKER };
    const outcome = ended ?? (await finished(WORKER, await begin(request)));
    return { kind: 'ok', text: JSON.stringify(outcome) };
  },
});

const journal = killAt(openSqliteJournal(path));
const clock = { ...SYSTEM_CLOCK, now: () => Date.now() + Number(clockOffMs) };
const { engine, questions } = anEngine({
  journal,
  model,
  tools: [...EFFECTS.map(aTool), delegate],
  clock,
  compaction: way === 'compaction' ? summarizing : null,
});

/** A run that the journal lacks was never accepted: its sender submits it again. */
const begin = async (request: RunRequest & { readonly run: string }): Promise<Begun> =>
  journal.rowOf(request.run) === null ? engine.start(request) : engine.resume(request.run);

/** The outcome of a run; a person checks the world and answers its question. */
async function finished(run: string, begun: Begun): Promise<unknown> {
  const outcome: unknown = begun.ok ? await begun.outcome : begun.code;
  const question = questions.find((asked) => asked.run === run);
  if (question === undefined) return outcome;
  const answer = witnessed('once').length > 0 ? 'happened' : 'repeat';
  const answered = engine.answer(run, { request: question.request, answer });
  return answered.ok ? await answered.outcome : answered.code;
}

const before = Object.fromEntries(EFFECTS.map((effect) => [effect, witnessed(effect).length]));
const found = journal.eventsOf(acting);
const settled = found.ok ? found.events.flatMap((event) => (event.type === 'tool_settled' ? [event.call] : [])) : [];
const intended = found.ok ? found.events.flatMap((event) => (event.type === 'tool_intent' ? [event.call] : [])) : [];
const requests = found.ok
  ? found.events.flatMap((event) => (event.type === 'model_asked' ? [`${event.ask}.${event.attempt}`] : []))
  : [];
const outcome = await finished('r1', await begin({ ...aRequest(), run: 'r1' }));
journal.close();
const results = last.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
const asked = questions.map(({ why }) => why);
const report = { outcome, asked, results, before, settled, intended, requests, isSummarized: isSummarized() };
console.log(JSON.stringify(report));
