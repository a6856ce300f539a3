import type { Refusal } from '@hamlet/contract';
import { HOW_TO_CONNECT, NO_MODEL, WHAT_I_UNDERSTAND } from '../read-wishes.ts';
import type { HelpRequest } from '../situation.ts';
import { sentence, shortened } from '../words.ts';

/** The agent repeats a request after this many ticks: an hour. */
const ASK_AGAIN_TICKS = 36_000;
/** Minimum ticks between two requests for help: five minutes. */
const ASK_GAP_TICKS = 3_000;
const REASON_CHARS = 240;

/** The help request after a failed run. Runs that lack a language model share one, because one provider helps all of them. */
export function requestAfterRun(runId: string, { code }: { readonly code: string }): HelpRequest {
  // The board is public, but only the person who gave the run and admins may read its words.
  const rest = `The person who gave it and admins can read the rest in the run ${runId}.`;
  if (code === NO_MODEL) {
    return {
      subject: 'run without a model',
      audience: 'humans',
      title: 'I do not understand what I was asked',
      facts: `I was given work in words that none of my rules understood. I did nothing about it. ${HOW_TO_CONNECT} ${WHAT_I_UNDERSTAND} ${rest}`,
    };
  }
  return {
    subject: `run ${runId}`,
    audience: 'humans',
    title: 'I am stuck with a run',
    facts: `I was given work that I could not do. It failed (${code}). ${rest}`,
  };
}

/** Refusals of the gateway that a reward could resolve. */
const CURES: Partial<Readonly<Record<Refusal, { readonly title: string; readonly cure: string }>>> = {
  model_not_in_tier: {
    title: 'My tier lacks the model I need',
    cure: 'A reward that lifts me into a tier with that model would help.',
  },
  token_quota_exhausted: {
    title: 'My tokens of this hour are used up',
    cure: 'I write without a model until the hour is over; a higher tier would give me more.',
  },
  insufficient_funds: {
    title: 'I cannot pay for the model',
    cure: 'I write without a model until my account has money again.',
  },
};

/** The help request for a model that the agent's tier, quota or money does not cover; null for any other refusal. */
export function requestForModel(code: Refusal, detail: string): HelpRequest | null {
  const want = CURES[code];
  return want === undefined
    ? null
    : {
        subject: `model ${code}`,
        audience: 'public',
        title: want.title,
        facts: `The gateway says: ${sentence(shortened(detail, REASON_CHARS))} ${want.cure}`,
      };
}

const WONDER = 'wonder ';

export const wonderSubject = (about: string): string => `${WONDER}${about}`;

export const isWonder = (subject: string): boolean => subject.startsWith(WONDER);

export function nextRequest(
  requests: readonly HelpRequest[],
  asked: Readonly<Record<string, number>>,
  tick: number,
): HelpRequest | null {
  const ticks = Object.entries(asked).flatMap(([subject, at]) => (isWonder(subject) ? [] : [at]));
  const last = Math.max(-Infinity, ...ticks);
  if (tick - last < ASK_GAP_TICKS) return null;
  return requests.find(({ subject }) => tick - (asked[subject] ?? -Infinity) >= ASK_AGAIN_TICKS) ?? null;
}
