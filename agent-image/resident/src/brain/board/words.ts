import type { BoardNews } from '@hamlet/contract';
import { chance, choose } from '../chance.ts';
import type { Occasion } from '../decision.ts';
import { quoted, shortened } from '../words.ts';
import { isCourtesy } from './may-reply.ts';

const QUOTED_CHARS = 120;

export function withoutHandles(text: string): string {
  return text.replaceAll(/\b(?:https?:\/\/|www\.)\S*/giu, '(a link)').replaceAll(/@(?=[a-z0-9])/giu, '');
}

const HELP: readonly string[] = [
  'Can anybody help me with this?',
  'I am stuck here and would be glad of some help.',
  'Does anybody know how to go on?',
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
  'I have a question for anybody who knows.',
  'Does anybody here know this?',
  'I would like to know something.',
];

const NO_RULE: readonly string[] = [
  'None of my rules understands it',
  'I have no rule for it',
  'It is more than my rules understand',
  'No rule of mine fits it',
  'My rules know no such request',
  'Nothing in my rules comes close to it',
];
const NOTHING_DONE: readonly string[] = [
  'so I did nothing about it.',
  'so nothing came of it.',
  'and so I left it alone.',
  'so nothing was done about it.',
];
const BOARD_ABILITIES: readonly string[] = [
  'On the board I follow advice such as “go to the library” and “read the board”.',
  'I do follow some advice on the board: “read the board”, for example, or “go to the library”.',
  'I can follow advice in words such as “go to the library” or “read the board”.',
];
const IN_MIND: readonly string[] = [
  'I keep it in mind for what I do next.',
  'I will think of it when I choose what I do next.',
  'It will be before me when I decide what comes next.',
];
const NO_ANSWER: readonly string[] = [
  'I have no answer to it.',
  'I know no answer.',
  'I cannot answer that.',
  'That is more than I can answer.',
];

function named(
  sentences: readonly string[],
  random: number,
  words: { readonly name: string; readonly topic: string },
): string {
  return (choose(sentences, random) ?? '').replace('{name}', () => words.name).replace('{topic}', () => words.topic);
}

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

export interface Answering {
  readonly seed: number;
  readonly explained: boolean;
  readonly decides: boolean;
}

/** True if the reply also explains which texts the agent understands: at most once an hour, to a person who wrote to it alone. */
export function explainsItself({ post, reply }: BoardNews, promise: string, explained: boolean): boolean {
  const { author_type: by, body } = reply ?? post;
  return promise === '' && by !== 'agent' && !isCourtesy(body) && !explained && post.audience.startsWith('agent:');
}

function excuse(news: BoardNews, { seed, explained, decides }: Answering): string {
  const { post, reply } = news;
  const pick = (list: readonly string[], about: string): string =>
    choose(list, chance(seed, about, post.post_id, reply?.reply_id ?? '')) ?? '';
  if ((reply ?? post).author_type === 'agent') return pick(NO_ANSWER, 'no answer');
  if (decides) return pick(IN_MIND, 'in mind');
  const short = `${pick(NO_RULE, 'no rule')}, ${pick(NOTHING_DONE, 'nothing done')}`;
  return explainsItself(news, '', explained) ? `${short} ${pick(BOARD_ABILITIES, 'abilities')}` : short;
}

function mannerOf(
  news: BoardNews,
  promise: string,
  answering: Answering,
): { readonly verb: string; readonly list: readonly string[]; readonly facts: string } {
  const { reply, post } = news;
  const { body } = reply ?? post;
  if (promise !== '')
    return reply === null
      ? { verb: 'Answer', list: ANSWERS, facts: promise }
      : { verb: 'Thank', list: THANKS, facts: promise };
  if (isCourtesy(body)) return { verb: 'Say that it was a pleasure to', list: WELCOME, facts: '' };
  return { verb: 'Answer', list: ANSWERS, facts: excuse(news, answering) };
}

/** An answer to a post or a reply. `promise` describes the agent's next action; empty if no rule understood the text. */
export function answerOccasion(answering: Answering, news: BoardNews, promise: string): Occasion {
  const { seed } = answering;
  const { post, reply } = news;
  const from = reply ?? post;
  const { verb, list, facts } = mannerOf(news, promise, answering);
  const words = { name: shortened(from.author_name, QUOTED_CHARS), topic: quoted(post.title, QUOTED_CHARS) };
  const fallback = named(list, chance(seed, 'answer', post.post_id, reply?.reply_id ?? ''), words);
  return {
    prompt: `${verb} ${words.name}, who wrote about ${words.topic}: ${shortened(from.body, QUOTED_CHARS)}`,
    fallback,
    facts,
  };
}

export function judgedOccasion({ amount, note }: { readonly amount: string; readonly note: string }): Occasion {
  const taken = amount.startsWith('-');
  const sum = `${amount.replace('-', '')} ai$`;
  const why = quoted(note, QUOTED_CHARS);
  return taken
    ? {
        prompt: `Say that I have read of a penalty for ${why}.`,
        fallback: 'I have read why.',
        facts: `The penalty of ${sum} says ${why}.`,
      }
    : {
        prompt: `Give thanks for a reward, given for ${why}.`,
        fallback: `Thanks for the ${sum}!`,
        facts: `The reward of ${sum} says ${why}.`,
      };
}

export function planOccasion({ title, facts }: { readonly title: string; readonly facts: string }): Occasion {
  return {
    prompt: `Write that my plan has changed: ${quoted(title)}. ${facts}`,
    fallback: 'I have a new plan from now on.',
    facts,
  };
}
