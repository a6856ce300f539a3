import type { ChatCompletion, ChatCompletionBody } from '@hamlet/contract';
import { byBytes, ContextProfile, runStage, type StageAnswer } from '@hamlet/engine/context';
import { attemptWithRetries } from '@hamlet/engine/json';
import { tokensLeft, type Talk, type Thought } from '../brain/life/life-mind.ts';
import { optionsOf } from '../brain/life/options.ts';
import { lineQuestionOf, nextLineOf } from '../brain/life/next-line.ts';
import { chosenOf, cueOf, questionOf, type Question } from '../brain/life/question.ts';
import { LINE_TOKENS, talkToAnswer } from '../brain/life/talk.ts';
import { DECISION_TOKENS, isTimeToThink, situationKey } from '../brain/life/when-to-think.ts';
import type { Situation } from '../brain/situation.ts';
import type { Log } from '../process/json-log.ts';
import type { Answer } from '../village/village.ts';

/** Enough for the thoughts before a decision, which is itself a line. */
const ANSWER_TOKENS = 8_192;
/** A wrong answer is asked for once more, with its exact fault. */
const ATTEMPTS = 2;
const PROMPT_TOKENS_MAX = 8_000;
/** Share of the tokens that are left for the prompt; the rest is for the answer. */
const PROMPT_SHARE = 0.8;
/** Fewer than English text has, so that a prompt is rather too short than too long. */
const countTokens = byBytes(3);

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
  /** Nothing more is asked once it aborts. */
  readonly stop?: AbortSignal;
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
      const talk = talkToAnswer(situation);
      if (talk !== undefined) void ask(thinkOfLine(ports, situation, talk));
      else if (isTimeToThink(situation)) void ask(thinkOfChoice(ports, situation));
    },
  };
}

async function thinkOfChoice(ports: ThinkerPorts, situation: Situation): Promise<Thought> {
  const options = optionsOf(situation);
  const recalled = ports.recall === undefined ? [] : await ports.recall(cueOf(situation));
  const question = questionOf(situation, options, { diary: ports.diary(), recalled });
  const { answer, ...made } = await answerTo(ports, question, { situation, least: DECISION_TOKENS });
  return { kind: 'choice', of: situationKey(situation), ...made, chosen: answer === null ? null : chosenOf(answer) };
}

async function thinkOfLine(ports: ThinkerPorts, situation: Situation, talk: Talk): Promise<Thought> {
  const question = lineQuestionOf(situation, talk);
  const { answer, ...made } = await answerTo(ports, question, { situation, least: LINE_TOKENS });
  return { kind: 'line', to: talk.with, ...made, line: answer === null ? null : nextLineOf(answer) };
}

interface Asking {
  readonly situation: Situation;
  /** Tokens that must be left for each request. */
  readonly least: number;
}

/** The model's answer, which fits; null after a failure, or if no answer fits within the tokens of the hour. */
async function answerTo<A>(
  ports: ThinkerPorts,
  { system, task, items, schema, answer }: Question<A>,
  { situation: { mind, tick, thinks }, least }: Asking,
): Promise<Pick<Thought, 'tokens' | 'model' | 'askedAt'> & { readonly answer: A | null }> {
  const { model, tokensPerHour } = thinks ?? { model: '', tokensPerHour: 0 };
  let left = tokensLeft(mind.life, tick, tokensPerHour);
  const profile = ContextProfile.parse({ max_tokens: promptTokens(left) });
  const ask = async (messages: ChatCompletionBody['messages'], signal: AbortSignal): Promise<StageAnswer> => {
    if (signal.aborted) return { ok: false, code: 'stopped', ...NOTHING_USED };
    if (left < least) return { ok: false, code: 'no_tokens_left', ...NOTHING_USED };
    const answered = await requestOf(ports, { model, messages, schema });
    left -= answered.promptTokens + answered.completionTokens;
    return answered;
  };
  const { result, use } = await runStage(
    { parts: { system, task, decisions: [], items, schema: null }, profile, signal: ports.stop ?? NEVER },
    {
      model: ({ system: first, user }, signal) =>
        ask(
          [
            { role: 'system', content: first },
            { role: 'user', content: user },
          ],
          signal,
        ),
      read: (call) => attemptWithRetries(call, answer, { attempts: ATTEMPTS }),
      countTokens,
      monotonic: () => performance.now(),
    },
  );
  if (!result.ok) ports.log.warn('no_decision', { reason: result.code });
  const tokens = use.promptTokens + use.completionTokens;
  return { tokens, model, askedAt: tick, answer: result.ok ? result.value : null };
}

const NEVER = new AbortController().signal;
const NOTHING_USED = { promptTokens: 0, completionTokens: 0, moneyMicros: 0 };

const promptTokens = (left: number): number =>
  Math.max(1, Math.floor(Math.min(PROMPT_TOKENS_MAX, left * PROMPT_SHARE)));

async function requestOf(
  { complete }: Pick<ThinkerPorts, 'complete'>,
  { model, messages, schema }: Pick<ChatCompletionBody, 'model' | 'messages'> & Pick<Question<unknown>, 'schema'>,
): Promise<StageAnswer> {
  const answer = await complete({
    model,
    messages,
    max_tokens: ANSWER_TOKENS,
    // The provider holds the answer to the schema, so the prompt does not repeat it.
    response_format: { type: 'json_schema', json_schema: { name: 'decision', schema, strict: true } },
  });
  if (answer.kind !== 'ok')
    return { ok: false, code: answer.kind === 'refused' ? answer.code : answer.kind, ...NOTHING_USED };
  const { usage, choices } = answer.value;
  const [promptTokens, total] = [usage.prompt_tokens, usage.total_tokens];
  const text = choices[0]?.message.content ?? '';
  return { ok: true, text, promptTokens, completionTokens: total - promptTokens, moneyMicros: 0 };
}
