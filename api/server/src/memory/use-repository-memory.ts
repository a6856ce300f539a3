import { createHash } from 'node:crypto';
import type { CallInput, MemoryChange, useRepositoryMemory as route } from '@hamlet/contract';
import { ABOUT_MAX_CHARS, ENTRY_NAME_MAX_CHARS, NOTE_TYPE, OBSERVATION_MAX_CHARS } from '@hamlet/contract';
import { asAudience, changeMemory, isOutside, mayAllKnow } from '@hamlet/core';
import type { ChangedMemory, MemoryAudience, PlacedChange } from '@hamlet/core';
import type { RunRow, Tx } from '@hamlet/store';
import {
  countMemoryWrites,
  hasRoomForMemory,
  inTransaction,
  lockRepositoryMemory,
  readMemoryVersion,
  readPeopleOfRun,
  readRepositoryMemory,
  taintRun,
  writeRepositoryMemory,
} from '@hamlet/store';
import { recordAct, type Acting } from '../audit/record-act.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { lockWork } from '../permissions/ask-permission.ts';
import { redactSecrets } from '../permissions/redact-secrets.ts';
import { workPlaceOf } from '../runs/repository/work-place.ts';
import { entryView } from './entry-view.ts';
import { memoryKey } from './memory-key.ts';
import type { Village } from '../village.ts';

type Body = CallInput<typeof route>['body'];

/**
 * Changes and reads the memory of a run's repository. The API takes the repository from the session or the Agent, and the people from
 * the session, never from the request. Returning outside text marks the run as tainted. Refused if a reader or the author of the run
 * may not read the memory.
 */
export function useRepositoryMemory(village: Village): Handlers['useRepositoryMemory'] {
  return plain((request) =>
    inTransaction(village.db, async (tx) => {
      const held = await lockWork(tx, request);
      if (!held.ok) return held;
      const run = held.data;
      const found = await memoryOf(tx, run, village);
      if (!found.ok) return found;
      const used = { run, ...found.data };
      const { changes = [], left = false, read = 'own' } = request.body;
      const changed = await change(tx, used, { changes, left, acting: request });
      if (!changed.ok) return changed;
      const version = await readMemoryVersion(tx, used.repository);
      const { results } = changed.data;
      if (read === 'none') return accepted({ version, results: [...results], entries: [], outside: 0 });
      const shown = await show(tx, used, read);
      return accepted({ version, results: [...results], ...shown });
    }),
  );
}

/** The memory of a repository, and for whom a run uses it. */
interface UsedMemory {
  readonly repository: string;
  /** The people of the session now and the author of the run, who read what it recalls; none for a run without a session. */
  readonly present: readonly string[];
  /** The people who may know what arises in the run: those present since before it was given. Null for a run without a session. */
  readonly audience: MemoryAudience;
}

/** The memory of the repository in which a run works. A run without a session works in that of its Agent, which all members may use. */
async function memoryOf(tx: Tx, run: RunRow, { source, refuseRepositoryTo }: Village): Promise<Outcome<UsedMemory>> {
  const { repository: place = null } = await workPlaceOf(tx, run, source.get(run.agentId));
  const repository = place === null ? null : memoryKey(place.url);
  if (place === null || repository === null) return refused('no_repository');
  const { runId, sessionId, createdById } = run;
  if (sessionId === null) return accepted({ repository, present: [], audience: null });
  const people = await readPeopleOfRun(tx, { runId, sessionId, createdById });
  const present = people.map(({ id }) => id);
  const audience = asAudience(people.filter(({ joinedLater }) => !joinedLater).map(({ id }) => id));
  return refuseRepositoryTo(place.url, people) ?? accepted({ repository, present, audience });
}

type Using = UsedMemory & { readonly run: RunRow };

const NO_CHANGE: ChangedMemory = { results: [], written: [], forgotten: [] };

