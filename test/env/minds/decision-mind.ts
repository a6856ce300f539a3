/**
 * A model that decides for an agent in tests: it asks the board for bread, uses the answer, and reacts to a reward and
 * a penalty.
 */
import type { ScriptedAnswer } from '@hamlet/models/testing';
import { textOf, type Chat } from './chat-server.ts';

/** A decision that the village requested from the model. */
export interface Asked {
  readonly model: string;
  readonly user: string;
}

export const BREAD_QUESTION = 'Where is fresh bread?';
export const BREAD_ANSWER = 'Fresh bread is at the market.';
export const REWARD_REASON = 'a clear question';
export const PENALTY_REASON = 'too many words';
/** A person's question for its reasons. */
export const WHY_QUESTION = 'Why did you change your plan?';
/** The reasons of its decisions. */
export const WHY = {
  ask: 'I do not know where bread is',
  market: 'the answer on the board says that fresh bread is at the market',
  rewarded: 'I was rewarded',
  penalized: 'I was penalized',
} as const;
/** The new plan of the agent after a reward and after a penalty. */
export const PLANS = { rewarded: '22:00 ask more', penalized: '23:00 say less' } as const;

const planOf = (words: string): object[] => [{ at: words.slice(0, 5), goal: words.slice(6) }];

/** Chooses an action from the input. */
function decisionOf(options: readonly string[], user: string): object {
  const words = { text: null, title: null, plan: null, purpose: 'bread' };
  const pick = (option: string): string => (options.includes(option) ? option : 'stay');
  if (user.includes(PENALTY_REASON))
    return { ...words, option: 'stay', why: WHY.penalized, plan: planOf(PLANS.penalized) };
  if (user.includes(REWARD_REASON))
    return { ...words, option: 'stay', why: WHY.rewarded, plan: planOf(PLANS.rewarded) };
  if (user.includes(BREAD_ANSWER)) return { ...words, option: pick('go:market'), why: WHY.market };
  if (user.includes('Earlier you chose ask')) return { ...words, option: 'stay', why: 'I wait for an answer' };
  return { ...words, option: pick('ask'), title: BREAD_QUESTION, text: 'I want to bake.', why: WHY.ask };
}

export function decisionAnswer(chat: Chat): ScriptedAnswer {
  const schema = chat.response_format?.json_schema.schema;
  const options = schema?.properties.option?.enum;
  const user = textOf(chat, 'user');
  if (options !== undefined) return { text: [JSON.stringify(decisionOf(options, user))] };
  if (schema !== undefined) return { text: [JSON.stringify({ say: null, over: true, why: 'nothing to add' })] };
  if (!user.includes(WHY_QUESTION)) return { text: ['Good day.'] };
  return { text: [`Because of ${/A (?:reward|penalty) of [^\n]*/.exec(textOf(chat, 'system'))?.[0] ?? 'nothing'}`] };
}

/** The requested decisions, oldest first. */
export const decisionsIn = (chats: readonly Chat[]): readonly Asked[] =>
  chats.flatMap((chat) =>
    chat.response_format?.json_schema.schema.properties.option === undefined
      ? []
      : [{ model: chat.model, user: textOf(chat, 'user') }],
  );
