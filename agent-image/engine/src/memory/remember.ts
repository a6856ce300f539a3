import { mayAllKnow } from './audience.ts';
import { MAX_PINNED } from './limits.ts';
import type { Audience, Fact, NewFact, NewMemory, RefusalReason, RememberResult, Taint } from './memory.ts';
import { faultOf } from './new-memory.ts';
import { fingerprintOf, isSameFact } from './sameness.ts';
import type { Row } from './store/memory-table.ts';
import { insertMemory, type Parts } from './store/parts.ts';
import { hasTombstone } from './store/tombstones.ts';
import { weightOf } from './store/words/word-index.ts';
import { wordsOf } from './text/words.ts';
import { importanceOf, isWorthKeeping } from './text/worth.ts';

/** Maximum number of facts about the same subject that a new fact is compared with. */
const MAX_COMPARED = 64;
/** Maximum number of corrections of one fact that are followed to the last. */
const MAX_CORRECTIONS = 1_000;

type Storing = Readonly<{
  now: number;
  /** An id for a memory without one. */
  nextId: () => string;
  /** Makes room for one more memory; false if the store is full. */
  makeRoom: () => boolean;
}>;

/** A memory with its quantized vector; null until it is embedded. */
export type Entry = Readonly<{ memory: NewMemory; vector: Uint8Array | null }>;

/** Stores one memory, or says why not. Its caller has a transaction open. */
export function store(parts: Parts, entry: Entry, how: Storing): RememberResult {
  const { memory, vector } = entry;
  const known = refusalOf(parts, memory) ?? knownOf(parts, entry, how.now);
  if (known !== null) return known;
  const sources = memory.kind === 'fact' ? sourcesOf(parts, memory) : NO_SOURCES;
  if ('outcome' in sources) return sources;
  if (!how.makeRoom()) return refused('full', 'The memory is full of facts and pinned memories. Forget some of them.');
  const importance = memory.importance ?? importanceIn(parts, memory);
  const pinned = memory.pinned === true && mayPin(parts, memory.audience);
  const row = rowOf(memory, { ...sources, importance, pinned }, how);
  insertMemory(parts, row, vector);
  if (row.kind === 'fact' && row.supersedes !== null) parts.table.supersede(row.supersedes, row.id, row.validFrom);
  return { outcome: 'remembered', id: row.id };
}

/** True if the people of an audience may pin one more memory. Each audience has a limit of its own. */
export const mayPin = ({ table, audiences }: Parts, audience: Audience): boolean =>
  table.pinned(audiences.numberOf(audience)) < MAX_PINNED;

const refused = (reason: RefusalReason, detail: string): RememberResult => ({ outcome: 'refused', reason, detail });

function refusalOf({ database, table }: Parts, memory: NewMemory): RememberResult | null {
  const fault = faultOf(memory);
  if (fault !== null) return refused('invalid', fault);
  if (memory.id !== undefined && hasTombstone(database, memory.id))
    return refused('forgotten', `${memory.id} was forgotten.`);
  if (memory.id !== undefined && table.find(memory.id) !== null) return { outcome: 'known', id: memory.id };
  const isWorth = isCorrection(memory) ? memory.text.trim() !== '' : isWorthKeeping(memory.text);
  if (!isWorth) return refused('low_value', 'The text says nothing that could be recalled.');
  return null;
}

const isCorrection = (memory: NewMemory): boolean => memory.kind === 'fact' && (memory.supersedes ?? null) !== null;

/**
 * Counts the repetition of a memory that says the same to the same people. A correction is always stored: what it corrects must end,
 * even if another fact says the same.
 */
function knownOf(parts: Parts, { memory, vector }: Entry, now: number): RememberResult | null {
  if (isCorrection(memory)) return null;
  const { table, audiences } = parts;
  const audience = audiences.numberOf(memory.audience);
  const same =
    table.sameAs(fingerprintOf(memory), audience, now) ??
    (memory.kind === 'fact' && vector !== null ? similarFact(parts, { fact: memory, vector, audience, now }) : null);
  if (same === null) return null;
  table.repeat(same.seq, memory.at ?? now);
  if (memory.pinned === true && mayPin(parts, same.memory.audience)) table.pin(same.memory.id, true);
  return { outcome: 'known', id: same.memory.id };
}

