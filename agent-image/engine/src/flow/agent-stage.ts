import type { RunOutcome } from '../loop/advance.ts';
import type { Session } from '../loop/session.ts';
import { NO_FLOW, type FlowStage } from '../state/flow-state.ts';
import { failureOf } from '../workflow/route/failure-of.ts';
import type { StageEnd } from './end-stage.ts';
import { memoryOf } from './flow-memory.ts';
import { endStage, failing, isOpen, stageAt, type Flowing } from './flowing.ts';
import type { StageAt } from './flow-ports.ts';
import { judged } from './judge.ts';

/** The run of an agent stage: every engine that works on the stage finds the same one. */
export const agentRunOf = (run: string, { id, round, attempt }: Pick<FlowStage, 'id' | 'round' | 'attempt'>): string =>
  `${run}/${id}.${round}.${attempt}`;

/** Asks the agent of a stage in a run of its own, and ends the stage with the answer. */
export async function askAgent(flowing: Flowing, open: FlowStage): Promise<void> {
  const at = stageAt(flowing, open);
  const given = memoryOf(flowing.session).answers.length;
  const asked = await outcomeOfAgent(flowing, at);
  if (asked === null || !isOpen(flowing, at)) return;
  if ('kind' in asked && asked.kind === 'waiting') return wait(flowing, { at, asked, given });
  const end = 'kind' in asked ? endOf(flowing, at, asked) : asked;
  if (end !== null) endStage(flowing, at, end);
}

type Waiting = Extract<RunOutcome, { kind: 'waiting' }>;
type Wait = Readonly<{ at: StageAt; asked: Waiting; given: number }>;

/** Lets the stage wait like its run. If an answer came after the first `given`, the stage does not wait: it resumes the run with it. */
function wait({ session }: Flowing, { at, asked, given }: Wait): void {
  const { waits, answers } = memoryOf(session);
  const isAnswered = asked.for === 'permission' && answers.length > given;
  if (asked.for !== 'engine' && !isAnswered) waits.set(at.stage.id, asked);
}

/** The end of the stage by the outcome of its run; null if the run ended because the task ends. */
function endOf({ session }: Flowing, at: StageAt, outcome: Exclude<RunOutcome, Waiting>): StageEnd | null {
  if (outcome.kind !== 'done' && session.stopped.signal.aborted) return null;
  switch (outcome.kind) {
    case 'cancelled':
      return failing('agent', 'cancelled', 'The run of the agent was cancelled.');
    case 'failed': {
      const message = outcome.text === '' ? `The run of the agent failed: ${outcome.code}.` : outcome.text;
      return failing(failureOf(outcome.code, 'run'), outcome.code, message);
    }
    case 'done':
      return answered(session, at, outcome.output === undefined ? outcome.text : JSON.parse(outcome.output));
    default:
      return outcome satisfies never;
  }
}

/** The end of a stage whose agent gave this answer. */
export const answered = (session: Session, at: StageAt, answer: unknown): StageEnd =>
  at.stage.role === 'feedback' ? judged(session, at, answer) : { output: answer };

/** Null if the engine ends, or the stage did while its request was prepared. */
async function outcomeOfAgent(flowing: Flowing, at: StageAt): Promise<RunOutcome | StageEnd | null> {
  const { kit, session, ports } = flowing;
  const { stage, round, attempt } = at;
  const run = agentRunOf(session.run, { id: stage.id, round, attempt });
  const known = kit.engine.outcomeOf(run);
  if (known !== null) return known;
  if (kit.ports.journal.rowOf(run) !== null) {
    const resumed = kit.engine.resume(run, { answers: memoryOf(session).answers });
    return resumed.ok ? resumed.outcome : refusal(session, resumed.code);
  }
  const asked = await ports.agentRun(at, session.state.flow ?? NO_FLOW);
  if (!asked.ok) return { failure: asked.failure };
  if (!isOpen(flowing, at) || session.stopped.signal.aborted) return null;
  const begun = await kit.engine.start({
    ...asked.run,
    run,
    conversation: run,
    parent: { run: session.run, call: stage.id },
    stage: { id: stage.id, plan: JSON.stringify({ stage: stage.id, round, attempt }) },
  });
  return begun.ok ? begun.outcome : refusal(session, begun.code);
}

/** Null if the task ends, which is then the reason. */
const refusal = (session: Session, code: string): StageEnd | null =>
  session.stopped.signal.aborted || code === 'engine_stopped'
    ? null
    : failing('engine', code, `The run of the agent was refused: ${code}.`);
