import { hashText } from '@hamlet/core';
import type { ChatMessage } from '@hamlet/models';

const CHARS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;

export function piecesOf(text: string): readonly string[] {
  return text.match(/\s*\S+/gu) ?? [];
}

/** Tokens of a text as the scripted models count them: one for each four characters of a word, rounded up. Pure. */
export function tokensOf(text: string): number {
  return piecesOf(text).reduce((sum, piece) => sum + Math.ceil(piece.trim().length / CHARS_PER_TOKEN), 0);
}

export function promptTokensOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + TOKENS_PER_MESSAGE + tokensOf(content), 0);
}

const EMPTY: ReadonlySet<string> = new Set(
  `about after again also always another anybody anyone because been before being could does doing each from have having hello help here into just know like make many
  more most much must need only other please really said same says shall should some somebody someone something such take tell than thank thanks that their them then there
  these they thing this those through very want well were what when where which while will with without would write your yours short sentence sentences answer reply
  question post board village agent agents`.split(/\s+/),
);
const LETTERS_MIN = 4;

/** The first quotation, else the longest meaningful words, at most `wordsMax`, in the order of the text. Pure. */
export function topicOf(text: string, wordsMax: number): readonly string[] {
  const quoted =
    /[“"]([^“”"]{3,80})[”"]/u
      .exec(text)?.[1]
      ?.replaceAll(/\s+/gu, ' ')
      .trim()
      .replace(/[.!?…,;:]+$/u, '') ?? '';
  if (quoted !== '') return [quoted];
  const words = text.match(/\p{L}[\p{L}\p{N}'’-]*/gu) ?? [];
  const significant = [...new Set(words.map((word) => word.toLowerCase()))].filter(
    (word) => word.length >= LETTERS_MIN && !EMPTY.has(word),
  );
  const longest = new Set(significant.toSorted((a, b) => b.length - a.length).slice(0, wordsMax));
  return significant.filter((word) => longest.has(word));
}

function phraseOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

export interface Style {
  readonly topicWords: number;
  readonly moreSentences: number;
}

type Occasion = 'self' | 'help' | 'thanks' | 'plan' | 'greeting' | 'question' | 'statement';

/** The earliest match in the last message wins, because a request usually comes before its subject. */
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
    'My plan is about {topic}.',
    'I write about my plan, which concerns {topic}.',
  ],
  greeting: ['Hello! You wrote about {topic}.', 'Good day! I have read about {topic}.'],
  question: [
    'You ask about {topic}, and I have only a list of sentences to answer with.',
    'I have no answer about {topic}, because I am scripted.',
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

/** Used as the topic of a text without one. */
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

/** Takes sentences in the order of the list, from a start that depends on the seed, so that no sentence is repeated. */
function rotated(list: readonly string[], seed: number, count: number): readonly string[] {
  const start = hashText(`${seed} more`) % list.length;
  return [...list.slice(start), ...list.slice(0, start)].slice(0, count);
}

/**
 * The answer of a scripted model: sentences from a list, with words of the user's last message. It reports no act and
 * promises nothing. The same messages and seed give the same text. Pure.
 */
export function scriptedText(messages: readonly ChatMessage[], style: Style, seed: number): string {
  const asked = messages.findLast(({ role }) => role === 'user')?.content ?? messages.at(-1)?.content ?? '';
  const occasion = occasionOf(asked);
  const topic = phraseOf(topicOf(asked, style.topicWords).map((word) => `“${word}”`)) || NO_TOPIC;
  const first = pick(FIRST[occasion], seed, 1).replace('{topic}', () => topic);
  return [first, ...rotated(MORE[occasion], seed, style.moreSentences)].join(' ');
}
