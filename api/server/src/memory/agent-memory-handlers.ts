import { createHash } from 'node:crypto';
import {
  CORRECTION_PREFIX,
  MEMORY_COMMANDS_OPEN_MAX,
  MEMORY_COMMANDS_PAGE_MAX,
  MEMORY_WORDS_MAX_CHARS,
  OWN_CHANGES_MAX,
} from '@hamlet/contract';
import { compareText, explainMemory, scoreOf, shorten } from '@hamlet/core';
import {
  addMemoryCommand,
  clearShownMemories,
  findAgentMemory,
  inTransaction,
  lockAgentMemory,
  matchAgentMemory,
  noteMemoryLook,
  readAgentMemory,
  readMemoryCommands,
  readMemoryState,
  readOwnChanges,
  storeMemoryReport,
  storeShownMemories,
} from '@hamlet/store';
import type { AgentMemoryRow, Db, MemoryReader, NewMemoryCommand, Tx } from '@hamlet/store';
import { z } from 'zod';
import type { AgentRecord } from '../agents/agent-source.ts';
import { recordAct } from '../audit/record-act.ts';
import { plain, inTx, type Caller, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { redactSecrets } from '../permissions/redact-secrets.ts';
import { agentMemoryView, mayChangeMemory, memoryStateView, ownChangeView } from './agent-memory-view.ts';
import type { Village } from '../village.ts';
import { reportPlace } from './report-place.ts';

const cursor = pageCursor(z.strictObject({ since: z.string().max(40), memoryId: z.string().max(64) }));

/** The reader of a request. Only admins read those of others, and the audit names them once an hour. */
async function readerOf(
  db: Db,
  caller: Caller,
  { record, whose }: { readonly record: AgentRecord; readonly whose: 'mine' | 'all' },
): Promise<Outcome<MemoryReader>> {
  const { actor } = caller;
  if (whose === 'mine') return accepted(actor.id);
  if (actor.role !== 'admin') return refused('forbidden', 'Only an admin may read memories that arose with others');
  return inTransaction(db, async (tx): Promise<Outcome<MemoryReader>> => {
    await lockAgentMemory(tx, { agentUid: record.uid, agentId: record.agentId });
    if (await noteMemoryLook(tx, record.uid, actor.id))
      await recordAct(tx, caller, { action: 'memory.look', object: record.agentId, detail: {} });
    return accepted(null);
  });
}

function listAgentMemory({ db, source }: Village): Handlers['listAgentMemory'] {
  return plain(async (request) => {
    const { params, query, actor } = request;
    const record = source.get(params.agent_id);
    if (record === null) return refused('no_such_agent');
    const reader = await readerOf(db, request, { record, whose: query.whose });
    if (!reader.ok) return reader;
    const { kind = null, memory_id: historyOf = null, run_id: runId = null } = query;
    const filter = { agentUid: record.uid, reader: reader.data, kind, historyOf, runId };
    const [state, changes] = await Promise.all([
      readMemoryState(db, record.uid),
      readOwnChanges(db, { agentUid: record.uid, byId: actor.id, limit: OWN_CHANGES_MAX }),
    ]);
    return paged(cursor, { ...query, agentUid: record.uid, reader: actor.id, list: 'memory' }, async (page) => {
      const { rows, next } = await readAgentMemory(db, filter, page);
      return {
        memories: rows.map((row) => agentMemoryView(row, actor)),
        next,
        ...memoryStateView(state),
        changes: changes.map(ownChangeView),
      };
    });
  });
}

function searchAgentMemory({ db, source }: Village): Handlers['searchAgentMemory'] {
  return plain(async (request) => {
    const { params, query, actor, now } = request;
    const record = source.get(params.agent_id);
    if (record === null) return refused('no_such_agent');
    const reader = await readerOf(db, request, { record, whose: query.whose });
    if (!reader.ok) return reader;
    const matches = await matchAgentMemory(db, { agentUid: record.uid, reader: reader.data, query: query.q });
    const best = matches[0]?.rank ?? 0;
    const found = matches
      .map(({ row, rank }) => {
        const explain = explainMemory(row, { rank, best, now });
        return { memory: agentMemoryView(row, actor), score: scoreOf(explain), explain };
      })
      .toSorted((one, other) => other.score - one.score || compareText(one.memory.memory_id, other.memory.memory_id));
    return accepted({ found: found.slice(0, query.limit) });
  });
}

interface Changing {
  readonly record: AgentRecord | null;
  readonly memoryId: string;
  /** The change of a memory by the command of a number. */
  readonly change: (number: number, row: AgentMemoryRow) => Outcome<NewMemoryCommand['change']>;
}

type Changed = { readonly memory_id: string; readonly number: number };

/** Adds a person's change to a memory that they may read. An admin may change each memory, and the audit names every change. */
async function changeMemoryOf(
  tx: Tx,
  caller: Caller,
  { record, memoryId, change }: Changing,
): Promise<Outcome<Changed>> {
  if (record === null) return refused('no_such_agent');
  const { actor } = caller;
  const agentUid = record.uid;
  const { commands, applied } = await lockAgentMemory(tx, { agentUid, agentId: record.agentId });
  const found = await changeable(tx, caller, { agentUid, memoryId });
  if (!found.ok) return found;
  if (commands - applied >= MEMORY_COMMANDS_OPEN_MAX) return refused('too_many_memory_changes', undefined, RETRY_S);
  const number = commands + 1;
  const decided = change(number, found.data);
  if (!decided.ok) return decided;
  const by = { id: actor.id, name: 'name' in actor ? actor.name : actor.role };
  await addMemoryCommand(tx, { agentUid, number, memoryId, by, change: decided.data });
  const newId = decided.data.op === 'correct' ? decided.data.newId : null;
  const detail = { memory_id: memoryId, ...(newId !== null && { new_id: newId }) };
  await recordAct(tx, caller, { action: `memory.${decided.data.op}`, object: record.agentId, detail });
  return accepted({ memory_id: newId ?? memoryId, number });
}

/** Seconds after which a sleeping agent may have applied changes. */
const RETRY_S = 60;

/** The memory, if the caller may read and change it. */
async function changeable(
  tx: Tx,
  { actor }: Caller,
  { agentUid, memoryId }: { readonly agentUid: string; readonly memoryId: string },
): Promise<Outcome<AgentMemoryRow>> {
  const reader = actor.role === 'admin' ? null : actor.id;
  const row = await findAgentMemory(tx, { agentUid, reader, memoryId });
  if (row === null) return refused('no_such_memory');
  return mayChangeMemory(actor, row.audience) ? accepted(row) : refused('memory_of_everybody');
}

function pinAgentMemory({ db, source }: Village): Handlers['pinAgentMemory'] {
  return plain((request) =>
    inTransaction(db, (tx) =>
      changeMemoryOf(tx, request, {
        record: source.get(request.params.agent_id),
        memoryId: request.params.memory_id,
        change: () => accepted({ op: 'pin', pinned: request.body.pinned }),
      }),
    ),
  );
}

function forgetAgentMemory({ db, source }: Village): Handlers['forgetAgentMemory'] {
  return plain((request) =>
    inTransaction(db, (tx) =>
      changeMemoryOf(tx, request, {
        record: source.get(request.params.agent_id),
        memoryId: request.params.memory_id,
        change: () => accepted({ op: 'forget' }),
      }),
    ),
  );
}

/** Words without secrets of known forms. The mark of a secret may be longer than the secret. */
const cleanWords = (text: string): string => shorten(redactSecrets(text), MEMORY_WORDS_MAX_CHARS);

const ID_DIGITS = 12;

/** The id of a correction, from its command: equal in the database and on the agent's volume. */
const correctionId = (agentUid: string, number: number): string =>
  `${CORRECTION_PREFIX}${createHash('sha256').update(`correction ${number} of ${agentUid}`).digest('hex').slice(0, ID_DIGITS)}`;

function correctAgentMemory({ source }: Village): Handlers['correctAgentMemory'] {
  return inTx((request, tx) => {
    const record = source.get(request.params.agent_id);
    return changeMemoryOf(tx, request, {
      record,
      memoryId: request.params.memory_id,
      change: (number, { kind, until }) => {
        if (kind !== 'fact') return refused('memory_not_correctable');
        if (until !== null) return refused('memory_replaced');
        const newId = correctionId(record?.uid ?? '', number);
        return accepted({ op: 'correct', text: cleanWords(request.body.text), newId });
      },
    });
  });
}

function syncAgentMemory({ db, source }: Village): Handlers['syncAgentMemory'] {
  return plain(async ({ params, body, actor }) => {
    if (source.get(params.agent_id) === null) return refused('no_such_agent');
    if (body.cycle !== actor.cycle) return refused('stale_cycle');
    const { mind = null, totals = null } = body;
    const agentUid = actor.uid;
    const isOfLife = body.life === undefined || body.life === agentUid;
    return inTransaction(db, async (tx) => {
      const { commands, mark } = await lockAgentMemory(tx, { agentUid, agentId: actor.agentId });
      const after = isOfLife ? Math.min(body.applied, commands) : 0;
      const ended = isOfLife ? body.refused : [];
      await storeMemoryReport(tx, { agentUid, applied: after, refused: ended, mind, totals });
      const place = reportPlace(body, mark);
      const memories = body.memories.map((memory) => ({ ...memory, text: cleanWords(memory.text) }));
      const isStored = typeof place === 'object' && (!place.begins || (await clearShownMemories(tx, agentUid)));
      if (isStored) await storeShownMemories(tx, { agentUid, ...place, memories, gone: body.gone });
      const waiting = await readMemoryCommands(tx, { agentUid, after, limit: MEMORY_COMMANDS_PAGE_MAX + 1 });
      return accepted({
        commands: waiting.slice(0, MEMORY_COMMANDS_PAGE_MAX),
        more: waiting.length > MEMORY_COMMANDS_PAGE_MAX,
        life: agentUid,
        // A large copy is cleared in several requests.
        begin: place !== 'none' && !isStored,
      });
    });
  });
}

export function agentMemoryHandlers(village: Village) {
  return {
    listAgentMemory: listAgentMemory(village),
    searchAgentMemory: searchAgentMemory(village),
    pinAgentMemory: pinAgentMemory(village),
    correctAgentMemory: correctAgentMemory(village),
    forgetAgentMemory: forgetAgentMemory(village),
    syncAgentMemory: syncAgentMemory(village),
  } satisfies Partial<Handlers>;
}
