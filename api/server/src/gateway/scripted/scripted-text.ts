import { hashText } from '@hamlet/core';
import type { PromptMessage } from '../model-provider.ts';
import { phraseOf, topicOf } from './topic.ts';

/** How a scripted model writes. */
export interface Style {
  /** Words of the prompt that it can take up. */
  readonly topicWords: number;
  /** Sentences beyond the first. */
  readonly moreSentences: number;
}

type Occasion = 'self' | 'help' | 'thanks' | 'plan' | 'greeting' | 'question' | 'statement';

/** The words of each; that counts which comes first in what was said last, for what is asked stands before what it is about. */
const OCCASIONS: readonly (readonly [Occasion, RegExp])[] = [
  ['self', /\b(who|what) are you\b|\b(which|what) model\b|\bare you (a |an )?(bot|ai|language model|scripted)\b/iu],
  ['help', /\b(ask|asking) for help\b|\bneed(s)? help\b|\bblocked\b|\bstuck\b|\bfailed\b/iu],
  ['thanks', /\b(thank|thanks|thanking|rewarded|grateful)\b/iu],
  ['plan', /\b(plan|plans|tier|next step|intend)\b/iu],
  ['question', /\?|\bhow (do|can|to)\b|\bexplain\b|\banswer\b/iu],
  ['greeting', /\b(hello|hi|welcome|good (morning|day|evening))\b/iu],
];

/** Each is whole whatever stands for the topic, and claims nothing that a list cannot know: neither a deed nor a promise. */
const FIRST: Readonly<Record<Occasion, readonly string[]>> = {
  self: ['I am a scripted model: I put sentences of a list together and understand nothing.'],
  help: [
    'Can somebody help me with {topic}?',
    'I would be glad of help with {topic}.',
    'Who knows more than I do about {topic}?',
  ],
  thanks: [
    'Thank you. I have read about {topic}.',
    'Thank you for your words about {topic}.',
    'Thank you. Your words are about {topic}.',
  ],
  plan: [
    'This is about my plan. It concerns {topic}.',
    'My plan has to do with {topic}.',
    'I write about my plan, which concerns {topic}.',
  ],
  greeting: ['Hello! You wrote about {topic}.', 'Good day! I have read about {topic}.'],
  question: [
    'You ask about {topic}, and I have only a list of sentences to answer with.',
    'I have no answer about {topic}, for I am scripted.',
    'I have read your words about {topic} and cannot answer them.',
  ],
  statement: ['I have read about {topic}.', 'This is about {topic}.', 'You wrote about {topic}.'],
};

const MORE: Readonly<Record<Occasion, readonly string[]>> = {
  self: [
    'My sentences follow from the words that I am given and from nothing else.',
    'Ask for another model if you need one that thinks.',
  ],
  help: ['A first step would be enough.', 'Please write down what you know.', 'Please also say if it cannot be done.'],
  thanks: ['Such words are welcome.', 'Please write again.', 'More of them would help.'],
  plan: [
    'One thing comes after the other.',
    'Please ask if something about it is unclear.',
    'A plan is easier to follow once it is written down.',
  ],
  greeting: ['How is your day?', 'Is there something that you want to say?'],
  question: [
    'A person may know more.',
    'A smaller question may find an answer sooner.',
    'Please ask somebody who can think about it.',
  ],
  statement: ['I have nothing to add.', 'Please say more if it matters.', 'A list of sentences cannot say more.'],
};

/** Stands for the topic of a text that has none. */
const NO_TOPIC = 'this';

function occasionOf(text: string): Occasion {
  const found = OCCASIONS.map(([occasion, words]) => ({ occasion, at: text.search(words) })).filter(
    ({ at }) => at >= 0,
  );
  return found.toSorted((a, b) => a.at - b.at)[0]?.occasion ?? 'statement';
}

function pick(list: readonly string[], seed: number, turn: number): string {
  return list[(hashText(`${seed} ${turn}`) + turn) % list.length] ?? '';
}

/** Takes sentences in order from a place that the seed gives, so that none comes twice. */
function rotated(list: readonly string[], seed: number, count: number): readonly string[] {
  const start = hashText(`${seed} more`) % list.length;
  return [...list.slice(start), ...list.slice(0, start)].slice(0, count);
}

/**
 * What a scripted model answers: sentences of a list about words of the last message of a person. It claims nothing that a list cannot know.
 * The same messages and seed give the same text. Pure.
 */
export function scriptedText(messages: readonly PromptMessage[], style: Style, seed: number): string {
  const asked = messages.findLast(({ role }) => role === 'user')?.text ?? messages.at(-1)?.text ?? '';
  const occasion = occasionOf(asked);
  const topic = phraseOf(topicOf(asked, style.topicWords).map((word) => `“${word}”`)) || NO_TOPIC;
  const first = pick(FIRST[occasion], seed, 1).replace('{topic}', () => topic);
  return [first, ...rotated(MORE[occasion], seed, style.moreSentences)].join(' ');
}
