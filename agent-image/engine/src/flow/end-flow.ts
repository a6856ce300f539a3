import { endedWithout } from '../loop/advance.ts';
import type { FlowStage } from '../state/flow-state.ts';
import { unsettledCalls } from '../state/run-state.ts';
import { agentRunOf } from './agent-stage.ts';
import type { Flowing } from './flowing.ts';
import { outputOf } from './stage-input.ts';

/** Stops the work of stages that the task does not need any more: it ends now. Their runs end first, so that a kill leaves none of them open. */
export async function stopStages({ kit, session }: Flowing, stages: readonly FlowStage[]): Promise<void> {
  session.stopped.abort();
  session.killed.abort();
  const runs = stages.map((stage) => agentRunOf(session.run, stage));
  const open = runs.filter((run) => kit.ports.journal.rowOf(run)?.isOpen === true);
  await Promise.all(open.map((run) => kit.engine.abandon(run)));
  const left = stages.filter(({ id }) => session.state.flow?.stages.get(id)?.closed === null);
  session.append(left.map(({ id }) => endedWithout(id, 'stopped')));
}

export function skipStages({ session }: Flowing, stages: readonly string[]): void {
  session.append(stages.map((stage) => endedWithout(stage, 'skipped')));
}

/** Closes the run with the output of its exit, or of all exits that are done, by their ids. */
export function finishFlow({ kit, session }: Flowing, exits: readonly FlowStage[]): void {
  const outputs = exits.map((stage) => [stage.id, outputOf(session, stage)] as const);
  const value = outputs.length === 1 ? outputs[0]?.[1] : Object.fromEntries(outputs);
  const answer = kit.ports.journal.refer(JSON.stringify(value ?? null));
  const unsettled = [...unsettledCalls(session.state)];
  session.append([{ type: 'run_closed', outcome: { kind: 'done', answer: answer.ref }, unsettled }], [answer]);
}
