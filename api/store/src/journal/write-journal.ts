import type { JournalEntry, JournalPayload } from '@hamlet/contract';
import { JOURNAL_SALT_REF, JournalRef, storableText } from '@hamlet/contract';
import type { LastEntry, Projection } from '@hamlet/core';
import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import type { RunRow } from '../runs/run-row.ts';

/** Maximum bytes of journal entries and texts of one life of an agent. */
export const JOURNAL_MAX_BYTES = 64 << 20;
/** Number of ended runs whose journals are deleted at a time to make room, oldest first. */
const FREED_AT_ONCE = 20;
/** Maximum number of text references in one entry: an answer with 64 calls has 65. */
const REFS_MAX = 128;
const DEPTH_MAX = 4;

/** The references in an event of any kind: every string of their form. */
function refsIn(value: unknown, depth = DEPTH_MAX): readonly string[] {
  if (typeof value === 'string') return JournalRef.safeParse(value).success ? [value] : [];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  const found = Object.values(value).flatMap((part) => refsIn(part, depth - 1));
  return [...new Set(found)].slice(0, REFS_MAX);
}

export interface ComparedJournal {
  /** New entries, in the order of the request. */
  readonly fresh: readonly JournalEntry[];
  /** A place whose stored entry differs from the request; null if there is none. */
  readonly differsAt: number | null;
  /** The newest stored entry of the run. */
  readonly last: LastEntry | null;
}

interface StoredEntries {
  /** The stored entries at the places of the request. */
  readonly sent: readonly { readonly seq: number; readonly same: boolean }[];
  readonly last: LastEntry | null;
}

/** Compares entries with the stored journal of the run's agent. The caller has locked the run. */
export async function compareJournal(tx: Tx, run: RunRow, entries: readonly JournalEntry[]): Promise<ComparedJournal> {
  const { rows } = await sql<StoredEntries>`
    select
      (select coalesce(jsonb_agg(jsonb_build_object(
          'seq', stored.seq, 'same', stored.run_id = ${run.runId} and stored.event = sent.event)), '[]')
        from unnest(${entries.map(({ seq }) => seq)}::bigint[], ${eventsOf(entries)}::jsonb[]) as sent (seq, event)
        join journal_entry as stored on stored.agent_uid = ${run.agentUid} and stored.seq = sent.seq) as sent,
      (select jsonb_build_object('seq', seq, 'fence', (event ->> 'fence')::bigint, 'type', event ->> 'type')
        from journal_entry where run_id = ${run.runId} order by seq desc limit 1) as last`.execute(tx);
  const { sent, last } = rows[0] ?? { sent: [], last: null };
  const stored = new Set(sent.map(({ seq }) => seq));
  return {
    fresh: entries.filter(({ seq }) => !stored.has(seq)),
    differsAt: sent.find(({ same }) => !same)?.seq ?? null,
    last,
  };
}

const eventsOf = (entries: readonly JournalEntry[]): readonly string[] =>
  entries.map(({ event }) => JSON.stringify(event));

interface NewJournal {
  readonly fresh: readonly JournalEntry[];
  readonly payloads: readonly JournalPayload[];
}

