import { normalized } from './words.ts';

/** Turns that keep a conversation going, without content to recall. */
const EMPTY_TURNS: ReadonlySet<string> = new Set(
  (
    'hi|hello|hey|hey there|hi there|good morning|good evening|good night|bye|goodbye|see you|' +
    'thanks|thank you|thanks a lot|thank you very much|you are welcome|you re welcome|no problem|cheers|' +
    'ok|okay|k|sure|great|cool|nice|lol|haha|hm|hmm|i see|got it|sounds good|all right|alright|' +
    'ping|pong|heartbeat|heartbeat ok|no reply|nothing to report|still working|working on it|done'
  ).split('|'),
);

const QUESTION = /\?\s*$/u;

const QUESTION_FACTOR = 0.75;
/** Only the surprise of a word beyond EXPECTED is news; a sum of FULL_NEWS is all that a text can add. */
const EXPECTED = 0.28;
const FULL_NEWS = 2.8;

/** True if a text says something that could be recalled. An answer of one word to a question does. */
export function isWorthKeeping(text: string): boolean {
  const words = normalized(text);
  return words !== '' && !EMPTY_TURNS.has(words);
}

/**
 * How important a text seems when it is said, 0 to 1: how much of it was not said before; less for a question. `surprises`: for each
 * different word, its weight as a share of the weight of a new word.
 */
export function importanceOf(text: string, surprises: readonly number[]): number {
  const news = surprises.reduce((sum, surprise) => sum + Math.max(0, Math.min(1, surprise) - EXPECTED), 0) / FULL_NEWS;
  return Math.min(1, news) * (QUESTION.test(text) ? QUESTION_FACTOR : 1);
}
