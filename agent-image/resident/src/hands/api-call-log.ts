import {
  CALL_LOG_TEXT_MAX_CHARS,
  OPENED_PAGES_MAX,
  OPENED_TITLE_MAX_CHARS,
  OpenedPage,
  storableText,
} from '@hamlet/contract/resident';
import { shorten } from '@hamlet/core/shorten';
import { withoutMiddle, type CallContext, type ToolOutcome } from '@hamlet/engine';
import { ASK_AGAIN, deniedBy, LOST } from '../tools/outward.ts';
import { failed, type ToolKit, type ToolResult } from '../tools/tool-kit.ts';
import { retry } from '../village/retry.ts';
import type { BegunCall } from '../village/work-village.ts';
import { SLOT_WAIT_MS, type BeginAnswer, type CallLog, type CallReport } from './hands-tool.ts';

const SLOT_PAUSE_MS = 2_000;
const SLOT_TRIES = SLOT_WAIT_MS / SLOT_PAUSE_MS;
const TEXT_MAX_CHARS = 4_000;
const LOST_LEASE: ToolResult = { kind: 'unknown', text: 'This process has no lease on the run.' };

type Kit = Pick<ToolKit, 'work' | 'book' | 'mirrored' | 'rest' | 'random'>;

export function apiCallLog(kit: Kit): CallLog {
  return {
    begin: async (context, { tool, args, boot, repeats }) => {
      const booked = kit.book.find(context.run);
      if (booked === undefined) return LOST_LEASE;
      await kit.mirrored(context.run, context.signal);
      const body = { ...booked.lease, tool, arguments: args, boot, known: false };
      for (let tries = 1; ; tries += 1) {
        const answer = await retry(() => kit.work.beginCall(context.run, context.call, body), context.signal, kit);
        if (answer.kind === 'ok') return begunOf(answer.value, { present: boot, repeats });
        if (answer.code !== 'too_many_tools') return refusedOf(answer, booked.onLeaseLost);
        if (tries === SLOT_TRIES) return { kind: 'unavailable', text: `Nothing was done. ${answer.detail}.` };
        await kit.rest(SLOT_PAUSE_MS);
        context.signal.throwIfAborted();
      }
    },
    end: (context, { outcome, report }) => storeEnd(kit, context, { outcome, report }),
    find: async (context, { tool, args, boot }) => {
      const booked = kit.book.find(context.run);
      if (booked === undefined) return { kind: 'begun', boot: null };
      const body = { ...booked.lease, tool, arguments: args, boot, known: true };
      const answer = await retry(() => kit.work.beginCall(context.run, context.call, body), context.signal, kit);
      if (answer.kind !== 'ok') return { kind: 'begun', boot: null };
      return answer.value.state === 'absent' ? { kind: 'absent' } : { kind: 'begun', boot: answer.value.boot };
    },
  };
}

/** A call that an earlier request began in the same hands continues: its process is not started again. */
function begunOf(
  { state, boot, outcome, waits_s: waitsS = 0 }: BegunCall,
  { present, repeats }: { readonly present: string; readonly repeats: boolean },
): BeginAnswer {
  const isKnown = state === 'known' || state === 'ended';
  if (state === 'begun' || (isKnown && (repeats || boot === present)))
    return { kind: 'begun', waitsMs: waitsS * 1_000 };
  if (outcome !== null && state === 'denied') return deniedBy(outcome);
  return { kind: 'unknown', text: 'The hands have started again since the call began.' };
}

function refusedOf(
  { code, detail }: { readonly code: string; readonly detail: string },
  onLeaseLost: () => void,
): ToolResult {
  if (ASK_AGAIN.has(code)) return { kind: 'needs_permission', reason: detail };
  if (!LOST.has(code)) return failed(code, detail);
  onLeaseLost();
  return { kind: 'unknown', text: detail };
}

/** Stores the end of a call at the API. A call with an unknown outcome is not stored: the API lists it as unsettled. */
async function storeEnd(
  kit: Kit,
  { run, call, signal }: CallContext,
  { outcome, report }: { readonly outcome: ToolOutcome; readonly report: CallReport },
): Promise<string | null> {
  const booked = kit.book.find(run);
  if (booked === undefined || outcome.kind === 'unknown') return null;
  const body = { ...booked.lease, outcome: claimedOutcome(outcome), report: fitting(report) };
  const answer = await retry(() => kit.work.endCall(run, call, body), signal, kit);
  return answer.kind === 'ok' ? answer.value.warning : null;
}

function claimedOutcome(outcome: ToolOutcome): { kind: 'ok' | 'failed'; code?: string; text: string } {
  const text = 'text' in outcome ? storableText(outcome.text.slice(0, TEXT_MAX_CHARS)) : '';
  if (outcome.kind === 'ok') return { kind: 'ok', text };
  return { kind: 'failed', code: 'code' in outcome ? outcome.code : outcome.kind, text };
}

/** Fits a report into the limits of the API: long texts lose their middle, and addresses outside the web are omitted. */
function fitting({ opened, ...report }: CallReport): CallReport {
  const fields = Object.entries(report).map(([field, value]) => [
    field,
    typeof value === 'string' ? withoutMiddle(storableText(value), CALL_LOG_TEXT_MAX_CHARS).toWellFormed() : value,
  ]);
  const pages = opened === undefined ? {} : { opened: opened.flatMap(fittingPage).slice(0, OPENED_PAGES_MAX) };
  return { ...(Object.fromEntries(fields) as CallReport), ...pages };
}

function fittingPage({ url, title, at }: OpenedPage): OpenedPage[] {
  const short = shorten(storableText(title), OPENED_TITLE_MAX_CHARS);
  const page = OpenedPage.safeParse({ url, title: short, at });
  return page.success ? [page.data] : [];
}
