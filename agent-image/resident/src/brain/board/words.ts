import type { BoardNews } from '@hamlet/contract';
import { chance, choose } from '../chance.ts';

const QUOTED_CHARS = 120;

/** What a text for the board is to say, for a model and for who writes without one. */
export interface Occasion {
  /** What a model is asked. */
  readonly prompt: string;
  /** The sentence that stands there without a model. */
  readonly fallback: string;
  /** What is true whoever writes the sentence; it stands below, word for word. Empty where there is nothing to add. */
  readonly facts: string;
}

/** The beginning of a text on one line. */
export function excerpt(text: string): string {
  const characters = [...text.replaceAll(/\s+/gu, ' ').trim()];
  return characters.length <= QUOTED_CHARS ? characters.join('') : `${characters.slice(0, QUOTED_CHARS - 1).join('')}…`;
}

/** A text that calls nobody and links nowhere: what others wrote is quoted, and a quotation is to wake no agent. Pure. */
export function withoutHandles(text: string): string {
  return text.replaceAll(/\b(?:https?:\/\/|www\.)\S*/giu, '(a link)').replaceAll(/@(?=[a-z0-9])/giu, '');
}

const HELP: readonly string[] = ['Can somebody help me with this?', 'I am stuck here and would be glad of help.', 'Who knows how to go on?'];
const THANKS: readonly string[] = ['Thank you, {name}.', 'That helps me, {name}: thank you.', 'Thank you, {name}, I have read it.'];
const ANSWERS: readonly string[] = ['I have read what you wrote, {name}.', 'You ask about “{topic}”, {name}.', 'About “{topic}”, {name}: I have read it.'];

const named = (sentence: string | undefined, words: { readonly name: string; readonly topic: string }): string =>
  (sentence ?? '').replace('{name}', () => words.name).replace('{topic}', () => words.topic);

/** Asking for help. */
export function helpOccasion(seed: number, facts: string): Occasion {
  return { prompt: `Ask for help: I am blocked. ${facts}`, fallback: choose(HELP, chance(seed, 'help', facts)) ?? '', facts };
}

/** Answering what somebody wrote; `deed` says what the agent will do about it, and is empty where it could only read. */
export function answerOccasion(seed: number, { post, reply }: BoardNews, deed: string): Occasion {
  const { author_name: name, body } = reply ?? post;
  const about = excerpt(body);
  const helped = reply !== null && deed !== '';
  const sentence = choose(helped ? THANKS : ANSWERS, chance(seed, 'answer', post.post_id, reply?.reply_id ?? '')) ?? '';
  const prompt = `${helped ? 'Thank' : 'Answer'} ${name}, who wrote about “${excerpt(post.title)}”: ${about}`;
  const facts = deed === '' ? 'I have no language model that understands this: I can go to a place, use it, and say what came of my runs.' : deed;
  return { prompt, fallback: named(sentence, { name, topic: excerpt(post.title) }), facts };
}

/** Thanking for a reward, or answering for a penalty. */
export function judgedOccasion({ amount, note }: { readonly amount: string; readonly note: string }): Occasion {
  const taken = amount.startsWith('-');
  const sum = `${amount.replace('-', '')} aiDollars`;
  return taken
    ? { prompt: `Say that my plan changes after a penalty for: ${excerpt(note)}`, fallback: 'I have read why, and will go about it in another way.', facts: `${sum} were taken from me: “${excerpt(note)}”.` }
    : { prompt: `Thank for a reward, given for: ${excerpt(note)}`, fallback: 'Thank you for the reward.', facts: `I was given ${sum}: “${excerpt(note)}”.` };
}

/** Telling another plan. */
export function planOccasion(facts: string): Occasion {
  return { prompt: `Say that my plan changes with my tier. ${facts}`, fallback: 'My tier has changed, and my plan with it.', facts };
}
