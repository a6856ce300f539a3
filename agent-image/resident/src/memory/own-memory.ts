import type {
  Audience,
  Documents,
  ListOptions,
  Memory,
  NewMemory,
  Remembered,
  RememberResult,
  Taint,
} from '@hamlet/engine/memory';
import { MEMORY_WORDS_MAX_CHARS, storableText } from '@hamlet/contract/resident';
import { inOneLine, shorten } from '@hamlet/core/shorten';
import { summaryFact, type NewSummary } from './kept-summary.ts';
import { foundIn, newestOf, recallFrom, type Reader, type Recalled } from './recall.ts';
import { DIARY_SESSION, isInForce, NO_SUBJECT, OWN_NAME } from './remembered.ts';

/** A fact that a model chose to remember. */
export interface NewNote {
  readonly id: string;
  readonly text: string;
  readonly about: string | null;
  readonly audience: Audience;
  /** True if it contains text from outside. */
  readonly isOutside: boolean;
}

/** Words of a conversation: a message or an answer. */
export interface SaidWords {
  readonly id: string;
  readonly session: string;
  readonly speaker: string;
  readonly text: string;
  readonly audience: Audience;
  /** The repository of the run; null outside of repositories. */
  readonly repository: string | null;
  /** True if the words may contain text from outside, if its run does. */
  readonly mayBeOutside: boolean;
}

/** The id under which words are known; null if they are not kept. */
export type KeptWords = string | null;
export type KeptNote = { readonly id: string } | { readonly refused: string };

/** `inForce`: without facts that have ended. */
export type Listed = Pick<ListOptions, 'isPrivate' | 'session' | 'kind'> & { readonly inForce?: boolean };

/** The agent's own memory, as its tools and prompts use it. */
export interface OwnMemory {
  /** Resolves once it is on disk, with the id under which it is known, or with the reason why it is not kept. */
  remember(note: NewNote): Promise<KeptNote>;
  /** The same for several notes in one write; each result stands at the place of its note. */
  rememberAll(notes: readonly NewNote[]): Promise<readonly KeptNote[]>;
  /**
   * Keeps words as they were said, each under the id that is returned at its place; `outside` are the ids of those with text from
   * outside. Null stands at the place of words without content to recall.
   */
  keepWords(words: readonly SaidWords[], outside?: readonly string[]): Promise<readonly KeptWords[]>;
  /** Keeps a summary in place of the previous one. It is not recalled in its own conversation. */
  keepSummary(summary: NewSummary): Promise<void>;
  forget(id: string, reader: Reader): boolean;
  pin(id: string, pinned: boolean, reader: Reader): 'done' | 'no_such_memory' | 'too_many_pins';
  /** A memory of any people, for what mirrors the store; never for speech. */
  get(id: string): Remembered | null;
  /** Facts and words, newest first; of those with these properties alone. */
  list(reader: Reader, limit: number, filter?: Listed): readonly Remembered[];
  search(query: string, reader: Reader, limit: number): Promise<readonly Remembered[]>;
  /** Memories for the prompt of a message, as `recallFrom` chooses them. */
  recall(text: string, reader: Reader, conversation: string): Promise<Recalled>;
  /** The documents that the agent has read; null if the store cannot be used. */
  readonly documents: Documents | null;
  /** Counts the use of memories that entered a prompt. */
  use(ids: readonly string[]): void;
}

export function createOwnMemory(
  memory: Memory,
  onChange: () => void = () => {},
  now: () => number = Date.now,
): OwnMemory {
  const keep = async (all: readonly NewMemory[]): Promise<readonly RememberResult[]> => {
    const results = await memory.remember(all);
    onChange();
    return results;
  };
  return {
    remember: async (note) => {
      const [result] = await keep([factOf(note)]);
      return keptOf(result, note);
    },
    rememberAll: async (notes) => {
      const results = await keep(notes.map(factOf));
      return notes.map((note, index) => keptOf(results[index], note));
    },
    keepWords: async (words, outside = []) => {
      const turns = new Map<string, number>();
      const turnIn = (session: string): number => {
        const turn = (turns.get(session) ?? lastTurnOf(memory, session)) + 1;
        turns.set(session, turn);
        return turn;
      };
      const taint = ({ id }: SaidWords): Taint => taintOf(outside.includes(id));
      const said = words.map((each) => ({ ...evidenceOf(each, turnIn(each.session)), taint: taint(each) }));
      const results = await keep(said);
      return results.map((result) => (result.outcome === 'refused' ? null : result.id));
    },
    keepSummary: async (summary) => {
      const fact = summaryFact(memory, summary);
      if (fact !== null) await keep([{ ...fact, subject: NO_SUBJECT }]);
    },
    forget: (id, reader) => {
      const gone = mayChange(memory, id, reader) && memory.forget([id], { audience: reader.present }).length > 0;
      if (gone) onChange();
      return gone;
    },
    pin: (id, pinned, reader) => {
      if (!mayChange(memory, id, reader)) return 'no_such_memory';
      const seen = { audience: reader.present };
      const result = pinned ? memory.pin(id, seen) : memory.unpin(id, seen);
      if (result === 'done') onChange();
      return result;
    },
    get: (id) => memory.get(id, { audience: 'keeper' }),
    list: (reader, limit, { inForce = false, ...filter } = {}) => {
      const listed = newestOf(memory, reader, { ...filter, limit });
      return inForce ? listed.filter((each) => isInForce(each, now())) : listed;
    },
    search: async (query, reader, limit) => (await foundIn(memory, query, reader)).slice(0, limit),
    recall: (text, reader, conversation) => recallFrom(memory, text, { ...reader, conversation, now: now() }),
    documents: reporting(memory, onChange),
    use: (ids) => memory.use(ids),
  };
}