async function change(
  tx: Tx,
  { run, repository, present, audience }: Using,
  { changes, left, acting }: Readonly<{ changes: NonNullable<Body['changes']>; left: boolean; acting: Acting }>,
): Promise<Outcome<Pick<ChangedMemory, 'results'>>> {
  if (changes.length === 0) return accepted(NO_CHANGE);
  if (run.safeMode !== null) return refused('policy_denied', 'A run in a safe mode cannot change the memory');
  await lockRepositoryMemory(tx, repository);
  const before = await readRepositoryMemory(tx, repository);
  const outside = left || run.taint !== null;
  const writer = { agentId: run.agentId, runId: run.runId, outside, audience, present };
  const placed = changes.map(redacted).map((asked) => place(asked, audience));
  const changed = changeMemory(before, placed, writer);
  const writes = changed.written.length + changed.forgotten.length;
  if (writes === 0) return accepted(changed);
  if (!(await hasRoomForMemory(tx, repository))) return refused('too_many_memories');
  const waitS = await countMemoryWrites(tx, run.agentId, writes);
  if (waitS !== null) return refused('memory_writes_limited', undefined, waitS);
  await writeRepositoryMemory(tx, repository, changed);
  if (changed.forgotten.length > 0) {
    const detail = { run_id: run.runId, memory_ids: changed.forgotten };
    await recordAct(tx, acting, { action: 'memory.forget', object: repository, detail });
  }
  return accepted(changed);
}

function redacted(asked: MemoryChange): MemoryChange {
  switch (asked.op) {
    case 'add': {
      const { name, type, observations, about } = asked;
      const words = { name: clean(name), type: clean(type), observations: observations.map(cleanText) };
      return { op: 'add', ...words, ...(about === undefined ? {} : { about: clean(about, ABOUT_MAX_CHARS) }) };
    }
    case 'relate':
      return { op: 'relate', from: clean(asked.from), to: clean(asked.to), type: clean(asked.type) };
    case 'drop':
      return { ...asked, observations: asked.observations.map(cleanText) };
    case 'forget':
    case 'pin':
      return asked;
  }
}

/** The mark of a secret may be longer than the secret. */
const clean = (text: string, maxChars = ENTRY_NAME_MAX_CHARS): string =>
  [...redactSecrets(text)].slice(0, maxChars).join('');
const cleanText = (text: string): string => clean(text, OBSERVATION_MAX_CHARS);

const NOTE_ID = /^m-[0-9a-f]{12}$/;
const ID_DIGITS = 12;

/** An entity or a relation has one id for each audience, so that one name may stand for several entries. */
function place(asked: MemoryChange, audience: MemoryAudience): PlacedChange {
  const known = audience === null ? [] : [audience];
  switch (asked.op) {
    case 'add': {
      const isNote = asked.type === NOTE_TYPE && NOTE_ID.test(asked.name);
      return { ...asked, memory_id: isNote ? asked.name : idOf('entity', asked.name, ...known) };
    }
    case 'relate':
      return { ...asked, memory_id: idOf('relation', asked.from, asked.to, asked.type, ...known) };
    default:
      return asked;
  }
}

const idOf = (...parts: readonly (string | readonly string[])[]): string =>
  `m-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, ID_DIGITS)}`;

/** The entries that all people present may know, and how many of them were omitted. */
async function show(tx: Tx, { run, repository, present }: Using, read: 'own' | 'all') {
  const all = (await readRepositoryMemory(tx, repository)).filter(({ audience }) => mayAllKnow(audience, present));
  const foreign = all.filter((entry) => isOutside(entry, run.agentId));
  const [first] = foreign;
  if (read === 'all' && first !== undefined)
    await taintRun(tx, { runId: run.runId, source: 'memory', detail: first.memoryId });
  const entries = read === 'all' ? all : all.filter((entry) => !isOutside(entry, run.agentId));
  return {
    entries: entries.map((entry) => entryView(entry, run.agentId)),
    outside: read === 'all' ? 0 : foreign.length,
  };
}
