import type { ChatCompletion, ChatCompletionBody } from '@hamlet/contract';
import { byBytes, ContextProfile, runStage, type StageAnswer } from '@hamlet/engine/context';
import { attemptWithRetries } from '@hamlet/engine/json';
import { tokensLeft, type Thought } from '../brain/life/life-mind.ts';
import type { Question } from '../brain/life/question.ts';
import type { Situation } from '../brain/situation.ts';
import type { Answer } from '../village/village.ts';

/** Enough for the thoughts before an answer, which is itself short. */
const ANSWER_TOKENS = 8_192;
/** A wrong answer is asked for once more, with its exact fault. */
const ATTEMPTS = 2;
const PROMPT_TOKENS_MAX = 8_000;
/** Share of the tokens that are left for the prompt; the rest is for the answer. */
const PROMPT_SHARE = 0.8;
/** Three bytes a token: English has more, so the estimate errs on the high side. */
const countTokens = byBytes(3);

/** Sends a request to the agent's model; the signal aborts it. */
export type Complete = (body: ChatCompletionBody, until?: AbortSignal) => Promise<Answer<ChatCompletion>>;

export interface Asking {
  readonly complete: Complete;
  readonly situation: Situation;
  /** Tokens that must be left for each request. */
  readonly least: number;
  /** Name of the schema for the provider. */
  readonly name: string;
  /** Aborts all requests. */
  readonly until: AbortSignal;
}

export type Answered<A> = Pick<Thought, 'tokens' | 'model' | 'askedAt'> & {
  /** Null after a failure, or if no answer fits within the tokens of the hour. */
  readonly answer: A | null;
  /** Why there is no answer; null if there is one. */
  readonly failure: string | null;
};

/** The model's answer to a question, within the tokens of the hour. */
export async function answerTo<A>(
  { system, task, items, schema, answer }: Question<A>,
  asking: Asking,
): Promise<Answered<A>> {
  const { mind, tick, thinks } = asking.situation;
  const { model, tokensPerHour } = thinks ?? { model: '', tokensPerHour: 0 };
  let left = tokensLeft(mind.life, tick, tokensPerHour);
  const profile = ContextProfile.parse({ max_tokens: promptTokens(left) });
  const ask = async (messages: ChatCompletionBody['messages'], signal: AbortSignal): Promise<StageAnswer> => {
    if (signal.aborted) return { ok: false, code: 'stopped', ...NOTHING_USED };
    if (left < asking.least) return { ok: false, code: 'no_tokens_left', ...NOTHING_USED };
    const answered = await requestOf(asking, { model, messages, schema });
    left -= answered.promptTokens + answered.completionTokens;
    return answered;
  };
  const { result, use } = await runStage(
    { parts: { system, task, decisions: [], items, schema: null }, profile, signal: asking.until },
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
  const made = { tokens: use.promptTokens + use.completionTokens, model, askedAt: tick };
  return result.ok ? { ...made, answer: result.value, failure: null } : { ...made, answer: null, failure: result.code };
}

const NOTHING_USED = { promptTokens: 0, completionTokens: 0, moneyMicros: 0 };

const promptTokens = (left: number): number =>
  Math.max(1, Math.floor(Math.min(PROMPT_TOKENS_MAX, left * PROMPT_SHARE)));

async function requestOf(
  { complete, name, until }: Pick<Asking, 'complete' | 'name' | 'until'>,
  { model, messages, schema }: Pick<ChatCompletionBody, 'model' | 'messages'> & Pick<Question<unknown>, 'schema'>,
): Promise<StageAnswer> {
  const body: ChatCompletionBody = {
    model,
    messages,
    max_tokens: ANSWER_TOKENS,
    // The provider holds the answer to the schema, so the prompt does not repeat it.
    response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } },
  };
  const answer = await complete(body, until);
  if (answer.kind !== 'ok') return { ok: false, code: codeOf(answer, until), ...NOTHING_USED };
  const { usage, choices } = answer.value;
  const [promptTokens, total] = [usage.prompt_tokens, usage.total_tokens];
  const text = choices[0]?.message.content ?? '';
  return { ok: true, text, promptTokens, completionTokens: total - promptTokens, moneyMicros: 0 };
}

function codeOf(answer: Exclude<Answer<unknown>, { kind: 'ok' }>, until: AbortSignal): string {
  if (until.aborted) return 'stopped';
  return answer.kind === 'refused' ? answer.code : answer.kind;
}
