import { canonicalArguments } from '../journal/arguments.ts';
import type { EventBody } from '../journal/event.ts';
import type { Payload } from '../journal/journal.ts';
import { readOutcome, resultKey } from '../loop/transcript.ts';
import type { FlowStage } from '../state/flow-state.ts';
import { stageCallId } from '../workflow/plan/stage-call-id.ts';
import type { StageEnd } from './end-stage.ts';
import { endStage, failing, stageAt, type Flowing } from './flowing.ts';
import type { StageAt, StageCall, ToolStep } from './flow-ports.ts';
import { timeLeftOf } from './time-left.ts';

type PlannedCall = Extract<EventBody, { type: 'calls_planned' }>['calls'][number];
type Planned = Readonly<{ calls: readonly PlannedCall[]; payloads: readonly Payload[] }>;
export const NO_CALLS: Planned = { calls: [], payloads: [] };

/** Calls of a stage as the journal has them, with their arguments. `before`: the number of its calls so far. */
export function planCalls(
  { kit }: Flowing,
  { run, stage, round, attempt }: StageAt,
  { calls, before }: Readonly<{ calls: readonly StageCall[]; before: number }>,
): Planned {
  const payloads: Payload[] = [];
  const tools = kit.toolsOf(run);
  const planned = calls.map(({ tool, arguments: given }, index) => {
    const payload = kit.ports.journal.refer(canonicalArguments(JSON.stringify(given ?? {})));
    payloads.push(payload);
    const id = stageCallId({ stage: stage.id, round, attempt }, before + index + 1);
    return { id, tool, arguments: payload.ref, effect: tools.get(tool)?.effect ?? null };
  });
  return { calls: planned, payloads };
}

export const endOfStep = (step: Exclude<ToolStep, { kind: 'calls' }>): StageEnd =>
  step.kind === 'done' ? { output: step.output } : { failure: step.failure };

/** The next calls of a tool stage whose calls so far are settled, or its end. */
export function continueTool(flowing: Flowing, open: FlowStage): void {
  const { session, kit, ports } = flowing;
  const at = stageAt(flowing, open);
  const texts = { textOf: kit.ports.journal.textOf, turn: session.turn };
  const settled = open.calls.map((call) => {
    const { tool, durationMs } = call;
    return { tool, outcome: readOutcome(texts, call), durationMs };
  });
  const step = ports.toolStep(at, settled);
  for (const call of open.calls) session.turn.outcomes.delete(resultKey(call));
  if (step.kind !== 'calls') return endStage(flowing, at, endOfStep(step));
  if (timeLeftOf(kit, session, open.calls[0]?.id ?? '') <= 0) {
    const message = `${open.id} had no time left for its next call. Raise its timeout_s.`;
    return endStage(flowing, at, failing('tool', 'timed_out', message));
  }
  const { calls, payloads } = planCalls(flowing, at, { calls: step.calls, before: open.calls.length });
  session.append([{ type: 'calls_planned', stage: open.id, calls: [...calls] }], payloads);
}
