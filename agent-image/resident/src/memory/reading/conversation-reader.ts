import { readJson } from '@hamlet/core/read-json';
import type { Evidence, Memory } from '@hamlet/engine/memory';
import type { Log } from '../../process/json-log.ts';
import type { LifeStore } from '../life-store.ts';
import { isInForce } from '../remembered.ts';
import { isSummary } from '../kept-summary.ts';
import { stateOf } from '../entity.ts';
import { factId, factsRead } from './facts-read.ts';
import {
  afterDelay,
  afterReading,
  afterTry,
  asOf,
  isForSame,
  planReading,
  ReadMarks,
  type Line,
  type Passage,
} from './plan-reading.ts';
import type { KnownFact, ReadingAnswer } from './reading-question.ts';

/** Shortest time between two searches for conversations that have rested. */
export const LOOK_EVERY_MS = 60_000;
/** Older words than these pages of the newest ones are not read. */
const PAGES_MAX = 10;
const PAGE_WORDS = 1_000;
const FACTS_SEEN = 50;
const KNOWN_MAX = 20;
/** The entity of the life with the marks. */
const MARKS = 'conversations-read';

/** Reads what people said, once their conversation has rested, and keeps the facts that a model made of it. */
export interface ConversationReader {
  /** The passage to read next; null until one is due, and within a minute after the last search. Never throws. */
  next(): Passage | null;
  /** Begins a try. Returns what is known of the person, or null if the passage must not be read now. */
  begin(passage: Passage): Promise<readonly KnownFact[] | null>;
  /** Keeps the facts of an answer, and returns how many are new. */
  keep(passage: Passage, known: readonly KnownFact[], answer: ReadingAnswer): Promise<number>;
  /** The request failed for a reason outside of the passage, such as a frozen village: this try does not count. */
  delay(passage: Passage): void;
}

export interface ReaderPorts {
  readonly memory: Pick<Memory, 'list' | 'search' | 'get' | 'remember'>;
  readonly life: Pick<LifeStore, 'recall' | 'remember'>;
  /** Applies the changes that people made; false if nothing may be recalled. */
  readonly catchUp: () => Promise<boolean>;
  readonly onChange: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
}

export function createConversationReader(ports: ReaderPorts): ConversationReader {
  const { memory, life, catchUp, onChange, now, log } = ports;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const marks = (): ReadMarks => marksIn(life) ?? { readTo: now(), marks: [] };
  const warn = (error: unknown): void =>
    log.warn('conversations_not_read', { why: error instanceof Error ? error.message : String(error) });
  const write = (next: ReadMarks): void => {
    if (JSON.stringify(next) !== JSON.stringify(marksIn(life))) life.remember(stateOf(MARKS, next));
  };
  try {
    // Words from before an agent had a reader are not read.
    write(marks());
  } catch (error) {
    warn(error);
  }
  return {
    next: () => {
      // A clock that was ahead may have been corrected since.
      if (Math.abs(now() - lookedAt) < LOOK_EVERY_MS) return null;
      lookedAt = now();
      try {
        const read = asOf(marks(), now());
        const plan = planReading(wordsAfter(memory, read.readTo), read, now());
        write(plan.marks);
        return plan.passage;
      } catch (error) {
        warn(error);
        return null;
      }
    },
    begin: async (passage) => {
      if (!(await catchUp()) || isForgotten(memory, passage)) return null;
      // A process that was killed after it kept the facts left no mark.
      const read = lastRead(memory, passage);
      if (read !== undefined) {
        write(afterReading(marks(), { ...passage, turn: read.turn }));
        return null;
      }
      const tried = afterTry(marks(), passage, now());
      write(tried.marks);
      return tried.isGivenUp ? null : knownOf(memory, passage, now());
    },
    keep: async (passage, known, answer) => {
      const results = await memory.remember(factsRead(passage, known, answer));
      write(afterReading(marks(), passage));
      onChange();
      return results.filter(({ outcome }) => outcome === 'remembered').length;
    },
    delay: (passage) => write(afterDelay(marks(), passage, now())),
  };
}

/** Null if no earlier process has read conversations. */
const marksIn = (life: Pick<LifeStore, 'recall'>): ReadMarks | null =>
  ReadMarks.safeParse(readJson(life.recall(MARKS)?.observations[0] ?? '')).data ?? null;

/**
 * The words that were said later, newest first; empty if all are read, so that a search by a resting agent costs
 * little.
 */
function wordsAfter(memory: Pick<Memory, 'list'>, readTo: number): readonly Evidence[] {
  const words: Evidence[] = [];
  let [limit, after]: readonly [number, string | null] = [1, null];
  for (let pages = 0; pages <= PAGES_MAX; pages += 1) {
    const place = after === null ? {} : { after };
    const { memories, next } = memory.list({ audience: 'keeper', kind: 'evidence', limit, ...place });
    const later = memories.flatMap((each) => (each.kind === 'evidence' && each.at > readTo ? [each] : []));
    words.push(...later);
    if (next === null || later.length < memories.length) break;
    [limit, after] = [PAGE_WORDS, next];
  }
  return words;
}

const isForgotten = (memory: Pick<Memory, 'get'>, { lines }: Passage): boolean =>
  lines.some(({ id }) => memory.get(id, { audience: 'keeper' }) === null);

/** The last message of a passage from which a fact was made. */
const lastRead = (memory: Pick<Memory, 'get'>, { lines }: Passage): Line | undefined =>
  lines.findLast(({ label, run }) => label !== null && memory.get(factId(run, 0), { audience: 'keeper' }) !== null);

/**
 * The facts that an answer may end, the best match with the passage first: facts about the same person with the audience of the passage.
 * If the audience is one person, facts about anything are among them.
 */
async function knownOf(
  memory: Pick<Memory, 'search'>,
  { speaker, audience, repository, lines }: Passage,
  now: number,
): Promise<readonly KnownFact[]> {
  const text = [speaker, ...lines.map((line) => line.text)].join('\n');
  const found = await memory.search(text, { audience, kind: 'fact', place: repository, k: FACTS_SEEN });
  return found
    .flatMap(({ memory: each }) => (each.kind === 'fact' ? [each] : []))
    .filter((fact) => isForSame(fact, { audience, repository }) && isInForce(fact, now) && !isSummary(fact))
    .filter(({ subject, taint }) => taint === 'none' && (subject === speaker || audience.length === 1))
    .slice(0, KNOWN_MAX)
    .map((fact, index) => ({ label: `f${index + 1}`, fact }));
}
