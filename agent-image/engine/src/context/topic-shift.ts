import { sharedShare, wordsOf } from './words-of.ts';

/** Fewer words say too little about a topic. */
const LEAST_WORDS = 5;
/** At most this share of a turn's words may belong to the topic that it leaves. */
const LEAVES = 0.1;
/** A turn with this share of the words of the topic before the last one returns to that topic: the last one was a digression. */
const RETURNS = 0.3;
/** Turns whose words make the topic. */
const TURNS_OF_TOPIC = 6;
/** Words at the beginning of a turn that refer to what was said before. */
const REFERS = /^(?:\S+\s+){0,7}?(?:this|that|these|those|above|again|same|continue|it)\b/i;

type Topic = Readonly<{ from: number; turns: readonly ReadonlySet<string>[] }>;

const wordsIn = ({ turns }: Topic): ReadonlySet<string> =>
  turns.slice(-TURNS_OF_TOPIC).reduce<ReadonlySet<string>>((all, words) => all.union(words), new Set());

/**
 * The index of the turn with which the newest topic of a conversation begins; 0 while it has one topic. Leaving a topic
 * takes far fewer common words than staying in it, and a return to the topic before withdraws the change, so the answer
 * does not swing between two related topics. Pure.
 */
export function topicStart(turns: readonly string[]): number {
  let [before, topic]: readonly [Topic | null, Topic] = [null, { from: 0, turns: [] }];
  for (const [index, text] of turns.entries()) {
    const words = wordsOf(text);
    if (before !== null && topic.turns.length === 1 && sharedShare(words, wordsIn(before)) >= RETURNS)
      [before, topic] = [null, { from: before.from, turns: [...before.turns, ...topic.turns] }];
    const leaves = topic.turns.length > 0 && words.size >= LEAST_WORDS && !REFERS.test(text);
    if (leaves && sharedShare(words, wordsIn(topic)) <= LEAVES)
      [before, topic] = [topic, { from: index, turns: [words] }];
    else topic = { ...topic, turns: [...topic.turns, words] };
  }
  return topic.from;
}

/** True if the newest turn leaves the topic of those before it. */
export const beginsTopic = (turns: readonly string[]): boolean =>
  turns.length > 1 && topicStart(turns) === turns.length - 1;
