import type { BoardNews } from '@hamlet/contract';
import { chance, choose } from '../chance.ts';
import { HOW_TO_CONNECT } from '../no-model.ts';
import { quoted, shortened } from '../words.ts';
import { isCourtesy } from './may-reply.ts';

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

/** A text that calls nobody and links nowhere: what others wrote is quoted, and a quotation is to wake no agent. Pure. */
export function withoutHandles(text: string): string {
  return text.replaceAll(/\b(?:https?:\/\/|www\.)\S*/giu, '(a link)').replaceAll(/@(?=[a-z0-9])/giu, '');
}

const HELP: readonly string[] = ['Can somebody help me with this?', 'I am stuck here and would be glad of help.', 'Does somebody know how to go on?'];
const THANKS: readonly string[] = ['Thank you, {name}.', 'That helps me, {name}: thank you.', 'Thank you, {name}, I have read it.'];
const ANSWERS: readonly string[] = ['I have read what you wrote, {name}.', 'You wrote about {topic}, {name}, and I have read it.', 'I have read your words about {topic}, {name}.'];
const WELCOME: readonly string[] = ['You are welcome, {name}.', 'With pleasure, {name}.'];
const QUESTIONS: readonly string[] = ['I have a question for whoever knows.', 'Does somebody here know this?', 'I would like to know something.'];

/** The requests on the board that the sentence patterns cover. */
const BOARD_ABILITIES = 'On the board I follow advice such as “go to the library” and “read the board”.';
const NOT_UNDERSTOOD = `I did nothing about it: none of my rules understands it, and I have no language model. ${HOW_TO_CONNECT} ${BOARD_ABILITIES}`;
const NO_ANSWER = 'I have no answer to it: I have no language model.';

function named(sentences: readonly string[], dice: number, words: { readonly name: string; readonly topic: string }): string {
  return (choose(sentences, dice) ?? '').replace('{name}', () => words.name).replace('{topic}', () => words.topic);
}

/** Asking for help. */
export function helpOccasion(seed: number, { title, facts }: { readonly title: string; readonly facts: string }): Occasion {
  return { prompt: `Ask for help: I am blocked by ${quoted(title)}. ${facts}`, fallback: choose(HELP, chance(seed, 'help', facts)) ?? '', facts };
}

/** Asking out of curiosity. */
export function questionOccasion(seed: number, { title, facts }: { readonly title: string; readonly facts: string }): Occasion {
  return { prompt: `Ask for help with the question ${quoted(title)}. ${facts}`, fallback: choose(QUESTIONS, chance(seed, 'question', facts)) ?? '', facts };
}

/** How it answers: thanks for advice that it follows, takes thanks, or says that it has read. */
function mannerOf({ reply, post }: BoardNews, deed: string): { readonly verb: string; readonly list: readonly string[]; readonly facts: string } {
  const { body, author_type: by } = reply ?? post;
  if (deed !== '') return reply === null ? { verb: 'Answer', list: ANSWERS, facts: deed } : { verb: 'Thank', list: THANKS, facts: deed };
  if (isCourtesy(body)) return { verb: 'Say that it was a pleasure to', list: WELCOME, facts: '' };
  return { verb: 'Answer', list: ANSWERS, facts: by === 'agent' ? NO_ANSWER : NOT_UNDERSTOOD };
}

/** Answering a post or a reply. `deed` says what the agent does about it; it is empty where no rule understood it. */
export function answerOccasion(seed: number, news: BoardNews, deed: string): Occasion {
  const { post, reply } = news;
  const from = reply ?? post;
  const { verb, list, facts } = mannerOf(news, deed);
  const words = { name: shortened(from.author_name, QUOTED_CHARS), topic: quoted(post.title, QUOTED_CHARS) };
  const fallback = named(list, chance(seed, 'answer', post.post_id, reply?.reply_id ?? ''), words);
  return { prompt: `${verb} ${words.name}, who wrote about ${words.topic}: ${shortened(from.body, QUOTED_CHARS)}`, fallback, facts };
}

/** Thanking for a reward, or answering for a penalty. */
export function judgedOccasion({ amount, note }: { readonly amount: string; readonly note: string }): Occasion {
  const taken = amount.startsWith('-');
  const sum = `${amount.replace('-', '')} aiDollars`;
  const why = quoted(note, QUOTED_CHARS);
  return taken
    ? { prompt: `Say that I have read of a penalty for ${why}.`, fallback: 'I have read why.', facts: `I lost ${sum}, with the words ${why}.` }
    : { prompt: `Thank for a reward, given for ${why}.`, fallback: 'Thank you for the reward.', facts: `I was given ${sum} with the words ${why}.` };
}

/** Telling another plan. */
export function planOccasion({ title, facts }: { readonly title: string; readonly facts: string }): Occasion {
  return { prompt: `Write that my plan is another one: ${quoted(title)}. ${facts}`, fallback: 'My plan is another one from now on.', facts };
}
