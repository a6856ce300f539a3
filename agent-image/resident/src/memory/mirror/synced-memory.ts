import {
  CORRECTION_PREFIX,
  MEMORY_AUDIENCE_MAX,
  MEMORY_WORDS_MAX_CHARS,
  storableText,
} from '@hamlet/contract/resident';
import type { MindState, SyncedMemory } from '@hamlet/contract';
import { shorten } from '@hamlet/core/shorten';
import type { Audience, Evidence, Memory, Remembered, Source } from '@hamlet/engine/memory';
import { documentSize } from '../document-size.ts';
import { DIARY_SESSION, NO_SUBJECT } from '../remembered.ts';
import { isLearned } from '../reading/facts-read.ts';

const GOAL_MAX_CHARS = 500;
const PLAN_MAX_CHARS = 1_000;

/** A memory as the API shows it; a learned fact names the conversation with the words that it was made from. */
export const syncedFrom = (memory: Pick<Memory, 'get'>, each: Remembered): SyncedMemory =>
  syncedOf(each, conversationOf(memory, each));

function conversationOf(memory: Pick<Memory, 'get'>, known: Remembered): string | null {
  if (known.kind !== 'fact' || !isLearned(known)) return null;
  const [source = ''] = known.provenance;
  const words = memory.get(source, { audience: 'keeper' });
  return words?.kind === 'evidence' ? sessionOf(words) : null;
}

/** A memory as the API shows it, with the conversation of a fact. Pure. */
function syncedOf(memory: Remembered, conversation: string | null): SyncedMemory {
  const { id, text, audience, repository, at, taint, importance, pinned, uses, lastUsedAt, state } = memory;
  const shared = {
    memory_id: id,
    text: storable(text, MEMORY_WORDS_MAX_CHARS),
    audience: syncedAudience(audience),
    repository,
    outside: taint === 'outside',
    importance,
    pinned,
    uses,
    used_at: lastUsedAt === null ? null : timeOf(lastUsedAt),
    dormant: state === 'dormant',
    run_id: RUN_IN_ID.exec(id)?.[1] ?? null,
  };
  if (memory.kind === 'evidence') {
    const isDiary = memory.session === DIARY_SESSION;
    const session = sessionOf(memory);
    const own = { corrected: false, about: null, until: null, replaces: null, since: timeOf(at) };
    const speaker = storableText(memory.speaker);
    return { ...shared, ...own, kind: isDiary ? 'diary' : 'evidence', speaker, session_id: session };
  }
  const { subject, validFrom, validTo, supersedes } = memory;
  return {
    ...shared,
    kind: 'fact',
    about: subject === NO_SUBJECT ? null : storableText(subject),
    speaker: null,
    corrected: id.startsWith(CORRECTION_PREFIX),
    since: timeOf(validFrom),
    until: validTo === null ? null : timeOf(validTo),
    replaces: supersedes,
    session_id: conversation,
  };
}

/** A large audience is cut, so that fewer people read the copy than may know the memory. */
const syncedAudience = (audience: Audience): SyncedMemory['audience'] =>
  audience === 'public' ? null : audience.slice(0, MEMORY_AUDIENCE_MAX);

/** The speaker of the entry that stands for the documents of a folder. */
const DOCUMENTS = 'documents';

/** The documents of a folder, as one entry that people see and forget. Pure. */
export const syncedSource = ({
  id,
  name,
  files,
  chunks,
  audience,
  repository,
  taint,
  since,
}: Source): SyncedMemory => ({
  memory_id: id,
  kind: 'evidence',
  text: storable(`${name}: ${documentSize({ files, chunks })}`, MEMORY_WORDS_MAX_CHARS),
  audience: syncedAudience(audience),
  repository,
  outside: taint === 'outside',
  importance: 1,
  pinned: false,
  uses: 0,
  used_at: null,
  dormant: false,
  run_id: null,
  corrected: false,
  about: null,
  until: null,
  replaces: null,
  since: timeOf(since),
  speaker: DOCUMENTS,
  session_id: null,
});

/** Goal and plan as the API shows them. Pure. */
export const syncedMind = ({ goal, plan }: MindState): MindState => ({
  goal: goal === null ? null : storable(goal, GOAL_MAX_CHARS) || null,
  plan: plan === null ? null : storable(plan, PLAN_MAX_CHARS) || null,
});

/** One text that Postgres cannot store would keep all others from the people. */
const storable = (text: string, maxChars: number): string => shorten(storableText(text), maxChars);

const timeOf = (ms: number): string => new Date(ms).toISOString();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const sessionOf = ({ session }: Pick<Evidence, 'session'>): string | null => (UUID.test(session) ? session : null);
/** Words, entries of the diary and learned facts have the id of their run. */
const RUN_IN_ID = /^[edf]-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:-|$)/;
