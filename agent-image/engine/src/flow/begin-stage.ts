import type { EventBody } from '../journal/event.ts';
import type { Session } from '../loop/session.ts';
import { mergeOutputs, type Arrival } from '../workflow/route/merge-outputs.ts';
import type { PlanStage } from '../workflow/plan/plan.ts';
import type { FlowCommand } from './decision/decide-flow.ts';
import { attemptKey } from './decision/ready-stages.ts';
import { closingOf, type StageEnd } from './end-stage.ts';
import { evaluateExpression } from '../workflow/expression/expression.ts';
import { memoryOf } from './flow-memory.ts';
import { failing, reportEnd, type Flowing } from './flowing.ts';
import type { StageAt, StageCall } from './flow-ports.ts';
import { judged } from './judge.ts';
import { inputOf, type StageInput } from './stage-input.ts';
import { scopeOf } from './stage-scope.ts';
import { endOfStep, NO_CALLS, planCalls } from './tool-stage.ts';

/** Waits until another attempt of a stage is due. */
export async function restStage(
  { kit, session }: Flowing,
  command: Extract<FlowCommand, { type: 'rest_stage' }>,
): Promise<void> {
  await kit.ports.clock.sleep(command.delayMs, session.stopped.signal);
  memoryOf(session).rested.add(attemptKey(command));
}

/** Begins a stage. A stage that only computes ends in the same write. */
export async function beginStage(
  flowing: Flowing,
  command: Extract<FlowCommand, { type: 'begin_stage' }>,
): Promise<void> {
  const { session, ports } = flowing;
  const { stage, attempt, round } = command;
  if (session.stopped.signal.aborted) return;
  const given = inputOf(session, command);
  const at: StageAt = { run: session.run, stage, attempt, round, input: given.value };
  const veto = await ports.beforeStage(at);
  if (session.stopped.signal.aborted) return;
  const work = veto === null ? workOf(flowing, at, given) : failing('permission', 'vetoed', veto);
  write(flowing, at, work);
}

/** The beginning of a stage: calls, nothing yet, or its end. */
type Work = Readonly<{ calls: readonly StageCall[] }> | StageEnd;

function workOf(flowing: Flowing, at: StageAt, given: StageInput): Work {
  const { session, ports } = flowing;
  if (!given.ok) return { failure: given.failure };
  const { stage } = at;
  switch (stage.role) {
    case 'agent':
      return asking(flowing, at);
    case 'feedback':
      return stage.agent === null ? judged(session, at, at.input) : asking(flowing, at);
    case 'tool': {
      const step = ports.toolStep(at, []);
      return step.kind === 'calls' ? { calls: step.calls } : endOfStep(step);
    }
    case 'merge':
      return merged(session, stage, given.arrivals);
    case 'decision':
    case 'linear':
      return computed(session, at);
    default:
      return stage.role satisfies never;
  }
}

/** Without a call, the agent works in a run of its own. */
const asking = ({ session, ports }: Flowing, at: StageAt): Work => ({
  calls: ports.agentCall === undefined ? [] : [ports.agentCall(at, session.state)],
});

function merged(session: Session, stage: PlanStage, arrivals: readonly Arrival[]): StageEnd {
  const made = mergeOutputs(stage, arrivals, scopeOf(session, null));
  return made.ok ? { output: made.value } : { failure: made.failure };
}

function computed(session: Session, { stage, input }: StageAt): StageEnd {
  if (stage.output === null) return { output: input };
  const made = evaluateExpression(stage.output, scopeOf(session, input));
  return made.ok ? { output: made.value } : failing('config', 'expression_failed', `${stage.id}: ${made.message}`);
}

/** Writes the beginning of a stage, and its end if it has ended already. */
function write(flowing: Flowing, at: StageAt, work: Work): void {
  const { kit, session } = flowing;
  const { stage, attempt, round, input = null } = at;
  const text = kit.ports.journal.refer(JSON.stringify(input));
  memoryOf(session).values.set(text.ref, input);
  const { calls, payloads } = 'calls' in work ? planCalls(flowing, at, { calls: work.calls, before: 0 }) : NO_CALLS;
  const opened: EventBody = {
    type: 'stage_opened',
    stage: stage.id,
    flow: { role: stage.role, attempt, round, input: text.ref, calls: [...calls] },
  };
  if ('calls' in work) return void session.append([opened], [text, ...payloads]);
  const closing = closingOf({ session, journal: kit.ports.journal }, { ...at, end: work });
  if (session.append([opened, closing.event], [text, ...closing.payloads]))
    reportEnd(flowing, at, { end: work, failure: closing.failure });
}
