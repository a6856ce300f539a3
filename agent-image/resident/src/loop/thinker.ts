import type { AgentConfig, ChatCompletion, ChatCompletionBody } from '@hamlet/contract';
import type { Thought } from '../brain/life/life-mind.ts';
import { optionsOf } from '../brain/life/options.ts';
import { questionOf } from '../brain/life/question.ts';
import { readChoice } from '../brain/life/read-choice.ts';
import { isTimeToThink, situationKey } from '../brain/life/when-to-think.ts';
import type { Situation } from '../brain/situation.ts';
import type { Log } from '../process/json-log.ts';
import { modelOf } from '../runtime/runtime-pool.ts';
import type { Answer } from '../village/village.ts';

/** Maximum number of tokens of an answer. */
const ANSWER_TOKENS = 500;

/** Asks the agent's model for decisions, beside the turns: a turn never waits for a model. */
export interface Thinker {
  /** The decision that has arrived since the last call; null when there is none. */
  take(): Thought | null;
  /** Asks for a decision if it is time for one and none is under way. */
  consider(situation: Situation, config: Pick<AgentConfig, 'model' | 'limits'>): void;
}

export interface ThinkerPorts {
  readonly complete: (body: ChatCompletionBody) => Promise<Answer<ChatCompletion>>;
  /** The newest diary entries, oldest first. */
  readonly diary: () => readonly string[];
  /** Called when a decision has arrived. */
  readonly onThought: () => void;
  readonly log: Log;
}

/** Mutable: holds the decision that waits for its turn, and whether a request is under way. */
export function createThinker(ports: ThinkerPorts): Thinker {
  let ready: Thought | null = null;
  let isAsking = false;

  async function ask(situation: Situation, model: string): Promise<void> {
    isAsking = true;
    try {
      ready = await think(ports, situation, model);
      ports.onThought();
    } finally {
      isAsking = false;
    }
  }

  return {
    take: () => {
      const taken = ready;
      ready = null;
      return taken;
    },
    consider: (situation, config) => {
      const model = modelOf(config);
      if (isAsking || ready !== null || model === null) return;
      if (isTimeToThink(situation, config.limits?.tokens_per_hour ?? 0)) void ask(situation, model);
    },
  };
}

async function think({ complete, diary, log }: ThinkerPorts, situation: Situation, model: string): Promise<Thought> {
  const options = optionsOf(situation);
  const { system, user, schema } = questionOf(situation, options, diary());
  const made = { of: situationKey(situation), askedAt: situation.tick, model };
  const answer = await complete({
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    max_tokens: ANSWER_TOKENS,
    response_format: { type: 'json_schema', json_schema: { name: 'decision', schema, strict: true } },
  });
  if (answer.kind !== 'ok') {
    log.warn('no_decision', { reason: answer.kind === 'refused' ? answer.code : answer.kind });
    return { ...made, tokens: 0, chosen: null };
  }
  const chosen = readChoice(answer.value.choices[0]?.message.content ?? '', options);
  if (chosen === null) log.warn('no_decision', { reason: 'not_an_option' });
  return { ...made, tokens: answer.value.usage.total_tokens, chosen };
}
