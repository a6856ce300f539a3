import type { ToolOutcome } from '../effects/tool-outcome.ts';
import type { Session } from '../loop/session.ts';
import { readOutcome, resultKey } from '../loop/transcript.ts';
import type { FlowStage } from '../state/flow-state.ts';
import { failureOf } from '../workflow/route/failure-of.ts';
import { executionOutput } from '../workflow/tools/execution.ts';
import { answered } from './agent-stage.ts';
import type { StageEnd } from './end-stage.ts';
import { endStage, failing, stageAt, type Flowing } from './flowing.ts';
import type { StageAt } from './flow-ports.ts';

/** Ends a stage whose agent was asked through a call, as the end of that agent's own run would end it. */
export function takeAnswer(flowing: Flowing, open: FlowStage): void {
  const { kit, session } = flowing;
  const at = stageAt(flowing, open);
  const call = open.calls.at(-1) ?? { result: null, isPlain: false };
  const outcome = readOutcome({ textOf: kit.ports.journal.textOf, turn: session.turn }, call);
  session.turn.outcomes.delete(resultKey(call));
  endStage(flowing, at, endOf(session, at, outcome));
}

function endOf(session: Session, at: StageAt, outcome: ToolOutcome | null): StageEnd {
  if (outcome === null) return failing('engine', 'result_deleted', 'The answer of the agent was deleted.');
  if (outcome.kind === 'ok') return endOfAnswer(session, at, outcome.text);
  const { status, code, text } = executionOutput(outcome, null);
  const named = code ?? 'failed';
  const words = text ?? '';
  const message = words === '' ? `The run of the agent failed: ${named}.` : words;
  if (status === 'permission_denied') return failing('permission', named, message);
  return failing(status === 'engine_error' ? 'engine' : failureOf(named, 'run'), named, message);
}

function parsed(text: string): Readonly<{ value: unknown }> | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

function endOfAnswer(session: Session, at: StageAt, text: string): StageEnd {
  const answer = parsed(text);
  if (answer !== null) return answered(session, at, answer.value);
  // The engine leaves out the middle of a result that is longer than a result may be.
  const fix = 'Have the agent write a file, and answer with its path.';
  return failing('agent', 'answer_too_long', `The answer is too long for a stage. ${fix}`);
}
