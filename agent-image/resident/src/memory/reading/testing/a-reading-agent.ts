import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatCompletion, ChatCompletionBody, Run } from '@hamlet/contract';
import { openMemory, type Fact, type Memory } from '@hamlet/engine/memory';
import { atEnd, testFolder } from '@hamlet/test/env/at-end';
import { readConversation } from '../../../loop/read-conversation.ts';
import { wordsOfRun } from '../../../runs/words-of-run.ts';
import { aSituation } from '../../../testing/a-situation.ts';
import { aRun, LIMITS } from '../../../testing/a-village.ts';
import type { Answer } from '../../../village/village.ts';
import { openLifeStore, type LifeStore } from '../../life-store.ts';
import { createOwnMemory } from '../../own-memory.ts';
import { lineOf } from '../../remembered.ts';
import { createConversationReader, type ConversationReader } from '../conversation-reader.ts';
import { RESTS_AFTER_MS } from '../plan-reading.ts';

const root = testFolder('conversation-reader');
export const START_MS = Date.UTC(2026, 10, 1);
export const REST_MS = RESTS_AFTER_MS + 60_000;
const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const readBy = (...names: readonly string[]) => ({
  present: names.map((name) => `account ${name}`),
  repository: null,
});

interface Chat {
  readonly names?: readonly string[];
  readonly session?: number;
  /** The API marks the words of the run as text from outside. */
  readonly tainted?: boolean;
}

export type Given = object | string | Exclude<Answer<never>, { kind: 'ok' }>;

/** A model that gives these answers, then no facts. */
function aScriptedModel() {
  const asked: string[] = [];
  let answers: Given[] = [];
  let onAsked = (): void => {};
  const complete = async ({ messages }: ChatCompletionBody): Promise<Answer<ChatCompletion>> => {
    asked.push(messages.map(({ content }) => String(content)).join('\n'));
    onAsked();
    const answer = answers.shift() ?? { facts: [] };
    if (typeof answer === 'object' && 'kind' in answer) return answer;
    const content = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const usage = { prompt_tokens: 500, completion_tokens: 50, total_tokens: 550 };
    return { kind: 'ok', value: { choices: [{ message: { content } }], usage } as unknown as ChatCompletion };
  };
  return {
    asked,
    complete,
    answer: (given: readonly Given[]): void => void (answers = [...given]),
    whenAsked: (act: () => void): void => void (onAsked = act),
  };
}

/** Ends runs of people with words, which the agent keeps. */
function aTalk(clock: { now: number }, store: () => Memory) {
  let runs = 0;
  const say = async (text: string, { names = ['Mia'], session = 91, tainted = false }: Chat = {}): Promise<string> => {
    clock.now += 1_000;
    const people = names.map((name) => ({ id: `account ${name}`, name }));
    const run: Run = aRun(text, {
      run_id: idOf((runs += 1)),
      session_id: idOf(session),
      created_by: { role: 'member', id: people[0]?.id ?? '' },
    });
    const held = { run, session: { session_id: idOf(session), people, repository: null }, repository: null };
    const words = wordsOfRun(held, { state: 'done', answer: 'I understand.' });
    await createOwnMemory(store()).keepWords(words, tainted ? words.map(({ id }) => id) : []);
    return run.run_id;
  };
  return say;
}

/** An agent whose model answers what the test gives it. */
export function anAgent() {
  const folder = mkdtempSync(join(root, 'agent-'));
  const clock = { now: START_MS };
  const now = (): number => clock.now;
  const warned: unknown[] = [];
  let onCatchUp = (): void => {};
  const scripted = aScriptedModel();
  let parts = open();
  atEnd(async () => close());

  function open(): { store: Memory; life: LifeStore; reader: ConversationReader } {
    const store = openMemory({ dir: join(folder, 'store'), clock: now });
    const life = openLifeStore({ path: join(folder, 'life.jsonl') });
    const log = { warn: (_event: string, fields: object) => void warned.push(fields) };
    const ports = { memory: store, life, catchUp: async () => (onCatchUp(), true), onChange: () => {}, now, log };
    return { store, life, reader: createConversationReader(ports) };
  }
  function close(): void {
    parts.life.close();
    parts.store.close();
  }
  const model = { provider: 'compatible', name: 'small', scripted: false, reason: '' };
  const limits = { ...LIMITS, tokens_per_hour: 200_000 };
  const situation = aSituation({ config: { model, limits } });
  const say = aTalk(clock, () => parts.store);
  /** Lets time pass and reads what is due, with these answers of the model. Returns the tokens that were used. */
  const read = async (...given: readonly Given[]): Promise<number> => {
    clock.now += REST_MS;
    scripted.answer(given);
    const passage = parts.reader.next();
    if (passage === null) return 0;
    const log = { info: () => {}, warn: (_event: string, fields: object) => void warned.push(fields) };
    const until = new AbortController().signal;
    return (
      await readConversation({ reader: parts.reader, complete: scripted.complete, log, until }, situation, passage)
    ).tokens;
  };
  const facts = (): readonly Fact[] =>
    parts.store
      .list({ audience: 'keeper', kind: 'fact' })
      .memories.flatMap((each) => (each.kind === 'fact' ? [each] : []));
  return {
    clock,
    asked: scripted.asked,
    warned,
    say,
    read,
    facts,
    parts: () => parts,
    forget: (id: string): void => void parts.store.forget([id], { audience: ['account Mia'] }),
    whenAsked: scripted.whenAsked,
    whenCatchingUp: (act: () => void): void => void (onCatchUp = act),
    restart: (): void => {
      close();
      parts = open();
    },
    recalled: async (query: string, ...names: readonly string[]): Promise<readonly string[]> => {
      const own = createOwnMemory(parts.store, () => {}, now);
      return (await own.recall(query, readBy(...names), idOf(99))).memories.map(lineOf);
    },
  };
}

/** A fact in an answer of the model. */
export const fact = (text: string, more: object = {}): object => ({
  text,
  sources: ['m1'],
  supersedes: null,
  from: null,
  until: null,
  importance: 0.7,
  ...more,
});
