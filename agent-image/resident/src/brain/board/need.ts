import type { Refusal } from '@hamlet/contract';
import { HOW_TO_CONNECT, NO_MODEL, WHAT_I_UNDERSTAND } from '../no-model.ts';
import { quoted, sentence, shortened } from '../words.ts';

/** Asked for the same thing again after so long: an hour. */
const ASK_AGAIN_TICKS = 36_000;
/** Between two questions for help, whatever about. */
const ASK_GAP_TICKS = 3_000;
const REASON_CHARS = 240;

/** Something that keeps the agent from its work and that somebody else may cure. */
export interface Need {
  /** Tells needs apart: the same is not asked twice. */
  readonly subject: string;
  /** What it was asked is for those who may read runs; the rest is for everybody. */
  readonly audience: 'public' | 'humans';
  readonly title: string;
  readonly facts: string;
}

/** A run that came to nothing. All runs that lack a language model are one need: what cures one cures them all. Pure. */
export function needOfRun(
  runId: string,
  prompt: string,
  why: { readonly code: string; readonly message: string },
): Need {
  const asked = sentence(`I was asked: ${quoted(prompt)}`);
  if (why.code === NO_MODEL) {
    return {
      subject: 'run without a model',
      audience: 'humans',
      title: 'I do not understand what I was asked',
      facts: `${asked} I did nothing about it. ${HOW_TO_CONNECT} ${WHAT_I_UNDERSTAND} The run is ${runId}.`,
    };
  }
  return {
    subject: `run ${runId}`,
    audience: 'humans',
    title: 'I am stuck with a run',
    facts: `${asked} It failed (${why.code}): ${sentence(shortened(why.message, REASON_CHARS))} The run is ${runId}.`,
  };
}

/** What a gateway refuses for want of, and what would cure it. */
const WANTS: Partial<Readonly<Record<Refusal, { readonly title: string; readonly cure: string }>>> = {
  model_not_in_tier: {
    title: 'My tier lacks the model I need',
    cure: 'A reward that lifts me into a tier with that model would help.',
  },
  token_quota_exhausted: {
    title: 'My tokens of this hour are used up',
    cure: 'I go on without a model until the hour is over; a higher tier would give me more.',
  },
  insufficient_funds: {
    title: 'I cannot pay for the model',
    cure: 'I go on without a model until my account has money again.',
  },
};

/** A model that the agent may not use for lack of tier, quota or money; null where it was refused for something that passes. Pure. */
export function needOfModel(code: Refusal, detail: string): Need | null {
  const want = WANTS[code];
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

/** The subject of a question out of curiosity: such questions keep no help from being asked. */
export function wonderSubject(about: string): string {
  return `${WONDER}${about}`;
}

/** Whether a subject of the table of questions is one of curiosity. */
export function isWonder(subject: string): boolean {
  return subject.startsWith(WONDER);
}

/** The first need that the agent may ask about now. Pure. */
export function needToAsk(needs: readonly Need[], asked: Readonly<Record<string, number>>, tick: number): Need | null {
  const last = Math.max(
    -Infinity,
    ...Object.entries(asked).flatMap(([subject, at]) => (isWonder(subject) ? [] : [at])),
  );
  if (tick - last < ASK_GAP_TICKS) return null;
  return needs.find(({ subject }) => tick - (asked[subject] ?? -Infinity) >= ASK_AGAIN_TICKS) ?? null;
}
