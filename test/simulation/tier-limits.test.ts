/**
 * A conversation with an agent that reaches the limits of its tier: the person sees until when it waits, and gets an
 * answer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentDetail, type SessionMessage } from '@hamlet/contract';
import type { ScriptedAnswer } from '@hamlet/models/testing';
import { textOf, type Chat } from '@hamlet/test/env/minds/chat-server';
import { until } from '@hamlet/test/env/until';
import { dataOf } from '../env/client.ts';
import { NAME, startWiredVillage, type TierLimits, type WiredVillage } from './wired-village.ts';

const LONG = 'Remember ten things.';
const CALLS = 10;
const MORE_CONVERSATIONS = 5;
const SPEC =
  '  displayName: Bob\n  persona:\n    identity: A helper\n    personality: Plain\n    instructions: Be brief.';

/** Ten tool calls in sequence, then an answer. */
function answer(chat: Chat): ScriptedAnswer {
  if (chat.response_format !== undefined)
    return { text: [JSON.stringify({ option: 'stay', why: 'I wait', say: null, over: true })] };
  if (textOf(chat, 'user') !== LONG) return { text: ['Good day.'] };
  const results = chat.messages.filter(({ role }) => role === 'tool').length;
  if (results === CALLS) return { text: [`I remember ${CALLS} things.`] };
  return { text: [], calls: [{ id: `call-${results}`, name: 'look_around', pieces: ['{}'] }] };
}

interface Said {
  readonly answered: SessionMessage;
  /** The limits at which the person saw the agent wait. */
  readonly reached: readonly NonNullable<AgentDetail['limit_reached']>[];
  readonly tookMs: number;
}

/** Sends a message and polls the agent like the chat until the answer. */
async function say({ play }: WiredVillage, text: string): Promise<Said> {
  const { admin } = play.play;
  const { session_id: sessionId } = await play.open(admin, NAME);
  const startedMs = performance.now();
  const { message } = dataOf(await play.say(admin, sessionId, text));
  const reached = new Map<string, NonNullable<AgentDetail['limit_reached']>>();
  const answered = await until(
    'the answer',
    async () => {
      const { limit_reached: limit } = await admin.getAgent({ agent_id: NAME });
      if (limit !== undefined) reached.set(limit.until.slice(0, 16), limit);
      const lines = await play.transcript(admin, sessionId);
      return lines.find(({ number, author }) => number > message.number && author.role !== 'admin');
    },
    { capMs: 240_000 },
  );
  return { answered, reached: [...reached.values()], tookMs: performance.now() - startedMs };
}

const limits = (changes: object): TierLimits => ({
  requestsPerMinute: 120,
  concurrentTools: 1,
  concurrentModelRequests: 2,
  tokensPerHour: 200_000,
  models: ['small'],
  ...changes,
});

async function inVillage(changes: object, talk: (village: WiredVillage) => Promise<void>): Promise<void> {
  const village = await startWiredVillage(SPEC, answer, limits(changes));
  try {
    await talk(village);
  } finally {
    await village.remove();
  }
}

test('with the limits of the first tier, a conversation with ten calls has its answer', async (t) => {
  await inVillage({}, async (village) => {
    const { answered, reached, tookMs } = await say(village, LONG);
    assert.equal(answered.text, `I remember ${CALLS} things.`);
    t.diagnostic(`${(tookMs / 1_000).toFixed(1)} s, ${reached.length} waits for the limit of requests`);
  });
});

test('an agent at its request limit waits, and the person sees until when and then gets the answer', async (t) => {
  await inVillage({ requestsPerMinute: 45 }, async (village) => {
    let { answered, reached, tookMs } = await say(village, LONG);
    // The requests of a conversation may be spread over two minutes, so that neither reaches the limit.
    for (let more = 0; reached.length === 0 && more < MORE_CONVERSATIONS; more += 1)
      ({ answered, reached, tookMs } = await say(village, LONG));
    assert.equal(answered.text, `I remember ${CALLS} things.`);
    const [first] = reached;
    assert.partialDeepStrictEqual(first, { limit: 'requests_per_minute', quota: 45 });
    t.diagnostic(`${(tookMs / 1_000).toFixed(1)} s, ${reached.length} waits for the limit of requests`);
  });
});

test('an agent without enough tokens for this hour parks its run, which says until when', async () => {
  await inVillage({ tokensPerHour: 1_500 }, async ({ play }) => {
    const { admin } = play.play;
    const { session_id: sessionId } = await play.open(admin, NAME);
    const { run } = dataOf(await play.say(admin, sessionId, LONG));
    const parked = await until('the parked run', async () => (await play.get(run?.run_id ?? '')).parked ?? undefined, {
      capMs: 120_000,
    });
    assert.equal(parked.code, 'token_quota_exhausted');
    const waitMs = Date.parse(parked.until) - Date.now();
    assert.ok(waitMs > 0 && waitMs <= 3_600_000, parked.until);
  });
});
