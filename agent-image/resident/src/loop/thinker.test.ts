import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { AgentConfig, ChatCompletion, ChatCompletionBody } from '@hamlet/contract';
import { NEW_TO_LIFE, SHARE_OF_TOKENS } from '../brain/life/life-mind.ts';
import { DECISION_TOKENS, READING_TOKENS } from '../brain/life/when-to-think.ts';
import { NEWBORN } from '../brain/mind.ts';
import type { Situation } from '../brain/situation.ts';
import { createTurnGate } from '../runs/turn-gate.ts';
import { aSituation } from '../testing/a-situation.ts';
import type { ConversationReader } from '../memory/reading/conversation-reader.ts';
import type { Passage } from '../memory/reading/plan-reading.ts';
import { anAgent, AT, LIMITS } from '../testing/a-village.ts';
import type { Answer } from '../village/village.ts';
import { modelOf } from '../runtime/runtime-pool.ts';
import { createThinker, type ThinkerPorts } from './thinker.ts';

const limits = { ...LIMITS, tokens_per_hour: DECISION_TOKENS * SHARE_OF_TOKENS };
const MODEL: AgentConfig['model'] = { provider: 'compatible', name: 'small', scripted: false, reason: '' };
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

const situation = (model: AgentConfig['model'] = MODEL, tokensPerHour = limits.tokens_per_hour): Situation =>
  aSituation({
    self: { landmark_id: 'cafe', position: AT.cafe },
    config: { model, limits: { ...limits, tokens_per_hour: tokensPerHour } },
  });

const completion = (content: string): Answer<ChatCompletion> => ({
  kind: 'ok',
  value: {
    choices: [{ message: { content } }],
    usage: { prompt_tokens: 700, completion_tokens: 60, total_tokens: 760 },
  } as unknown as ChatCompletion,
});

/** A thinker whose model answers on the test's command. */
function aThinker(more: Partial<ThinkerPorts> = {}) {
  const asked: ChatCompletionBody[] = [];
  const waiting: ((answer: Answer<ChatCompletion>) => void)[] = [];
  let arrived = Promise.withResolvers<void>();
  const thinker = createThinker({
    complete: (body, until) => {
      asked.push(body);
      return new Promise((resolve) => {
        waiting.push(resolve);
        until?.addEventListener('abort', () => resolve({ kind: 'unreachable', why: 'aborted' }));
      });
    },
    diary: () => [],
    onThought: () => arrived.resolve(),
    log: SILENT,
    ...more,
  });
  return {
    thinker,
    asked,
    answer: async (given: Answer<ChatCompletion>): Promise<void> => {
      arrived = Promise.withResolvers<void>();
      waiting.shift()?.(given);
      await arrived.promise;
    },
  };
}

test('an agent without a model, or with the scripted runtime, never requests decisions', () => {
  const { thinker, asked } = aThinker();
  const facts = { name: 'small', scripted: true, reason: '' };
  for (const model of [null, { ...facts, provider: 'scripted' }, { ...facts, provider: 'gateway' }]) {
    assert.equal(modelOf({ model }), null);
    thinker.consider(situation(model));
  }
  assert.equal(asked.length, 0);
});

test('a decision is requested once, with the options as a schema, and goes to one turn', async () => {
  const { thinker, asked, answer } = aThinker();
  const now = situation();
  thinker.consider(now);
  thinker.consider(now);
  assert.equal(asked.length, 1, 'one request at a time');
  assert.match(JSON.stringify(asked[0]), /"json_schema".*"go:library"/);
  assert.equal(thinker.take(), null);

  await answer(completion('{"option":"go:library","why":"I want to read","purpose":"learning"}'));
  const thought = thinker.take();
  assert.ok(thought?.kind === 'choice');
  assert.deepEqual([thought.chosen?.option, thought.tokens, thought.askedAt], ['go:library', 760, 7_000]);
  assert.equal(thinker.take(), null);
});

test('a failure or a choice that was not offered arrives as a thought without a choice, so that the agent pauses', async () => {
  const { thinker, answer } = aThinker();
  const failures: readonly Answer<ChatCompletion>[] = [
    { kind: 'refused', code: 'model_failed', detail: 'no' },
    { kind: 'unreachable', why: 'timeout' },
    completion('{"option":"fly","why":"I can"}'),
  ];
  for (const failure of failures) {
    thinker.consider(situation());
    await answer(failure);
    const thought = thinker.take();
    assert.ok(thought?.kind === 'choice');
    assert.equal(thought.chosen, null);
  }
});

