import { villageTool, type JournalEntry, type JournalPayload } from '@hamlet/contract';
import { callsIn, callsOf, contradictionIn, projectClaims, type ProjectedEvent } from '@hamlet/core';
import type { ComparedJournal, RunRow, Tx } from '@hamlet/store';
import {
  addClaims,
  compareJournal,
  findRun,
  inTransaction,
  insertJournal,
  lockRun,
  makeRoom,
  readJournalPage,
  readNamedCalls,
  readWitnessedCalls,
  recordAudits,
  type AuditEntry,
} from '@hamlet/store';
import { lineOf, type Acting } from '../audit/record-act.ts';
import { callerOf, plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { applyToHeldRun } from './apply-to-run.ts';
import { reportRun } from './report-run.ts';
import { permitWork } from './work-handlers.ts';
import type { Village } from '../village.ts';

interface SentJournal {
  readonly entries: readonly JournalEntry[];
  readonly payloads: readonly JournalPayload[];
}

function contradiction({ runId }: RunRow, { fresh, differsAt, last }: ComparedJournal): string | null {
  if (differsAt !== null) return `The stored journal has another entry at ${differsAt}`;
  return contradictionIn(runId, fresh, last);
}

/**
 * A run with this many events adds no further claims to the audit: claims cost its agent nothing, and acts stay
 * permanently.
 */
const AUDITED_EVENTS_MAX = 2_000;

/**
 * The audit of calls that ended in the pod alone, such as `remember` or the tools of a program: the API records all
 * others itself. Reads of the village's own tools are left out. Pure except for the ids.
 */
function actsOf(run: RunRow, events: readonly ProjectedEvent[], acting: Acting): readonly AuditEntry[] {
  if (run.events >= AUDITED_EVENTS_MAX) return [];
  return events.flatMap(({ event, detail }) => {
    const { tool, call_id: callId, outcome } = detail;
    if (event !== 'call_settled' || typeof tool !== 'string' || typeof callId !== 'string') return [];
    if (villageTool(tool)?.effect === 'read') return [];
    const act = { action: 'run.call', object: run.agentId, detail: { tool, outcome, claimed: true } };
    return [lineOf({ ...acting, call: { runId: run.runId, callId } }, act)];
  });
}

interface Storing {
  readonly compared: ComparedJournal;
  readonly payloads: SentJournal['payloads'];
  readonly acting: Acting;
}

async function store(
  tx: Tx,
  run: RunRow,
  { compared, payloads, acting }: Storing,
): Promise<Outcome<{ readonly stored_through: number }>> {
  const { fresh, last } = compared;
  const contradicts = contradiction(run, compared);
  if (contradicts !== null) return refused('journal_diverged', contradicts);
  if (!(await makeRoom(tx, run, { fresh, payloads }))) return refused('journal_full');
  await insertJournal(tx, run, { fresh, payloads });
  const { ids, unnamed } = callsIn(fresh);
  const projection = projectClaims(fresh, {
    model: run.model,
    calls: callsOf(unnamed.length === 0 ? [] : await readNamedCalls(tx, run.runId)),
    witnessed: await readWitnessedCalls(tx, run.runId, ids),
    events: run.events,
  });
  if (fresh.length > 0) {
    await addClaims(tx, run, projection);
    await recordAudits(tx, actsOf(run, projection.events, acting));
    const { events, used } = projection;
    await reportRun(tx, { ...run, events: run.events + events.length, steps: run.steps + used.steps }, false);
  }
  return accepted({ stored_through: fresh.at(-1)?.seq ?? last?.seq ?? 0 });
}

function storeRunJournal({ db, watch }: Village): Handlers['storeRunJournal'] {
  return plain(async (request) => {
    const { params, body, actor } = request;
    const { cycle, attempt, ...sent } = body;
    const outcome = await inTransaction(db, async (tx) => {
      const run = await lockRun(tx, params.run_id);
      if (run === null) return refused('no_such_run');
      const denied = permitWork(actor, cycle)(run);
      if (denied !== null) return denied;
      const compared = await compareJournal(tx, run, sent.entries);
      const kind = compared.fresh.length > 0 ? 'journal' : 'renew';
      const held = await applyToHeldRun(tx, run, { command: { kind, cycle, attempt }, words: {} });
      return held.ok ? store(tx, run, { compared, payloads: sent.payloads, acting: callerOf(request) }) : held;
    });
    if (outcome.ok) watch.hint(params.run_id);
    return outcome;
  });
}

/** The first attempt at an answer, because a program's output is streamed under no other number. */
const ONLY_ATTEMPT = 1;

function publishRunWords({ db, deltas }: Village): Handlers['publishRunWords'] {
  return plain(async ({ params: { run_id: runId }, body, actor }) => {
    const { cycle, attempt: lease, ask, text } = body;
    const run = await findRun(db, runId);
    if (run === null) return refused('no_such_run');
    const denied = permitWork(actor, cycle)(run);
    if (denied !== null) return denied;
    const source = { runId, agentUid: actor.uid, cycle, lease, ask, attempt: ONLY_ATTEMPT };
    const opened = await deltas.open(source);
    if (opened.kind === 'refused') return refused(opened.reason === 'not_running' ? 'claim_lapsed' : opened.reason);
    opened.publisher.publish(text);
    opened.publisher.close();
    return accepted({});
  });
}

export function journalHandlers(village: Village) {
  const { db, source } = village;
  return {
    storeRunJournal: storeRunJournal(village),
    publishRunWords: publishRunWords(village),
    readJournal: plain(async ({ params, query, actor }) => {
      if (source.get(params.agent_id) === null) return refused('no_such_agent');
      const { entries, payloads, next } = await readJournalPage(db, actor.uid, query);
      return accepted({ entries: [...entries], payloads: [...payloads], next });
    }),
  } satisfies Partial<Handlers>;
}
