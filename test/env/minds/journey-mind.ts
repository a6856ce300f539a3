/** A model for tests of a whole journey. */
import type { ScriptedAnswer, WireServer } from '@hamlet/models/testing';
import { startChatServer, STAY, textOf, type Chat, type Message } from './chat-server.ts';

/** The message that begins the journey. */
export const ERRAND = 'Find out what Bob wants, and post it on the board.';
export const POST_TITLE = 'Bob wants fresh bread';
/** The message that makes the agent buy tokens and report the outcome. */
export const PURCHASE = 'Buy yourself more tokens for an hour.';
export const PURCHASE_DONE = 'I have bought them.';
export const QUESTION_TO_BOB = 'Bob, what would you like most today?';

const call = (name: string, input: object): NonNullable<ScriptedAnswer['calls']> => [
  { id: `call-${name}`, name, pieces: [JSON.stringify(input)] },
];

function callsSince(messages: readonly Message[]): number {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(last).filter(({ tool_calls: calls }) => calls !== undefined && calls.length > 0).length;
}

/** Number of calls of the errand that may fail before the agent gives up. */
const FAILURES_MAX = 6;

/**
 * Number of completed steps of the errand. If a call before the post fails, for example because Bob has left earshot,
 * the agent starts again with the walk to him.
 */
function stepsDone(messages: readonly Message[]): number {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  let [done, failures] = [0, 0];
  for (const { role, content } of messages.slice(last)) {
    if (role !== 'tool') continue;
    const isRepeated = done < 2 && failures < FAILURES_MAX && /^The call (?:failed|did not run)/.test(content ?? '');
    failures += isRepeated ? 1 : 0;
    done = isRepeated ? 0 : done + 1;
  }
  return done;
}

/** The errand, step by step: walk to Bob, ask him, post, and answer with the id of the post. */
function errandStep(messages: readonly Message[]): ScriptedAnswer {
  switch (stepsDone(messages)) {
    case 0:
      return { text: ['I will ', 'look ', 'for Bob.'], calls: call('find_agent', { agent_id: 'bob' }) };
    case 1:
      return { text: ['There he is.'], calls: call('say', { text: QUESTION_TO_BOB, to: 'bob' }) };
    case 2:
      return {
        text: ['I will post it.'],
        calls: call('post_to_board', { title: POST_TITLE, body: 'Bob would like fresh bread. Who bakes?' }),
      };
    default: {
      const result = messages.at(-1)?.content ?? '';
      const postId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(result)?.[0] ?? null;
      const link = postId === null ? `not posted: ${result}` : `it is on the board: /?view=board&post=${postId}`;
      return { text: ['Bob wants ', 'fresh bread; ', link] };
    }
  }
}

/** The purchase: one call, then a sentence about its outcome. */
function purchaseStep(messages: readonly Message[]): ScriptedAnswer {
  if (callsSince(messages) === 0) {
    const item = { kind: 'quota', limit: 'tokens_per_hour', amount: 10_000 };
    return { text: ['I will buy some.'], calls: call('buy', { item, seconds: 3_600, max_price: '1' }) };
  }
  const isBought = (messages.at(-1)?.content ?? '').includes('Bought for');
  return { text: [isBought ? PURCHASE_DONE : 'They are not bought.'] };
}

export function journeyAnswer({ messages, tools = [], response_format: format }: Chat): ScriptedAnswer {
  if (format?.type === 'json_schema') return STAY;
  const asked = textOf({ messages }, 'user');
  if (tools.length > 0 && asked.includes(ERRAND)) return errandStep(messages);
  if (tools.length > 0 && asked.includes(PURCHASE)) return purchaseStep(messages);
  return { text: ['Good ', 'day.'] };
}

export const startJourneyMind = (): Promise<WireServer> => startChatServer(journeyAnswer);
