import {
  OPENED_TITLE_MAX_CHARS,
  OPENED_URL_MAX_CHARS,
  PANIC_WARNINGS as WARNINGS,
  REFUSAL_MAX_CHARS,
  villageTool,
  RUN_EVENT_TEXT_MAX_CHARS,
} from '@hamlet/contract';
import type { CallOutcome, CallReport, endCall as endRoute, PanicCode } from '@hamlet/contract';
import { panicOf, shorten, type Panic } from '@hamlet/core';
import {
  endHandsCall,
  findHandsCall,
  inTransaction,
  lockEffect,
  lockRunTree,
  noteRunEvent,
  readEndedCalls,
  settleEffect,
  stopRun,
} from '@hamlet/store';
import type { EffectRow, RunRow, Tx } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { cancelWorkersOf } from '../../runs/apply-to-run.ts';
import { callerOf, plain, type DataOf, type Handlers, type RequestOf } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { lockWork } from '../ask-permission.ts';
import { DENIALS } from '../call-outcomes.ts';
import { redactSecrets } from '../redact-secrets.ts';
import type { Village } from '../../village.ts';

type Request = RequestOf<typeof endRoute>;

export function endCall({ db }: Village): Handlers['endCall'] {
  return plain((request) =>
    inTransaction(db, async (tx): Promise<Outcome<DataOf<typeof endRoute>>> => {
      const held = await lockWork(tx, request);
      if (!held.ok) return held;
      const { run_id: runId, call_id: callId } = request.params;
      const effect = await lockEffect(tx, runId, callId);
      const call = effect === null ? null : await findHandsCall(tx, runId, callId);
      if (effect === null || call === null) return refused('no_such_call');
      if (effect.state === 'settled') return accepted({ stored: false, panic: null, warning: null });
      const end = await settleEnd(tx, request, effect);
      const panic = panicOf(await readEndedCalls(tx, runId, { calls: CALLS_READ, chars: CHARS_READ }));
      const stops = panic?.level === 'stop' ? panic.code : null;
      if (stops !== null) await lockRunTree(tx, runId);
      await recordEnd(tx, request, { run: held.data, effect, end });
      if (stops !== null) await stop(tx, runId, stops);
      return accepted({ stored: true, ...answerOf(panic) });
    }),
  );
}

const CALLS_READ = 40;
const CHARS_READ = 2_000;

/** Stops the calls of a run, and cancels its workers, which would continue for it. The caller has locked them. */
async function stop(tx: Tx, runId: string, code: PanicCode): Promise<void> {
  await stopRun(tx, runId, code);
  await cancelWorkersOf(tx, runId, 'parent_stopped');
}

/** The consequence for the agent: after a stop the API denies each further call of the run, also of a hostile resident. */
function answerOf(panic: Panic | null): { panic: string | null; warning: string | null } {
  if (panic === null) return { panic: null, warning: null };
  if (panic.level === 'stop') return { panic: panic.code, warning: DENIALS.run_stopped };
  return { panic: null, warning: WARNINGS[panic.code] };
}

async function settleEnd(tx: Tx, { body: { outcome, report } }: Request, effect: EffectRow): Promise<CallOutcome> {
  const { kind, code } = outcome;
  const end = {
    kind,
    ...(code === undefined ? {} : { code }),
    text: shorten(redactSecrets(outcome.text), RUN_EVENT_TEXT_MAX_CHARS),
  };
  await settleEffect(tx, effect, end);
  await endHandsCall(tx, effect, redactedReport(report));
  return end;
}

async function recordEnd(
  tx: Tx,
  request: Request,
  { run, effect, end }: { readonly run: RunRow; readonly effect: EffectRow; readonly end: CallOutcome },
): Promise<void> {
  const { report } = request.body;
  const { call_id: callId } = request.params;
  const { kind, code, text } = end;
  await noteRunEvent(tx, run, {
    event: 'call_settled',
    witnessed: false,
    detail: {
      call_id: callId,
      tool: effect.tool,
      effect: villageTool(effect.tool)?.effect ?? null,
      arguments_text: null,
      outcome: kind,
      result_text: text,
      ...(report.exit === undefined ? {} : { exit: report.exit }),
    },
  });
  const acting = { ...callerOf(request), call: { runId: run.runId, callId } };
  const { exit, duration_ms, bytes } = report;
  const detail = { tool: effect.tool, outcome: kind, code, exit, duration_ms, bytes, claimed: true };
  await recordAct(tx, acting, { action: 'run.call', object: run.agentId, detail });
}

function redactedReport({ opened, refused, ...report }: CallReport): CallReport {
  const texts = Object.entries(report).map(([field, value]) => [
    field,
    typeof value === 'string' ? redactSecrets(value) : value,
  ]);
  const pages = opened?.map(({ url, title, at }) => ({
    url: redactSecrets(url).slice(0, OPENED_URL_MAX_CHARS),
    title: redactSecrets(title).slice(0, OPENED_TITLE_MAX_CHARS),
    at,
  }));
  const lines = refused?.map((line) => redactSecrets(line).slice(0, REFUSAL_MAX_CHARS));
  return {
    ...(Object.fromEntries(texts) as CallReport),
    ...(pages === undefined ? {} : { opened: pages }),
    ...(lines === undefined ? {} : { refused: lines }),
  };
}
