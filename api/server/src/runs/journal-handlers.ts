import type { JournalEntry, JournalPayload } from '@hamlet/contract';
import { callsIn, callsOf, contradictionIn, projectClaims } from '@hamlet/core';
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
} from '@hamlet/store';
import { plain, type Handlers } from '../http/handler.ts';
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

async function store(
  tx: Tx,
  run: RunRow,
  { compared, payloads }: { readonly compared: ComparedJournal; readonly payloads: SentJournal['payloads'] },
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
    const { events, used } = projection;
    await reportRun(tx, { ...run, events: run.events + events.length, steps: run.steps + used.steps }, false);
  }
  return accepted({ stored_through: fresh.at(-1)?.seq ?? last?.seq ?? 0 });
}

function storeRunJournal({ db, watch }: Village): Handlers['storeRunJournal'] {
  return plain(async ({ params, body: { cycle, attempt, ...sent }, actor }) => {
    const outcome = await inTransaction(db, async (tx) => {
      const run = await lockRun(tx, params.run_id);
      if (run === null) return refused('no_such_run');
      const denied = permitWork(actor, cycle)(run);
      if (denied !== null) return denied;
      const compared = await compareJournal(tx, run, sent.entries);
      const kind = compared.fresh.length > 0 ? 'journal' : 'renew';
      const held = await applyToHeldRun(tx, run, { command: { kind, cycle, attempt }, words: {} });
      return held.ok ? store(tx, run, { compared, payloads: sent.payloads }) : held;
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
