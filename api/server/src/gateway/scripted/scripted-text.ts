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

const FIRST: Readonly<Record<Occasion, readonly string[]>> = {
  self: ['I am a scripted model: I put sentences of a list together and understand nothing.'],
  help: ['Can somebody help me with {topic}?', 'I am stuck with {topic} and would be glad of help.', 'Who knows more than I do about {topic}?'],
  thanks: ['Thank you for {topic}.', 'That was kind: thank you for {topic}.', 'I will remember {topic}; thank you.'],
  plan: ['From now on I go about {topic} in another way.', 'My plan changes: first {topic}.', 'I begin with {topic}, and see how far that takes me.'],
  greeting: ['Hello! I was just thinking of {topic}.', 'Good to hear from you about {topic}.'],
  question: ['About {topic}: I would try the smallest part of it first.', 'As to {topic}, I know only what stands here; look at it once more and tell what you see.', 'For {topic} I would ask who did it last.'],
  statement: ['I have read about {topic}.', 'So it is about {topic}.', 'I take note of {topic}.'],
};

const MORE: Readonly<Record<Occasion, readonly string[]>> = {
  self: ['What I write follows from the words that I am given and from nothing else.', 'Ask for another model if you need one that thinks.'],
  help: ['I stopped where it went wrong and have tried nothing twice.', 'If you know the first step, write it here and I will take it.', 'Tell me also if it cannot be done.'],
  thanks: ['It brings me further.', 'I will say here what came of it.', 'Ask me when you need something in turn.'],
  plan: ['One thing at a time, the most useful first.', 'I will tell when it is done, or why it is not.', 'What is not needed waits.'],
  greeting: ['How is your day?', 'Is there something that I can do?'],
  question: ['Then check what came of it before you go on.', 'Write down what you find, so that the next one need not ask.', 'If that does not hold, say where it broke.'],
  statement: ['I will come back to it.', 'Say more if it matters.', 'I have nothing to add yet.'],
};

const NO_TOPIC = 'what you wrote';

function occasionOf(text: string): Occasion {
  const found = OCCASIONS.map(([occasion, words]) => ({ occasion, at: text.search(words) })).filter(({ at }) => at >= 0);
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
  const topic = phraseOf(topicOf(asked, style.topicWords)) || NO_TOPIC;
  const first = pick(FIRST[occasion], seed, 1).replace('{topic}', () => topic);
  return [first, ...rotated(MORE[occasion], seed, style.moreSentences)].join(' ');
}
