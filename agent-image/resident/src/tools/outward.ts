import type { CallOutcome } from '@hamlet/contract';
import type { CallContext, ToolOutcome } from '@hamlet/engine';
import { retry } from '../village/retry.ts';
import { failed, okay, type ToolKit, type ToolResult } from './tool-kit.ts';

/** Refusals after which the engine asks a person again. */
export const ASK_AGAIN: ReadonlySet<string> = new Set(['permission_needed', 'permission_pending', 'permission_stale']);
/** Refusals that leave the call to the next holder of the lease. */
export const LOST: ReadonlySet<string> = new Set(['claim_lapsed', 'run_settled', 'run_not_started', 'no_such_run']);

type Asked = { readonly outcome: CallOutcome } | { readonly result: ToolResult };

/** Lets the API perform a call with an effect outside the pod. */
export async function performOutward(kit: ToolKit, tool: string, context: CallContext): Promise<ToolResult> {
  const answer = await askVillage(kit, tool, context);
  return 'outcome' in answer ? outcomeIn(answer.outcome) : answer.result;
}

/** Asks the API to perform a call. The API first gets the journal up to the intent, in case the volume is lost. */
export async function askVillage(
  kit: Pick<ToolKit, 'work' | 'book' | 'mirrored' | 'rest' | 'random'>,
  tool: string,
  { run, call, args, signal }: CallContext,
): Promise<Asked> {
  const booked = kit.book.find(run);
  if (booked === undefined) return { result: { kind: 'unknown', text: 'This process has no lease on the run.' } };
  await kit.mirrored(run, signal);
  const body = { ...booked.lease, tool, arguments: args };
  const answer = await retry(() => kit.work.performCall(run, call, body), signal, kit);
  if (answer.kind === 'ok') return { outcome: answer.value };
  if (ASK_AGAIN.has(answer.code)) return { result: { kind: 'needs_permission', reason: answer.detail } };
  if (!LOST.has(answer.code)) return { result: failed(answer.code, answer.detail) };
  booked.onLeaseLost();
  return { result: { kind: 'unknown', text: answer.detail } };
}

const DENIED: Readonly<Record<string, Extract<ToolOutcome, { kind: 'denied' }>['code']>> = {
  no_such_tool: 'no_such_tool',
  person_denied: 'person',
  permission_expired: 'permission_expired',
};

export function outcomeIn({ kind, code = 'failed', text, data }: CallOutcome): ToolResult {
  switch (kind) {
    case 'ok':
      return okay(data === undefined ? text : `${text}\n${JSON.stringify(data)}`);
    case 'failed':
      return failed(code, text);
    case 'denied':
      return deniedBy({ code, text });
  }
}

/** A denial by the API in the engine's form. */
export function deniedBy({
  code = 'failed',
  text,
}: Pick<CallOutcome, 'text'> & { code?: string | undefined }): ToolResult {
  if (ASK_AGAIN.has(code)) return { kind: 'needs_permission', reason: text };
  return { kind: 'denied', code: DENIED[code] ?? 'policy', text };
}
