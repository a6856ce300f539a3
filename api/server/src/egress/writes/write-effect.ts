import {
  EGRESS_TOOLS,
  type CallOutcome,
  type EgressEnd,
  type EgressWrite,
  RUN_EVENT_TEXT_MAX_CHARS,
} from '@hamlet/contract';
import type { BegunEgressWrite, Db, EffectRow, RunRow, Tx } from '@hamlet/store';
import {
  endPermission,
  findBegunEgressWrites,
  insertEffect,
  inTransaction,
  lockEffect,
  lockRun,
  noteRunEvent,
  readLateWrites,
  settleEffect,
  writeCallId,
} from '@hamlet/store';
import { shorten } from '@hamlet/core';
import { actingAs, recordAct } from '../../audit/record-act.ts';
import type { CallArguments } from '../../permissions/call-arguments.ts';
import { redactSecrets } from '../../permissions/redact-secrets.ts';
import { itemByItem } from '../../service/item-by-item.ts';
import { job, type Job } from '../../service/jobs.ts';
import type { Log } from '../../service/log.ts';
import { UNKNOWN, writeOutcome } from './write-text.ts';

const EVERY_MS = 60_000;
/** The broker reports the end of a write at once. After this time, the broker or its report is lost. */
const LATE_S = 3600;

interface WritePorts {
  readonly db: Db;
  readonly log: Log;
}

interface Beginning {
  readonly request: { readonly body: EgressWrite };
  readonly args: CallArguments;
  readonly run: RunRow;
  readonly permissionId: string | null;
  readonly policyVersion: string;
}

export async function beginWrite(
  tx: Tx,
  { request, args, run, permissionId, policyVersion }: Beginning,
): Promise<void> {
  const { body } = request;
  const tool = EGRESS_TOOLS[body.kind];
  const callId = writeCallId(body.ask);
  if (permissionId !== null) await endPermission(tx, permissionId, 'consumed');
  const { runId, agentId, agentUid, attempt } = run;
  const { cycle } = body;
  await insertEffect(
    tx,
    { runId, callId, agentId, agentUid, cycle, attempt, tool, argumentsHash: args.hash, policyVersion, permissionId },
    null,
  );
  // The egress record lists each write. The run shows only those that a person decided on.
  if (permissionId === null) return;
  const text = shorten(redactSecrets(args.text), RUN_EVENT_TEXT_MAX_CHARS);
  await noteRunEvent(tx, run, {
    event: 'call_begun',
    detail: { call_id: callId, tool, effect: null, arguments_text: text, outcome: null, result_text: null },
  });
}

export async function settleWrite(
  tx: Tx,
  { run, effect, outcome }: { readonly run: RunRow; readonly effect: EffectRow; readonly outcome: CallOutcome },
): Promise<void> {
  await settleEffect(tx, effect, outcome);
  if (effect.permissionId === null) return;
  const { tool, callId, permissionId, argumentsHash } = effect;
  const isUnknown = outcome.code === UNKNOWN.code;
  const detail = { call_id: callId, tool, effect: null, arguments_text: null, result_text: outcome.text };
  if (run.state === 'running' || run.state === 'waiting_permission')
    await noteRunEvent(tx, run, {
      event: isUnknown ? 'call_unknown' : 'call_settled',
      detail: { ...detail, outcome: isUnknown ? null : outcome.kind },
    });
  await recordAct(tx, actingAs('system', 'egress'), {
    action: 'run.write',
    object: run.agentId,
    detail: {
      run_id: run.runId,
      call_id: callId,
      tool,
      permission_id: permissionId,
      arguments_hash: argumentsHash.toString('hex'),
      outcome: outcome.kind,
      ...(outcome.code === undefined ? {} : { code: outcome.code }),
    },
  });
}

/** False if the write was settled meanwhile. */
function settleBegun(db: Db, { runId, callId }: BegunEgressWrite, outcome: CallOutcome): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const run = await lockRun(tx, runId);
    const effect = await lockEffect(tx, runId, callId);
    if (run === null || effect?.state !== 'begun') return false;
    await settleWrite(tx, { run, effect, outcome });
    return true;
  });
}

/** Settles the writes whose ends the broker reports. A write that cannot be settled becomes an unknown one: {@link lateWritesJob}. */
export function endedWrites({ db, log }: WritePorts): (ends: readonly EgressEnd[]) => Promise<void> {
  const each = itemByItem<BegunEgressWrite>({
    log,
    message: 'a write that ended was not settled',
    keyOf: ({ ask }) => ask,
  });
  return async (ends) => {
    const endOf = new Map(ends.map((end) => [end.id, end]));
    await each(await findBegunEgressWrites(db, [...endOf.keys()]), async (write) => {
      const end = endOf.get(write.ask);
      return end !== undefined && settleBegun(db, write, writeOutcome(end));
    });
  };
}

/** Settles writes without a reported end as unknown, for example if their broker was killed. They are never sent again. */
export function lateWritesJob({ db, log }: WritePorts): Job {
  const each = itemByItem<BegunEgressWrite>({
    log,
    message: 'a write without an end was not settled; the API tries to settle it again',
    keyOf: ({ ask }) => ask,
  });
  const run = async (): Promise<number> =>
    each(await readLateWrites(db, LATE_S), (write) => settleBegun(db, write, UNKNOWN));
  return job({ name: 'egress-late-writes', everyMs: EVERY_MS, run });
}
