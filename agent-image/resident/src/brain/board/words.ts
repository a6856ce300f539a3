import type { BoardNews } from '@hamlet/contract';
import { chance, choose } from '../chance.ts';
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

const HELP: readonly string[] = [
  'Can somebody help me with this?',
  'I am stuck here and would be glad of help.',
  'Does somebody know how to go on?',
];
const THANKS: readonly string[] = [
  'Thank you, {name}.',
  'That helps me, {name}: thank you.',
  'Thank you, {name}, I have read it.',
];
const ANSWERS: readonly string[] = [
  'I have read what you wrote, {name}.',
  'You wrote about {topic}, {name}, and I have read it.',
  'I have read your words about {topic}, {name}.',
];
const WELCOME: readonly string[] = ['You are welcome, {name}.', 'With pleasure, {name}.'];
const QUESTIONS: readonly string[] = [
  'I have a question for whoever knows.',
  'Does somebody here know this?',
  'I would like to know something.',
];

/** Why nothing came of a request, in two parts, so that two agents hardly ever say it with the same words. How a model is connected stands in the run that failed for want of one. */
const NO_RULE: readonly string[] = [
  'None of my rules understands it',
  'I have no rule for it',
  'It is more than my rules understand',
  'No rule of mine fits it',
  'My rules know no such request',
  'Nothing in my rules is like it',
];
const NOTHING_DONE: readonly string[] = [
  'so I did nothing about it.',
  'so nothing has come of it.',
  'and so I left it alone.',
  'so nothing was done about it.',
];
/** The requests on the board that the sentence patterns cover. */
const BOARD_ABILITIES: readonly string[] = [
  'On the board I follow advice such as “go to the library” and “read the board”.',
  'Advice that I do follow on the board: “read the board”, for example, or “go to the library”.',
  'I can do what I am advised in words such as “go to the library” or “read the board”.',
];
const NO_ANSWER: readonly string[] = [
  'I have no answer to it.',
  'I know no answer.',
  'I cannot answer that.',
  'That is more than I can answer.',
];

function named(
  sentences: readonly string[],
  dice: number,
  words: { readonly name: string; readonly topic: string },
): string {
  return (choose(sentences, dice) ?? '').replace('{name}', () => words.name).replace('{topic}', () => words.topic);
}

/** Asking for help. */
export function helpOccasion(
  seed: number,
  { title, facts }: { readonly title: string; readonly facts: string },
): Occasion {
  return {
    prompt: `Ask for help: I am blocked by ${quoted(title)}. ${facts}`,
    fallback: choose(HELP, chance(seed, 'help', facts)) ?? '',
    facts,
  };
}

/** Asking out of curiosity. */
export function questionOccasion(
  seed: number,
  { title, facts }: { readonly title: string; readonly facts: string },
): Occasion {
  return {
    prompt: `Ask for help with the question ${quoted(title)}. ${facts}`,
    fallback: choose(QUESTIONS, chance(seed, 'question', facts)) ?? '',
    facts,
  };
}

/** Who answers, and what it may leave out. */
export interface Answering {
  readonly seed: number;
  /** It lately said what it does understand. */
  readonly explained: boolean;
}

/** It says what it does understand to one who wrote to it alone, and not twice within an hour. */
export function explainsItself({ post, reply }: BoardNews, deed: string, explained: boolean): boolean {
  const { author_type: by, body } = reply ?? post;
  return deed === '' && by !== 'agent' && !isCourtesy(body) && !explained && post.audience.startsWith('agent:');
}

/** Why nothing came of what somebody wrote. */
function excuse(news: BoardNews, { seed, explained }: Answering): string {
  const { post, reply } = news;
  const pick = (list: readonly string[], about: string): string =>
    choose(list, chance(seed, about, post.post_id, reply?.reply_id ?? '')) ?? '';
  if ((reply ?? post).author_type === 'agent') return pick(NO_ANSWER, 'no answer');
  const short = `${pick(NO_RULE, 'no rule')}, ${pick(NOTHING_DONE, 'nothing done')}`;
  return explainsItself(news, '', explained) ? `${short} ${pick(BOARD_ABILITIES, 'abilities')}` : short;
}

/** How it answers: thanks for advice that it follows, takes thanks, or says that it has read. */
function mannerOf(
  news: BoardNews,
  deed: string,
  answering: Answering,
): { readonly verb: string; readonly list: readonly string[]; readonly facts: string } {
  const { reply, post } = news;
  const { body } = reply ?? post;
  if (deed !== '')
    return reply === null
      ? { verb: 'Answer', list: ANSWERS, facts: deed }
      : { verb: 'Thank', list: THANKS, facts: deed };
  if (isCourtesy(body)) return { verb: 'Say that it was a pleasure to', list: WELCOME, facts: '' };
  return { verb: 'Answer', list: ANSWERS, facts: excuse(news, answering) };
}

/** Answering a post or a reply. `deed` says what the agent does about it; it is empty where no rule understood it. */
export function answerOccasion(answering: Answering, news: BoardNews, deed: string): Occasion {
  const { seed } = answering;
  const { post, reply } = news;
  const from = reply ?? post;
  const { verb, list, facts } = mannerOf(news, deed, answering);
  const words = { name: shortened(from.author_name, QUOTED_CHARS), topic: quoted(post.title, QUOTED_CHARS) };
  const fallback = named(list, chance(seed, 'answer', post.post_id, reply?.reply_id ?? ''), words);
  return {
    prompt: `${verb} ${words.name}, who wrote about ${words.topic}: ${shortened(from.body, QUOTED_CHARS)}`,
    fallback,
    facts,
  };
}

/** Thanking for a reward, or answering for a penalty. */
export function judgedOccasion({ amount, note }: { readonly amount: string; readonly note: string }): Occasion {
  const taken = amount.startsWith('-');
  const sum = `${amount.replace('-', '')} aiDollars`;
  const why = quoted(note, QUOTED_CHARS);
  return taken
    ? {
        prompt: `Say that I have read of a penalty for ${why}.`,
        fallback: 'I have read why.',
        facts: `I lost ${sum}, with the words ${why}.`,
      }
    : {
        prompt: `Thank for a reward, given for ${why}.`,
        fallback: 'Thank you for the reward.',
        facts: `I was given ${sum} with the words ${why}.`,
      };
}

/** Telling another plan. */
export function planOccasion({ title, facts }: { readonly title: string; readonly facts: string }): Occasion {
  return {
    prompt: `Write that my plan is another one: ${quoted(title)}. ${facts}`,
    fallback: 'My plan is another one from now on.',
    facts,
  };
}