/** Makes room for new entries, and locks the size of the journal. False if only unfinished runs are left. */
export async function makeRoom(tx: Tx, run: RunRow, { fresh, payloads }: NewJournal): Promise<boolean> {
  const texts = [...eventsOf(fresh), ...payloads.map(({ text }) => text)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  let size = await lockSize(tx, run.agentUid);
  while (size + bytes > JOURNAL_MAX_BYTES) {
    if (!(await dropOldest(tx, run.agentUid))) return false;
    size = await lockSize(tx, run.agentUid);
  }
  return true;
}

async function lockSize(tx: Tx, agentUid: string): Promise<number> {
  const { bytes } = await tx
    .insertInto('journal_size')
    .values({ agent_uid: agentUid, bytes: 0 })
    .onConflict((conflict) => conflict.column('agent_uid').doUpdateSet({ bytes: sql`journal_size.bytes` }))
    .returning('bytes')
    .executeTakeFirstOrThrow();
  return bytes;
}

/** Deletes the journals of the oldest ended runs of a life. False if there are none. */
async function dropOldest(tx: Tx, agentUid: string): Promise<boolean> {
  const { rows } = await sql<{ readonly runId: string }>`
    select run_id as "runId" from run where agent_uid = ${agentUid} and state in ('done', 'failed', 'cancelled')
      and (exists (select from journal_entry where journal_entry.run_id = run.run_id)
        or exists (select from payload where payload.run_id = run.run_id))
    order by run_id limit ${FREED_AT_ONCE}`.execute(tx);
  const ids = rows.map(({ runId }) => runId);
  if (ids.length === 0) return false;
  await tx.deleteFrom('journal_entry').where('run_id', 'in', ids).execute();
  await tx.deleteFrom('payload').where('run_id', 'in', ids).execute();
  return true;
}

/** Stores new entries and texts. An existing text stays unchanged, and belongs to the newest run that refers to it. */
export async function insertJournal(tx: Tx, run: RunRow, { fresh, payloads }: NewJournal): Promise<void> {
  const refs = fresh.map(({ event }) => refsIn(event));
  await insertPayloads(tx, run, payloads);
  await tx
    .updateTable('payload')
    .set({ run_id: run.runId })
    .where('agent_uid', '=', run.agentUid)
    .where('ref', '=', sql<string>`any(${[...new Set([JOURNAL_SALT_REF, ...refs.flat()])]}::text[])`)
    .where('run_id', '<>', run.runId)
    .execute();
  if (fresh.length === 0) return;
  await tx
    .insertInto('journal_entry')
    .values(
      fresh.map(({ seq, event }, index) => {
        const text = JSON.stringify(event);
        return {
          agent_uid: run.agentUid,
          seq,
          run_id: run.runId,
          event: text,
          refs: [...(refs[index] ?? [])],
          bytes: Buffer.byteLength(text),
        };
      }),
    )
    .execute();
}

async function insertPayloads(tx: Tx, run: RunRow, payloads: readonly JournalPayload[]): Promise<void> {
  const texts = [...new Map(payloads.map(({ ref, text }) => [ref, storableText(text)]))];
  if (texts.length === 0) return;
  await tx
    .insertInto('payload')
    .values(
      texts.map(([ref, text]) => ({
        agent_uid: run.agentUid,
        ref,
        run_id: run.runId,
        text,
        bytes: Buffer.byteLength(text),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Adds the public events of new entries to a locked run, with the usage that they show. */
export async function addClaims(tx: Tx, run: RunRow, { events, model, used }: Projection): Promise<void> {
  if (events.length > 0)
    await tx
      .insertInto('run_event')
      .values(
        events.map(({ event, detail }, index) => ({
          run_id: run.runId,
          number: run.events + index + 1,
          event,
          detail: JSON.stringify(detail),
          witnessed: false,
        })),
      )
      .execute();
  await tx
    .updateTable('run')
    .set({
      events: run.events + events.length,
      model,
      steps: sql`steps + ${used.steps}::integer`,
      claimed_tokens: sql`claimed_tokens + ${used.tokens}::bigint`,
      claimed_cost_micros: sql`claimed_cost_micros + ${used.costMicros}::bigint`,
    })
    .where('run_id', '=', run.runId)
    .execute();
}

/** Deletes texts of a life permanently. Events that refer to them stay, and the texts cannot be stored again. */
export async function forgetTexts(tx: Tx, agentUid: string, refs: readonly string[]): Promise<void> {
  await lockSize(tx, agentUid);
  await tx
    .updateTable('payload')
    .set({ text: null, bytes: 0, forgotten_at: sql`now()` })
    .where('agent_uid', '=', agentUid)
    .where('ref', '=', sql<string>`any(${[...refs]}::text[])`)
    .where('text', 'is not', null)
    .execute();
}
