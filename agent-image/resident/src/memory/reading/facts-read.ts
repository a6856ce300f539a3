import { storableText } from '@hamlet/contract/resident';
import type { Fact, NewFact } from '@hamlet/engine/memory';
import type { Line, Passage } from './plan-reading.ts';
import { FACTS_MAX, type KnownFact, type ReadingAnswer } from './reading-question.ts';

/** A fact that a model made is at most as important as a person's correction. */
const IMPORTANCE_MAX = 0.8;

type Read = ReadingAnswer['facts'][number];

/** The id of the n-th fact whose newest source is the message of a run. */
export const factId = (run: string, n: number): string => `f-${run}-${n}`;

/** True for a fact that was made from a person's words. */
export const isLearned = ({ id }: Readonly<{ id: string }>): boolean => /^f-[0-9a-f-]{36}-\d+$/.test(id);

/**
 * The facts of an answer: about the person who said them, for the people who could read them, made from the named messages. A fact that
 * would end a known one is left out unless its words are newer. The ids are equal for each reading of the same passage. Pure.
 */
export function factsRead(passage: Passage, known: readonly KnownFact[], { facts }: ReadingAnswer): readonly NewFact[] {
  const counts = new Map<string, number>();
  const ended = new Set<string>();
  return facts.slice(0, FACTS_MAX).flatMap((read): readonly NewFact[] => {
    const sources = passage.lines.filter(({ label }) => label !== null && read.sources.includes(label));
    const newest = sources.toSorted((one, other) => other.turn - one.turn)[0];
    if (newest === undefined) return [];
    const old = correctedBy(read, known, ended);
    if (old !== null && old.at >= newest.at) return [];
    if (old !== null) ended.add(old.id);
    const n = counts.get(newest.run) ?? 0;
    counts.set(newest.run, n + 1);
    const provenance = sources.map(({ id }) => id);
    return [
      { ...factOf(read, old), id: factId(newest.run, n), ...placeOf(passage), ...timeOf(read, newest), provenance },
    ];
  });
}

const placeOf = ({ speaker, audience, repository }: Passage) => ({ subject: speaker, audience, repository });

const timeOf = ({ from, until }: Read, { at }: Pick<Line, 'at'>) => ({
  at,
  validFrom: dayStart(from) ?? at,
  validTo: dayEnd(until),
});

const factOf = ({ text, importance }: Read, old: Fact | null) => ({
  kind: 'fact' as const,
  text: storableText(text),
  layer: 'profile' as const,
  importance: Math.min(IMPORTANCE_MAX, importance),
  pinned: old?.pinned ?? false,
  supersedes: old?.id ?? null,
});

/** The known fact that an answer ends. Each is ended once; null for a repetition of the same text. */
function correctedBy({ supersedes, text }: Read, known: readonly KnownFact[], ended: ReadonlySet<string>): Fact | null {
  const fact = known.find(({ label }) => label === supersedes)?.fact;
  if (fact === undefined || ended.has(fact.id) || isSameText(fact.text, text)) return null;
  return fact;
}

const isSameText = (one: string, other: string): boolean => plain(one) === plain(other);
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const DAY_MS = 86_400_000;
const dayStart = (day: string | null): number | null => (day === null ? null : Date.parse(day));
const dayEnd = (day: string | null): number | null => (day === null ? null : Date.parse(day) + DAY_MS);
