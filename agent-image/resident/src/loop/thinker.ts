import type { ChatCompletion, ChatCompletionBody } from '@hamlet/contract';
import type { Talk, Thought } from '../brain/life/life-mind.ts';
import { optionsOf } from '../brain/life/options.ts';
import { lineQuestionOf, readLine } from '../brain/life/next-line.ts';
import { cueOf, questionOf, readChoice, type Question } from '../brain/life/question.ts';
import { talkToAnswer } from '../brain/life/talk.ts';
import { isTimeToThink, situationKey } from '../brain/life/when-to-think.ts';
import type { Situation } from '../brain/situation.ts';
import type { Log } from '../process/json-log.ts';
import type { Answer } from '../village/village.ts';

/** Enough for the thoughts before a decision, which is itself a line. */
const ANSWER_TOKENS = 8_192;

/** Requests decisions from the agent's model in parallel to the turns: a turn never waits for a model. */
export interface Thinker {
  /** The decision that has arrived since the last call; null if none has. */
  take(): Thought | null;
  /** Requests the next line of a conversation, or a decision if it is time for one; one request at a time. */
  consider(situation: Situation): void;
}

export interface ThinkerPorts {
  readonly complete: (body: ChatCompletionBody) => Promise<Answer<ChatCompletion>>;
  readonly diary: () => readonly string[];
  /** Memories that everybody may know and that fit a text, the best first. Never rejects. Without it the agent recalls none. */
  readonly recall?: (text: string) => Promise<readonly string[]>;
  readonly onThought: () => void;
  readonly log: Log;
}

export function createThinker(ports: ThinkerPorts): Thinker {
  let ready: Thought | null = null;
  let isAsking = false;

  async function ask(thought: Promise<Thought>): Promise<void> {
    isAsking = true;
    try {
      ready = await thought;
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
    consider: (situation) => {
      if (isAsking || ready !== null || situation.thinks === null) return;
      const { model } = situation.thinks;
      const talk = talkToAnswer(situation);
      if (talk !== undefined) void ask(thinkOfLine(ports, situation, { model, talk }));
      else if (isTimeToThink(situation)) void ask(thinkOfChoice(ports, situation, model));
    },
  };
}

async function thinkOfChoice(ports: ThinkerPorts, situation: Situation, model: string): Promise<Thought> {
  const options = optionsOf(situation);
  const recalled = ports.recall === undefined ? [] : await ports.recall(cueOf(situation));
  const question = questionOf(situation, options, { diary: ports.diary(), recalled });
  const { tokens, content } = await answerOf(ports, question, model);
  const chosen = content === null ? null : readChoice(content, options);
  if (content !== null && chosen === null) ports.log.warn('no_decision', { reason: 'not_an_option' });
  return { kind: 'choice', of: situationKey(situation), askedAt: situation.tick, model, tokens, chosen };
}

async function thinkOfLine(
  ports: ThinkerPorts,
  situation: Situation,
  { model, talk }: { readonly model: string; readonly talk: Talk },
): Promise<Thought> {
  const { tokens, content } = await answerOf(ports, lineQuestionOf(situation, talk), model);
  const line = content === null ? null : readLine(content);
  if (content !== null && line === null) ports.log.warn('no_decision', { reason: 'not_a_line' });
  return { kind: 'line', to: talk.with, askedAt: situation.tick, model, tokens, line };
}

/** The model's answer; its content is null after a failure. */
async function answerOf(
  { complete, log }: ThinkerPorts,
  { system, user, schema }: Question,
  model: string,
): Promise<{ readonly tokens: number; readonly content: string | null }> {
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
    return { tokens: 0, content: null };
  }
  return { tokens: answer.value.usage.total_tokens, content: answer.value.choices[0]?.message.content ?? '' };
}
