import { EGRESS_TOOLS, villageTool, type EgressWriteKind, type Policy } from '@hamlet/contract';
import { classOfCall, decidingMark, mcpServerOf, type Judged, type ShellNeeds, shorten } from '@hamlet/core';
import { noteJudgedCall, type RunRow, type Tx } from '@hamlet/store';
import { redactSecrets } from '../redact-secrets.ts';
import { commandOf, type AskedCall } from '../shell/judge-hands-call.ts';
import { taintOf } from '../view/taint-view.ts';

const WORDS_MAX_CHARS = 120;
const UNCLEAR_MAX_CHARS = 500;

function firstWords(command: string | null): string | null {
  if (command === null) return null;
  const line = redactSecrets(command).replaceAll(/\s+/g, ' ').trim();
  return line === '' ? null : shorten(line.toWellFormed(), WORDS_MAX_CHARS);
}

interface Noted {
  readonly run: RunRow;
  readonly callId: string;
  readonly policy: Policy;
  readonly judged: Judged;
}

function commonFacts({ run, callId, policy, judged }: Noted) {
  const mark = decidingMark(taintOf(run) ?? []);
  return {
    runId: run.runId,
    callId,
    agentId: run.agentId,
    agentUid: run.agentUid,
    taintSource: mark?.source ?? null,
    taintDetail: mark?.detail ?? null,
    verdict: judged.verdict,
    policyVersion: policy.version,
  };
}

/**
 * Stores the facts by which a call was judged, for trials of other rules. Skips unknown tools, because no rules allow
 * them. The caller has locked the run, and the call has no effect yet; later, the call's own result may taint its run.
 */
export async function noteCall(
  tx: Tx,
  { call, needs, ...noted }: Noted & { readonly call: AskedCall; readonly needs: ShellNeeds | null },
): Promise<void> {
  const { tool, value } = call;
  if (villageTool(tool) === undefined && mcpServerOf(tool) === null) return;
  const unclear = needs === null ? undefined : shorten(needs.unclear.join('; ').toWellFormed(), UNCLEAR_MAX_CHARS);
  await noteJudgedCall(tx, {
    ...commonFacts(noted),
    tool,
    toolClass: classOfCall({ tool, input: value }),
    classes: needs?.classes ?? null,
    unclear: unclear === undefined || unclear === '' ? null : unclear,
    byRule: null,
    words: firstWords(commandOf(call)),
  });
}

export async function noteWrite(
  tx: Tx,
  { kind, byRule, ...noted }: Noted & { readonly kind: EgressWriteKind; readonly byRule: boolean },
): Promise<void> {
  await noteJudgedCall(tx, {
    ...commonFacts(noted),
    tool: EGRESS_TOOLS[kind],
    toolClass: null,
    classes: null,
    unclear: null,
    byRule,
    words: null,
  });
}
