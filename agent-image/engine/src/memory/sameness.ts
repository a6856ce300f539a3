import { createHash } from 'node:crypto';
import type { NewMemory } from './memory.ts';
import { namesOf, normalized, plainWordsOf, wordsOf } from './text/words.ts';

/** Facts about one subject are the same from this cosine on, if their names, numbers and negations are the same too. */
const SAME_COSINE = 0.95;
/** A shorter turn may mean something else each time, so it is stored each time. */
const LEAST_WORDS_OF_A_REPEAT = 3;

const NEGATIONS = /\b(not|no|never|none|nothing|nobody|neither|nor|without|cannot|stopped|quit|\w+n['’]t)\b/giu;
/** Words that move a statement to the past or the future, or make it a condition; verbs that end in  among them. */
const MODES = /\b(\w{2,}ed|was|were|had|did|used|will|would|could|should|may|might|if|until|since)\b/giu;
/** Words around a statement that carry no meaning of their own. */
const FILLERS: ReadonlySet<string> = new Set(
  plainWordsOf(
    'by the way btw please note that remember keep in mind actually really basically well yes yeah oh hey ok okay fyi let know want said think mention already as before once more know mind forget',
  ),
);

/**
 * Equal for two memories that are the same row. Evidence: the speaker and the normalized text; a turn of few words also
 * needs the same place. Facts: the subject and the same words in any order, without fillers, with names in the same order.
 */
export function fingerprintOf(memory: NewMemory): Uint8Array {
  const place = memory.repository ?? '';
  const parts = memory.kind === 'evidence' ? evidenceParts(memory) : factParts(memory);
  return createHash('sha256')
    .update(JSON.stringify([memory.kind, place, ...parts]))
    .digest()
    .subarray(0, 16);
}

function evidenceParts({ speaker, text, session, turn }: NewMemory & { kind: 'evidence' }): readonly unknown[] {
  const isRepeatable = wordsOf(text).length >= LEAST_WORDS_OF_A_REPEAT;
  return [speaker, normalized(text), ...(isRepeatable ? [] : [session, turn])];
}

function factParts({ subject, text }: NewMemory & { kind: 'fact' }): readonly unknown[] {
  const words = new Set(plainWordsOf(text).filter((word) => !FILLERS.has(word)));
  return [subject, [...words].toSorted(), marksOf(subject, text)];
}

/** True if two facts about one subject say the same, as far as their vectors show. */
export const isSameFact = (
  { subject, text }: Readonly<{ subject: string; text: string }>,
  other: Readonly<{ text: string; likeness: number }>,
): boolean => other.likeness >= SAME_COSINE && marksOf(subject, text) === marksOf(subject, other.text);

/** Names, numbers, negations and modes: texts that differ in them never say the same. */
function marksOf(subject: string, text: string): string {
  const own = new Set(normalized(subject).split(' '));
  const names = namesOf(text)
    .map(normalized)
    .filter((name) => !own.has(name));
  const modes = new Set((text.match(MODES) ?? []).map((mode) => mode.toLowerCase()));
  return JSON.stringify([names, (text.match(NEGATIONS) ?? []).length % 2, [...modes].toSorted()]);
}