type Compared = Readonly<{ fact: NewFact; vector: Uint8Array; audience: number; now: number }>;

function similarFact({ table, vectors }: Parts, { fact, vector, audience, now }: Compared): Row | null {
  const rows = table.factsAbout({ ...fact, now }, audience, MAX_COMPARED);
  if (rows.length === 0) return null;
  const likeness = vectors.likeness(
    vector,
    rows.map(({ seq }) => seq),
  );
  const isSame = ({ seq, memory }: Row): boolean =>
    isSameFact(fact, { text: memory.text, likeness: likeness.get(seq) ?? 0 });
  return rows.find(isSame) ?? null;
}

type Sources = Readonly<{ supersedes: string | null; taint: Taint }>;

const NO_SOURCES: Sources = { supersedes: null, taint: 'none' };

/** A fact takes from its provenance the taint, and the last correction of the fact that it corrects. */
function sourcesOf({ table }: Parts, fact: NewFact): Sources | RememberResult {
  const sources = (fact.provenance ?? []).map((id) => ({ id, memory: table.find(id)?.memory }));
  const hidden = sources.find(({ memory }) => memory === undefined || !mayAllKnow(memory.audience, fact.audience));
  if (hidden !== undefined)
    return refused('no_such_memory', `The people of this fact may not all see ${hidden.id}. Name other provenance.`);
  const taint = sources.some(({ memory }) => memory?.taint === 'outside') ? 'outside' : 'none';
  const corrected = fact.supersedes ?? null;
  if (corrected === null) return { supersedes: null, taint };
  const last = lastCorrection(table, corrected);
  if (last === null || !mayAllKnow(fact.audience, last.audience))
    return refused('no_such_memory', `${corrected} is not a fact, or some of its people may not see this one.`);
  return { supersedes: last.id, taint };
}

function lastCorrection(table: Parts['table'], id: string): Fact | null {
  let found = table.find(id)?.memory;
  for (let steps = 0; steps < MAX_CORRECTIONS && found?.kind === 'fact'; steps += 1) {
    if (found.supersededBy === null) return found;
    found = table.find(found.supersededBy)?.memory;
  }
  return null;
}

/** A fact was worth making, so it is of at least this importance. */
const LEAST_FOR_FACTS = 0.5;

function importanceIn({ table, words }: Parts, { kind, text }: NewMemory): number {
  const said = [...new Set(wordsOf(text))];
  const size = table.size();
  const known = new Map(words.termsOf(said, size).map(({ word, weight }) => [word, weight]));
  const surprises = said.map((word) => (known.get(word) ?? Number.POSITIVE_INFINITY) / weightOf(0, size));
  return Math.max(kind === 'fact' ? LEAST_FOR_FACTS : 0, importanceOf(text, surprises));
}

type Made = Sources & Readonly<{ importance: number; pinned: boolean }>;

function rowOf(memory: NewMemory, made: Made, { now, nextId }: Storing) {
  const at = memory.at ?? now;
  const common = {
    id: memory.id ?? nextId(),
    text: memory.text,
    audience: memory.audience,
    importance: made.importance,
    repository: memory.repository ?? null,
    at,
    lastSaidAt: at,
    lastUsedAt: null,
    uses: 0,
    repeats: 0,
    state: 'active' as const,
    taint: memory.taint === 'outside' ? ('outside' as const) : made.taint,
    pinned: made.pinned,
    fingerprint: fingerprintOf(memory),
  };
  if (memory.kind === 'fact') return { ...common, ...factOf(memory, made.supersedes, at) };
  const { kind, session, turn, speaker, layer = 'conversation' } = memory;
  return { ...common, kind, session, turn, speaker, layer };
}

function factOf({ subject, layer, provenance, ...fact }: NewFact, supersedes: string | null, at: number) {
  const [validFrom, validTo] = [fact.validFrom ?? at, fact.validTo ?? null];
  return {
    kind: 'fact' as const,
    layer: layer ?? 'profile',
    provenance: provenance ?? [],
    subject,
    validFrom,
    validTo,
    supersedes,
    supersededBy: null,
  };
}