/** Reports sources of documents that were read or removed. */
function reporting(memory: Memory, onChange: () => void): Documents {
  const { documents } = memory;
  const ids = (): readonly string[] => documents.sources({ audience: 'keeper' }).map(({ id }) => id);
  const reported = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = ids();
    return work().finally(() => {
      memory.recheck([...new Set([...before, ...ids()])]);
      onChange();
    });
  };
  return {
    ...documents,
    ingest: (...asked) => reported(() => documents.ingest(...asked)),
    remove: (...asked) => reported(() => documents.remove(...asked)),
  };
}

const factOf = ({ id, text, about, audience, isOutside }: NewNote): NewMemory => {
  const words = { id, text, subject: about ?? NO_SUBJECT, audience, taint: taintOf(isOutside) };
  return { kind: 'fact', ...words, layer: 'profile' };
};

const keptOf = (result: RememberResult | undefined, { id }: NewNote): KeptNote =>
  result?.outcome === 'refused' ? { refused: result.detail } : { id: result?.id ?? id };

const taintOf = (isOutside: boolean): Taint => (isOutside ? 'outside' : 'none');

function lastTurnOf(memory: Memory, session: string): number {
  const [last] = memory.list({ audience: 'keeper', kind: 'evidence', session, limit: 1 }).memories;
  return last?.kind === 'evidence' ? last.turn : -1;
}

const evidenceOf = ({ id, session, speaker, text, audience, repository }: SaidWords, turn: number): NewMemory => ({
  kind: 'evidence',
  id,
  session,
  turn,
  speaker,
  audience,
  repository,
  text: shorten(storableText(text), MEMORY_WORDS_MAX_CHARS),
});

/** Public memories are in the prompts of all conversations, so the people of one cannot change them. */
function mayChange(memory: Memory, id: string, { present, repository }: Reader): boolean {
  const known = memory.get(id, { audience: present });
  if (known === null || known.audience === 'public') return false;
  return known.repository === null || known.repository === repository;
}

const FOR_DECISION_MAX = 3;
const EVERYBODY: Reader = { present: 'public', repository: null };

/** Texts that everybody may know and that fit a text best, for decisions and for speech in the village. Never rejects. */
export async function recallPublic(memory: Pick<OwnMemory, 'search'>, text: string): Promise<readonly string[]> {
  const found = await memory.search(text, EVERYBODY, FOR_DECISION_MAX).catch(() => []);
  return found.map((each) => inOneLine(each.text));
}

/** Keeps a public entry of the diary, which the life forgets after a while. A failure costs only the entry. */
export function keepEntry(
  memory: Pick<OwnMemory, 'keepWords'>,
  { name, observations }: { readonly name: string; readonly observations: readonly string[] },
): void {
  const entry = { id: `l-${name}`, session: DIARY_SESSION, speaker: OWN_NAME, text: observations.join(' ') };
  void memory
    .keepWords([{ ...entry, audience: 'public', repository: null, mayBeOutside: false }])
    .catch(() => undefined);
}

const UNUSABLE: KeptNote = {
  refused: 'The memory of this agent cannot be opened now, so nothing was remembered.',
};

/** The memory of an agent whose store cannot be used. */
export const NO_MEMORY: OwnMemory = {
  remember: async () => UNUSABLE,
  rememberAll: async (notes) => notes.map(() => UNUSABLE),
  keepWords: async () => [],
  keepSummary: async () => {},
  forget: () => false,
  pin: () => 'no_such_memory',
  get: () => null,
  list: () => [],
  search: async () => [],
  recall: async () => ({ memories: [], outside: 0 }),
  documents: null,
  use: () => {},
};
