import type { ListOptions, Memory, Present, Remembered } from '@hamlet/engine/memory';
import { CORRECTION_PREFIX, MEMORY_WORDS_MAX_CHARS } from '@hamlet/contract/resident';
import { shorten } from '@hamlet/core/shorten';
import { isSummaryOf } from './kept-summary.ts';
import { isLearned } from './reading/facts-read.ts';
import { isInForce } from './remembered.ts';

const RECALLED_MAX = 6;
const PINNED_MAX = 20;
/**
 * Maximum number of facts about the people present that are recalled for every message, of the newest `PROFILE_SEEN`.
 */
const PROFILE_MAX = 4;
const PROFILE_SEEN = 100;
const HITS_MAX = 50;
const SEEN_MAX = 1_000;

/** The people present and the place: they get what all of them may know, from this repository or from outside of repositories. */
export interface Reader {
  readonly present: Present;
  readonly repository: string | null;
}

export interface Recalled {
  readonly memories: readonly Remembered[];
  /** The number of fitting memories with text from outside. */
  readonly outside: number;
}

/** Memories that the reader may know, newest first. */
export const newestOf = (
  memory: Memory,
  { present, repository }: Reader,
  filter: Omit<ListOptions, 'audience' | 'place'>,
): readonly Remembered[] => memory.list({ ...filter, audience: present, place: repository }).memories;

/** Memories that the reader may know and that fit a text, best first. */
export async function foundIn(
  memory: Memory,
  query: string,
  { present, repository, ...rest }: Reader & { readonly besides?: string },
): Promise<readonly Remembered[]> {
  const options = { ...rest, audience: present, place: repository, k: HITS_MAX };
  return (await memory.search(shorten(query, MEMORY_WORDS_MAX_CHARS), options)).map((hit) => hit.memory);
}

/**
 * Pinned memories, a few facts about the people present, then what fits a text best: facts first, because the words of an ended fact
 * stay as they were said. Words of the conversation itself are in the prompt already. Memories with text from outside are only
 * counted: they would taint each run that they enter, so a model asks for them. The engine bounds the text.
 */
export async function recallFrom(
  memory: Memory,
  text: string,
  { conversation, now, ...reader }: Reader & { readonly conversation: string; readonly now: number },
): Promise<Recalled> {
  const isNow = (each: Remembered): boolean => isInForce(each, now);
  const pinned = newestOf(memory, reader, { pinned: true, limit: SEEN_MAX }).filter(isNow).slice(0, PINNED_MAX);
  const profile = profileIn(memory, reader).filter(isNow).slice(0, PROFILE_MAX);
  const first = [...pinned, ...profile.filter(({ pinned: isPinned }) => !isPinned)];
  const known = new Set(first.map(({ id }) => id));
  const found = await foundIn(memory, text, { ...reader, besides: conversation });
  const fitting = found.filter((each) => !known.has(each.id) && isNow(each) && !isSummaryOf(conversation, each));
  const all = [...first, ...fitting];
  const best = fitting.filter(isInside).slice(0, RECALLED_MAX);
  const memories = [...first.filter(isInside), ...best.filter(isFact), ...best.filter((each) => !isFact(each))];
  return { memories, outside: all.length - all.filter(isInside).length };
}

/** Facts of the people present, from their words or as they corrected them: the most important first. */
const profileIn = (memory: Memory, reader: Reader): readonly Remembered[] =>
  newestOf(memory, reader, { kind: 'fact', layers: ['profile'], isPrivate: true, limit: PROFILE_SEEN })
    .filter((each) => isLearned(each) || each.id.startsWith(CORRECTION_PREFIX))
    .toSorted((one, other) => other.importance - one.importance);

const isFact = ({ kind }: Remembered): boolean => kind === 'fact';
const isInside = ({ taint }: Remembered): boolean => taint === 'none';
