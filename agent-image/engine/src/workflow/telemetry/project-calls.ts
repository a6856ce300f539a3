import type { EventOf, OutcomeKind } from '../../journal/event.ts';
import { failureOf } from '../route/failure-of.ts';
import type { TelemetryBody, Usage } from './event.ts';
import { codeOf, messageOf } from './message.ts';
import { callsKnown } from './project-task.ts';
import { signatureOf, since, type OpenCall, type Step, type TrackedRun } from './tracked-run.ts';

type TextOf = (ref: string) => string | null;

/** The cost of a request in millionths of a currency; null if it is unknown. */
export type CostOf = (model: string, tokens: Readonly<{ prompt: number; completion: number }>) => number | null;

const usageOf = (
  { model }: TrackedRun,
  { usage, moneyMicros }: Pick<EventOf<'model_answered'>, 'usage' | 'moneyMicros'>,
  costOf: CostOf,
): Usage => ({
  prompt_tokens: usage.prompt,
  completion_tokens: usage.completion,
  total_tokens: usage.total,
  cost_micros: costOf(model, usage),
  money_micros: moneyMicros,
});

/** The fields of each report of a request to a model. */
const requested = (run: TrackedRun, { ask, attempt }: Readonly<{ ask: number; attempt: number }>) =>
  ({
    type: 'model_called',
    ...since(run, run.asked),
    model: run.model,
    conversation: run.conversation,
    ask,
    attempt,
  }) as const;

export function modelAnswered(run: TrackedRun, event: EventOf<'model_answered'>, costOf: CostOf): Step {
  const usage = usageOf(run, event, costOf);
  const called: TelemetryBody = {
    ...requested(run, event),
    outcome: 'answered',
    finish: event.finish,
    code: null,
    tool_calls: event.calls.length,
    usage,
  };
  return {
    run: callsKnown({ ...run, asked: null }, event),
    bodies: [called, ...repairsOf(event)],
    used: usage,
  };
}

function repairsOf({ calls, output }: EventOf<'model_answered'>): readonly TelemetryBody[] {
  const repaired = calls.flatMap(({ tool, repair = [] }): readonly TelemetryBody[] =>
    repair.length === 0
      ? []
      : [{ type: 'json_repair', where: 'arguments', tool, result: 'repaired', code: null, actions: [...repair] }],
  );
  if (output === undefined || (output.code === null && output.repair.length === 0)) return repaired;
  const { code, repair } = output;
  const result = code === null ? 'repaired' : 'refused';
  return [...repaired, { type: 'json_repair', where: 'output', tool: null, result, code, actions: [...repair] }];
}

export function modelFailed(run: TrackedRun, stage: string | null, parts: ModelFailed): Step {
  const { event, costOf } = parts;
  const { code } = event;
  const usage = usageOf(run, event, costOf);
  const failure = signatureOf(run, stage, { category: failureOf(code, 'model'), code });
  return {
    run: { ...run, asked: null },
    bodies: [
      { ...requested(run, event), outcome: 'failed', finish: null, code, tool_calls: 0, usage },
      { type: 'error', where: 'model', failure, message: '' },
    ],
    used: usage,
  };
}
type ModelFailed = Readonly<{ event: EventOf<'model_failed'>; costOf: CostOf }>;

/** An attempt of a call begins: the policy has allowed it just before. */
export function toolIntent(
  run: TrackedRun,
  event: EventOf<'tool_intent'>,
  isSensitive: (tool: string) => boolean,
): Step {
  const { call, tool, effect, attempt } = event;
  const { isPermitted, stage } = run.calls.get(call) ?? { isPermitted: false, stage: event.stage };
  const open: OpenCall = { stage, tool, effect, began: run.now, attempts: attempt, isPermitted };
  const checked: TelemetryBody = {
    type: 'permission_checked',
    call,
    tool,
    verdict: 'allow',
    by: isPermitted ? 'person' : 'policy',
  };
  const sensitive: readonly TelemetryBody[] =
    attempt === 1 && (effect === 'once' || isSensitive(tool)) ? [{ type: 'sensitive_call', call, tool, effect }] : [];
  return { run: { ...run, calls: new Map(run.calls).set(call, open) }, bodies: [checked, ...sensitive] };
}

export function permissionAsked(run: TrackedRun, { call, why }: EventOf<'permission_asked'>): Step {
  const open = run.calls.get(call);
  if (open === undefined || why !== 'policy') return { run, bodies: [] };
  return {
    // Only with a person's permission the call begins; else it settles as denied.
    run: { ...run, calls: new Map(run.calls).set(call, { ...open, isPermitted: true }) },
    bodies: [{ type: 'permission_checked', call, tool: open.tool, verdict: 'ask', by: 'policy' }],
  };
}

const FAILED: ReadonlySet<string> = new Set(['failed', 'timed_out', 'unavailable', 'unknown']);

export function toolSettled(run: TrackedRun, stage: string | null, { event, textOf }: ToolSettled): Step {
  const { call, outcome } = event;
  const open = run.calls.get(call) ?? UNKNOWN_CALL;
  const calls = new Map(run.calls);
  calls.delete(call);
  const result = outcome === 'ok' ? OK : resultOf(textOf(event.result), outcome);
  return { run: { ...run, calls }, bodies: reportOf(run, { call, open, outcome, stage, ...result }) };
}

type Settled = Readonly<{
  call: string;
  open: OpenCall;
  outcome: OutcomeKind;
  stage: string | null;
  code: string;
  message: string;
}>;

function reportOf(run: TrackedRun, { call, open, outcome, stage, code, message }: Settled): readonly TelemetryBody[] {
  const { tool, effect, attempts, began } = open;
  if (outcome === 'denied') return [{ type: 'permission_denied', call, tool, code, message }];
  const called: TelemetryBody = {
    type: 'tool_called',
    ...since(run, began),
    call,
    tool,
    effect,
    attempts,
    outcome,
    code: outcome === 'ok' ? null : code,
  };
  if (!FAILED.has(outcome)) return [called];
  const failure = signatureOf(run, stage, { category: failureOf(code, 'tool'), code });
  return [called, { type: 'error', where: 'tool', failure, message }];
}
type ToolSettled = Readonly<{ event: EventOf<'tool_settled'>; textOf: TextOf }>;

const UNKNOWN_CALL: OpenCall = { stage: '', tool: '', effect: null, began: null, attempts: 0, isPermitted: false };
const OK = { code: 'ok', message: '' };

/** The code and the words of a result: the kind of its outcome if it has no code, no words if it was deleted. */
function resultOf(text: string | null, kind: string): Readonly<{ code: string; message: string }> {
  const { code, text: words }: { code?: unknown; text?: unknown } = JSON.parse(text ?? '{}');
  return { code: codeOf(code, kind), message: messageOf(typeof words === 'string' ? words : null) };
}

export function memoryRetrieved(run: TrackedRun, { parts }: EventOf<'context_built'>): Step {
  const memories = parts.filter(({ source }) => source === 'memory');
  const tokens = memories.reduce((sum, part) => sum + part.tokens, 0);
  return { run, bodies: memories.length === 0 ? [] : [{ type: 'memory_retrieved', parts: memories.length, tokens }] };
}
