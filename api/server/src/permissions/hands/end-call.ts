import {
  OPENED_TITLE_MAX_CHARS,
  OPENED_URL_MAX_CHARS,
  PANICS,
  REFUSAL_MAX_CHARS,
  villageTool,
  RUN_EVENT_TEXT_MAX_CHARS,
} from '@hamlet/contract';
import type { CallOutcome, CallReport, endCall as endRoute, PanicCode } from '@hamlet/contract';
import { panicOf, shorten } from '@hamlet/core';
import {
  endHandsCall,
  findHandsCall,
  inTransaction,
  lockEffect,
  lockRunTree,
  noteRunEvent,
  readEndedCalls,
  readUnsettledCalls,
  settleEffect,
} from '@hamlet/store';
import type { EffectRow, RunRow, Tx } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { callerOf, plain, type Handlers, type RequestOf } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { applyToRun } from '../../runs/apply-to-run.ts';
import { lockWork } from '../ask-permission.ts';
import { redactSecrets } from '../redact-secrets.ts';
import type { Village } from '../../village.ts';

type Request = RequestOf<typeof endRoute>;

export function endCall({ db }: Village): Handlers['endCall'] {
  return plain((request) =>
    inTransaction(db, async (tx): Promise<Outcome<{ stored: boolean; panic: PanicCode | null }>> => {
      const held = await lockWork(tx, request);
      if (!held.ok) return held;
      const { run_id: runId, call_id: callId } = request.params;
      const effect = await lockEffect(tx, runId, callId);
      const call = effect === null ? null : await findHandsCall(tx, runId, callId);
      if (effect === null || call === null) return refused('no_such_call');
      if (effect.state === 'settled') return accepted({ stored: false, panic: null });
      const end = await settleEnd(tx, request, effect);
      const code = panicOf(await readEndedCalls(tx, runId, { calls: CALLS_READ, chars: CHARS_READ }));
      if (code !== null) await lockRunTree(tx, runId);
      await recordEnd(tx, request, { run: held.data, effect, end });
      const isOver = code !== null && (await endByPanic(tx, request, code));
      return accepted({ stored: true, panic: isOver ? code : null });
    }),
  );
}

const CALLS_READ = 40;
const CHARS_READ = 2_000;

/** Ends the run, whose calls are a cause for panic. The agent cannot continue the run, even with a hostile resident. */
async function endByPanic(tx: Tx, { params, body }: Request, code: PanicCode): Promise<boolean> {
  const { run_id: runId, call_id: callId } = params;
  const error = { code, message: PANICS[code] };
  // The end of this call is known, although the agent's journal does not have it yet.
  const unsettled = (await readUnsettledCalls(tx, runId)).filter((each) => each !== callId);
  const { cycle, attempt } = body;
  const outcome = await applyToRun(tx, runId, {
    command: { kind: 'settle', cycle, attempt, state: 'failed' },
    words: { summary: error.message, error, unsettled, detail: { code, call_id: callId } },
    permit: () => null,
  });
  return outcome.ok;
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