test('a wrong answer is asked for once more, with its exact fault, if the tokens of the hour cover it', async () => {
  const { thinker, asked, answer } = aThinker();
  const rich = situation(MODEL, 4 * limits.tokens_per_hour);
  thinker.consider(rich);
  void answer(completion('{"option":"fly","why":"I can"}'));
  while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  const [, user] = asked[1]?.messages ?? [];
  assert.match(
    String(user?.content),
    /# Correct your last answer\nYour answer could not be used [^]*option: .*go:library/,
  );
  await answer(completion('{"option":"go:library","why":"I want to read"}'));
  const thought = thinker.take();
  assert.ok(thought?.kind === 'choice');
  assert.deepEqual([thought.chosen?.option, thought.tokens], ['go:library', 1_520], 'both requests count');
});

const PASSAGE: Passage = {
  session: 's',
  speaker: 'Mia',
  audience: ['mia'],
  repository: null,
  turn: 0,
  lines: [{ id: 'e', run: 'r', label: 'm1', text: 'I like rye.', at: 0, turn: 0 }],
};

/** A reader with one passage, and what happened to it. */
function aReader() {
  const ends: string[] = [];
  const reader: ConversationReader = {
    next: () => (ends.length === 0 ? PASSAGE : null),
    begin: async () => [],
    keep: async (_passage, _known, { facts }) => ends.push(...facts.map(({ text }) => text)),
    delay: () => void ends.push('delayed'),
  };
  return { ends, reader };
}

/** The agent has just decided. */
const decided = (tokensLeft: number, work: string | null = null): Situation =>
  aSituation({
    self: { landmark_id: 'cafe', position: AT.cafe },
    config: { model: MODEL, limits: { ...limits, tokens_per_hour: tokensLeft * SHARE_OF_TOKENS } },
    mind: { ...NEWBORN, life: { ...NEW_TO_LIFE, decidedAt: 7_000 } },
    work,
  });

test('a conversation is read between decisions if tokens are left and no run works; its tokens count', async () => {
  const { ends, reader } = aReader();
  const { thinker, asked, answer } = aThinker({ reader });
  thinker.consider(decided(READING_TOKENS - 1));
  thinker.consider(decided(READING_TOKENS, 'a run'));
  await setImmediate();
  assert.equal(asked.length, 0);
  thinker.consider(decided(READING_TOKENS));
  await setImmediate();
  assert.deepEqual(
    asked.map(({ response_format: format }) => format?.type === 'json_schema' && format.json_schema.name),
    ['facts'],
  );
  await answer(completion('{"facts":[{"text":"Mia likes rye.","sources":["m1"]}]}'));
  assert.deepEqual(ends, ['Mia likes rye.']);
  assert.deepEqual(thinker.take(), { kind: 'facts', askedAt: 7_000, tokens: 760, model: 'small' });
});

test('a run that begins ends the request, and the passage is read later', async () => {
  const { ends, reader } = aReader();
  const gate = createTurnGate();
  const thought = Promise.withResolvers<void>();
  const { thinker, asked } = aThinker({ reader, quiet: () => gate.quiet, onThought: thought.resolve });
  thinker.consider(decided(READING_TOKENS));
  await setImmediate();
  assert.equal(asked.length, 1);
  await gate.begin('a run');
  await thought.promise;
  assert.deepEqual(ends, ['delayed']);
  assert.deepEqual(thinker.take()?.tokens, 0);
});

test('another agent that speaks does not wait for a reading', async () => {
  const { ends, reader } = aReader();
  let thoughts = Promise.withResolvers<void>();
  const { thinker, asked } = aThinker({ reader, onThought: () => thoughts.resolve() });
  thinker.consider(decided(READING_TOKENS));
  await setImmediate();
  const talk = { with: 'bob', name: 'Bob', lines: [{ by: 'them' as const, text: 'Hello!' }], tick: 7_000, over: false };
  const alone = decided(READING_TOKENS);
  const life = { ...alone.mind.life, talks: [talk] };
  const near = { ...alone, neighbours: [anAgent('bob', { position: AT.cafe })], mind: { ...alone.mind, life } };
  thinker.consider(near);
  await thoughts.promise;
  assert.deepEqual(ends, ['delayed']);
  thinker.take();
  thoughts = Promise.withResolvers();
  thinker.consider(near);
  await setImmediate();
  assert.match(JSON.stringify(asked[1]), /Hello!/);
});
