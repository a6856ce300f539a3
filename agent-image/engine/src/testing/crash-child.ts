/**
 * Carries out one run with one call of each effect, and kills itself at a given write of the journal. Arguments: path of the
 * journal, path of the witness, a kill point (`before:7`, `after:7` or `never`), and the offset of its clock in milliseconds. It
 * prints a JSON report.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { defineTool, type Tool } from '../effects/tool.ts';
import { EFFECTS, type Effect } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import type { Begun } from '../loop/engine.ts';
import type { Message, ModelPort } from '../loop/ports.ts';
import { SYSTEM_CLOCK } from '../loop/system-clock.ts';
import { anEngine, aRequest } from './an-engine.ts';
import { calls, says } from './scripted-model.ts';

const [path = '', witness = '', point = 'never', clockOffMs = '0'] = process.argv.slice(2);

/** Each line is one effect in the world: name, key and attempt. */
const witnessed = (name: string): readonly string[] =>
  existsSync(witness)
    ? readFileSync(witness, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(`${name} `))
    : [];

function killAt(journal: Journal): Journal {
  let writes = 0;
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

const last: { messages: readonly Message[] } = { messages: [] };
/** The model's answer depends only on the request, so any process may ask it. */
const model: ModelPort = {
  chat: (request, signal) => {
    last.messages = request.messages;
    const isFirst = request.messages.every(({ role }) => role !== 'tool');
    const step = isFirst ? calls(...EFFECTS.map((effect) => [effect, {}] as const)) : says('All five are done.');
    return step(request, signal);
  },
};

const journal = killAt(openSqliteJournal(path));
const clock = { ...SYSTEM_CLOCK, now: () => Date.now() + Number(clockOffMs) };
const { engine, questions } = anEngine({ journal, model, tools: EFFECTS.map(aTool), clock });
const before = Object.fromEntries(EFFECTS.map((effect) => [effect, witnessed(effect).length]));
const found = journal.eventsOf('r1');
const settled = found.ok ? found.events.flatMap((event) => (event.type === 'tool_settled' ? [event.call] : [])) : [];
const intended = found.ok ? found.events.flatMap((event) => (event.type === 'tool_intent' ? [event.call] : [])) : [];

/** A run that the journal lacks was never accepted: its sender submits it again. */
const begun: Begun = journal.rowOf('r1') === null ? await engine.start(aRequest({ run: 'r1' })) : engine.resume('r1');
let outcome: unknown = begun.ok ? await begun.outcome : begun.code;
const [question] = questions;
if (question !== undefined) {
  // The person checks the world.
  const answered = engine.answer('r1', {
    request: question.request,
    answer: witnessed('once').length > 0 ? 'happened' : 'repeat',
  });
  outcome = answered.ok ? await answered.outcome : answered.code;
}
journal.close();
const results = last.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
console.log(JSON.stringify({ outcome, asked: questions.map(({ why }) => why), results, before, settled, intended }));
