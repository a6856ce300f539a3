import { NOTE, type Entity } from './entity.ts';
import type { MemoryStore } from './memory-store.ts';

export const MAX_PINNED = 20;
const MAX_RECALLED = 6;
const MAX_RECALLED_CHARS = 6_000;

export interface Note {
  readonly id: string;
  readonly text: string;
  readonly about: string | null;
  readonly pinned: boolean;
  readonly audience: string | null;
}

type Searched = Pick<Note, 'text' | 'about' | 'pinned'>;

/** Notes in the agent's memory file. Each call sees only public notes and those of its own audience. */
export interface Notes {
  /** Stores a note. A repeated call with the same id changes nothing. */
  remember(note: Pick<Note, 'id' | 'text' | 'about' | 'audience'>): void;
  forget(id: string, audience: string): boolean;
  pin(id: string, pinned: boolean, audience: string): 'done' | 'not_found' | 'too_many';
  list(audience: string, limit: number): readonly Note[];
  search(query: string, audience: string, limit: number): readonly Note[];
  recall(text: string, audience: string): readonly Note[];
}

export function createNotes(memory: Pick<MemoryStore, 'all' | 'recall' | 'remember' | 'forget'>): Notes {
  const seen = (audience: string): readonly Note[] =>
    memory
      .all(NOTE)
      .map(noteOf)
      .filter((note) => note.audience === null || note.audience === audience)
      .toReversed();
  const find = (id: string, audience: string): Note | undefined => seen(audience).find((note) => note.id === id);
  return {
    remember: (note) => {
      if (memory.recall(note.id) === undefined) memory.remember(entityOf({ ...note, pinned: false }));
    },
    forget: (id, audience) => find(id, audience) !== undefined && memory.forget(id),
    pin: (id, pinned, audience) => {
      const note = find(id, audience);
      if (note === undefined) return 'not_found';
      if (note.pinned === pinned) return 'done';
      if (pinned && seen(audience).filter((each) => each.pinned).length >= MAX_PINNED) return 'too_many';
      memory.remember(entityOf({ ...note, pinned }));
      return 'done';
    },
    list: (audience, limit) => seen(audience).slice(0, limit),
    search: (query, audience, limit) => searchIn(seen(audience), query, limit),
    recall: (text, audience) => recallFrom(seen(audience), text),
  };
}

export function searchIn<N extends Searched>(notes: readonly N[], query: string, limit: number): readonly N[] {
  return bestOf(notes, query).slice(0, limit);
}

export function recallFrom<N extends Searched>(notes: readonly N[], text: string): readonly N[] {
  const pinned = notes.filter((note) => note.pinned);
  const others = bestOf(
    notes.filter((note) => !note.pinned),
    text,
  ).slice(0, MAX_RECALLED);
  return withinLimit([...pinned, ...others]);
}

const entityOf = ({ id, text, about, pinned, audience }: Note): Entity => ({
  type: 'entity',
  name: id,
  entityType: NOTE,
  observations: [text],
  audience,
  ...(pinned ? { pinned } : {}),
  ...(about === null ? {} : { about }),
});

const noteOf = ({ name, observations, about, pinned = false, audience }: Entity): Note => ({
  id: name,
  text: observations.join('\n'),
  about: about ?? null,
  pinned,
  audience: audience ?? null,
});

function withinLimit<N extends Searched>(notes: readonly N[]): readonly N[] {
  let left = MAX_RECALLED_CHARS;
  return notes.filter(({ text }) => (left -= text.length) >= 0);
}

/** Notes that share words with the query. Rare words count more; ties favour the newer note. */
function bestOf<N extends Searched>(notes: readonly N[], query: string): readonly N[] {
  const wanted = new Set(wordsOf(query));
  const words = notes.map((note) => new Set(wordsOf(`${note.about ?? ''} ${note.text}`)));
  const weightOf = (word: string): number => Math.log(1 + notes.length / words.filter((each) => each.has(word)).length);
  const weights = new Map([...wanted].map((word) => [word, weightOf(word)]));
  return notes
    .map((note, index) => {
      const shared = [...(words[index] ?? [])].filter((word) => wanted.has(word));
      return { note, score: shared.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ note }) => note);
}

/** Words that occur in almost every sentence. */
const COMMON: ReadonlySet<string> = new Set(
  'a an and are as at be but by do for from had has have he her his i in is it its me my not of on or she so that the their them they this to was we what when where who will with you your'.split(
    ' ',
  ),
);
/** Words of other languages stay whole; an English plural equals its singular. */
const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => !COMMON.has(word))
    .map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word));
