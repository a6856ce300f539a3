import { isEgressRefusal, REFUSALS_MAX, REFUSAL_MAX_CHARS } from '@hamlet/contract/resident';
import type { ToolOutcome } from '@hamlet/engine';
import type { HandsEnd } from './hands-tool.ts';
import type { ProcessPlace } from './start-process.ts';

/** The header by which the broker marks its own refusals; it removes the header from servers' answers. */
const REFUSAL_HEADER = 'hamlet-egress-code';
/** Maximum number of calls whose refusals are kept; the oldest are dropped. Programs in the hands may invent call ids. */
const MAX_CALLS = 64;
/** Maximum length of a word in a refusal. The path of a request may be longer; hosts in rules never are. */
const MAX_WORD_CHARS = 80;

export interface BrokerAnswer {
  readonly code: string | undefined;
  readonly phrase: string;
}

interface Noted {
  readonly sentences: Map<string, string>;
  others: number;
}

/** The broker's refusals to programs of the hands, by the call that the program named. */
export interface Refusals {
  /**
   * Records the answer to a request if it is a refusal. `user`: run, slash, call; null if the program sent none. `host`: null for
   * an endpoint of the broker itself.
   */
  note(user: string | null, host: string | null, answer: BrokerAnswer): void;
  /** The refusals of a call since the last take: at most five sentences, and a line with the number of the others. */
  take(place: ProcessPlace): readonly string[];
}

/**
 * Collects the refusals that pass the pod's proxy, outside the hands. It accepts only the broker's own text: an answer with its
 * header, a code of the contract, and a reason phrase that begins with this code.
 */
export function createRefusals(): Refusals {
  const calls = new Map<string, Noted>();
  return {
    note: (user, host, answer) => {
      const sentence = sentenceOf(answer);
      if (user === null || sentence === null) return;
      const noted = calls.get(user) ?? { sentences: new Map<string, string>(), others: 0 };
      // The newest calls are last, so that the oldest are dropped.
      calls.delete(user);
      calls.set(user, noted);
      for (const oldest of [...calls.keys()].slice(0, -MAX_CALLS)) calls.delete(oldest);
      const key = host === null ? sentence : `${host} ${String(answer.code)}`;
      if (noted.sentences.has(key)) return;
      if (noted.sentences.size < REFUSALS_MAX - 1) noted.sentences.set(key, sentence);
      else noted.others += 1;
    },
    take: ({ run, call }) => {
      const user = `${run}/${call}`;
      const noted = calls.get(user);
      if (noted === undefined) return [];
      calls.delete(user);
      const more = noted.others === 0 ? [] : [`and ${noted.others} more`];
      return [...noted.sentences.values(), ...more];
    },
  };
}

/** Code and message as the broker wrote them; null if the answer is not one of its refusals. Pure. */
function sentenceOf({ code, phrase }: BrokerAnswer): string | null {
  if (code === undefined || !isEgressRefusal(code)) return null;
  const words = phrase.startsWith(`${code}: `) ? phrase : code;
  const short = words
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .split(' ')
    .map((word) => (word.length > MAX_WORD_CHARS ? `${word.slice(0, MAX_WORD_CHARS)}...` : word));
  return short.join(' ').slice(0, REFUSAL_MAX_CHARS);
}

/** The head of an answer to CONNECT, as far as it is needed. Pure. */
export function answerOfHead(head: string): BrokerAnswer {
  const phrase = /^HTTP\/1\.1 \d{3} ?([^\r\n]*)/.exec(head)?.[1] ?? '';
  const code = new RegExp(`^${REFUSAL_HEADER}: *([a-z_]+)\\r?$`, 'im').exec(head)?.[1];
  return { code, phrase };
}

export function answerOfHeaders({
  headers,
  statusMessage = '',
}: {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly statusMessage?: string | undefined;
}): BrokerAnswer {
  const code = headers[REFUSAL_HEADER];
  return { code: typeof code === 'string' ? code : undefined, phrase: statusMessage };
}

/** The result of a call with its programs' refusals: in the text before the result, and in the log. Pure. */
export function withRefusals(end: HandsEnd, refused: readonly string[]): HandsEnd {
  if (refused.length === 0) return end;
  const lines = refused.map((each) => `- ${each}`).join('\n');
  const note = `While it ran, the broker of the village refused requests. Ask for what you need, and do not go around it:\n${lines}`;
  return { outcome: withNote(end.outcome, note), report: { ...end.report, refused: [...refused] } };
}

const withNote = (outcome: ToolOutcome, note: string): ToolOutcome =>
  'text' in outcome ? { ...outcome, text: `${note}\n${outcome.text}` } : outcome;
