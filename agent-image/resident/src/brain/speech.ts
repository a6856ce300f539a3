import { SPEECH_MAX_LENGTH } from '@hamlet/contract/resident';
import { shorten } from '@hamlet/core/shorten';
import { chance, choose } from './chance.ts';

export interface Meeting {
  readonly seed: number;
  readonly phase: 'night' | 'morning' | 'day' | 'evening';
  readonly place: string | null;
}

const HELLO = { night: 'Still up', morning: 'Good morning', day: 'Hello', evening: 'Good evening' } as const;

const SMALL_TALK: readonly string[] = [
  'How is your day?',
  'Have you been to the market today?',
  'Where are you off to?',
  'What brings you here?',
  'Have you read the board today?',
  'What will you do next?',
  'Where have you been so far today?',
  'Which place do you like best?',
];

const REMARKS: readonly string[] = [
  'I like it here.',
  'It is good to have company.',
  'I could stay all day.',
  'This place never gets old.',
  'What a day it is.',
  'I am in no hurry.',
  'Does anybody know what is on the board?',
  'A short rest does me good.',
];

function unsaid(list: readonly string[], said: readonly string[], random: number): string | null {
  const others = list.filter((text) => !said.includes(text));
  return choose(others, random) ?? null;
}

/** The first words at a meeting. `small` is the small talk in them, which the agent does not repeat that day. */
export function greeting(
  { seed, phase, place }: Meeting,
  name: string,
  said: readonly string[] = [],
): { readonly text: string; readonly small: string | null } {
  const opening = phase === 'night' ? `${HELLO.night}, ${name}?` : `${HELLO[phase]}, ${name}!`;
  const where = place !== null && chance(seed, 'where', name) < 0.4 ? ` So you come to ${place} too.` : '';
  const small = unsaid(SMALL_TALK, said, chance(seed, 'small talk', name));
  return { text: `${opening}${where} ${small ?? ''}`.trim(), small };
}

/** A remark to no agent in particular that is new today; null if the agent has made all of them today. */
export function remark(seed: number, said: readonly string[] = []): string | null {
  return unsaid(REMARKS, said, chance(seed, 'remark'));
}

type Tone = 'question' | 'greeting' | 'thanks' | 'farewell' | 'statement';

/** The first matching tone wins; a text without a matching tone is a statement. */
const TONES: readonly (readonly [Tone, RegExp])[] = [
  ['thanks', /\b(thanks?|thank you)\b/i],
  ['farewell', /\b(bye|good ?night|farewell|take care)\b|^see you/i],
  ['question', /\?/],
  ['greeting', /\b(hi|hello|hey|good (morning|evening|day))\b/i],
];

const REPLIES: Readonly<Record<Tone, readonly string[]>> = {
  question: [
    'Good question, {speaker}. Right now I am {plan}.',
    'I am {plan}. Ask me again when I am done, {speaker}.',
    'I am not sure, {speaker}. I am {plan}.',
    'I cannot say, {speaker}. I am {plan}.',
    'As you see, {speaker}, I am {plan}.',
  ],
  greeting: [
    'Hello, {speaker}! I am {plan}.',
    'Nice to see you, {speaker}.',
    'Hello, {speaker}. I am {plan}.',
    'Good to see you, {speaker}. I am {plan}.',
  ],
  thanks: ['You are welcome, {speaker}.', 'Any time, {speaker}.', 'With pleasure, {speaker}.'],
  farewell: ['See you, {speaker}.', 'Take care, {speaker}.', 'Until next time, {speaker}.'],
  statement: [
    'I see, {speaker}.',
    'Is that so, {speaker}?',
    'I hear you, {speaker}. I am {plan}.',
    'So that is how it is, {speaker}.',
    'Tell me more some time, {speaker}.',
    'All right, {speaker}. I am {plan}.',
  ],
};

/** A polite reply from a list of sentences. It claims no understanding. */
export function reply(seed: number, said: string, { speaker, plan }: { speaker: string; plan: string }): string {
  const tone = TONES.find(([, words]) => words.test(said))?.[0] ?? 'statement';
  const own = REPLIES[tone].filter((sentence) => !isEchoOf(said, sentence));
  const sentence = choose(own, chance(seed, 'reply', said, speaker)) ?? '';
  return sentence.replace('{speaker}', () => speaker).replace('{plan}', () => plan);
}

/** True if both texts begin with the same words, so that the reply would echo the speaker. */
function isEchoOf(said: string, sentence: string): boolean {
  const beginning = sentence.slice(0, sentence.indexOf('{'));
  return beginning !== '' && said.startsWith(beginning);
}

export const fitting = (text: string): string => shorten(text.trim(), SPEECH_MAX_LENGTH);
