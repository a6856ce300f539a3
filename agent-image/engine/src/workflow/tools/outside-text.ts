import type { Journal } from '../../journal/journal.ts';
import { loadRun, readOutcome } from '../../loop/transcript.ts';
import type { FlowStage, FlowState } from '../../state/flow-state.ts';
import type { RunState } from '../../state/run-state.ts';

/** The task that this task repeats. */
type Repeated = Readonly<{ of: string }>;

/** Maximum number of earlier tasks that are searched. */
const MAX_EARLIER = 16;

/**
 * True if a call of a tool stage, of the task or of one that it repeats, brought text from outside. Stages that were taken over have lost
 * their calls, so the earlier task is searched; one that the journal has lost may have brought some.
 */
export function hasOutsideText(journal: Journal, flow: FlowState, rerun: Repeated | undefined): boolean {
  let [searched, next] = [flow, rerun];
  for (let left = MAX_EARLIER; ; left -= 1) {
    if ([...searched.stages.values()].some((stage) => isFromOutside(journal, stage))) return true;
    if (next === undefined) return false;
    const loaded = loadRun(journal, next.of);
    if (left === 0 || !loaded.ok || loaded.state.flow === null) return true;
    [searched, next] = [loaded.state.flow, rerunOf(journal, loaded.state)];
  }
}

const isFromOutside = ({ textOf }: Journal, { calls }: FlowStage): boolean =>
  calls.some((call) => {
    // A plain result is never from outside.
    if (call.isPlain) return false;
    const outcome = readOutcome({ textOf }, call);
    return outcome !== null && 'untrusted' in outcome && outcome.untrusted === true;
  });

/** The engine wrote the text itself. */
function rerunOf(journal: Journal, { opened }: RunState): Repeated | undefined {
  const task = journal.textOf(opened.flow?.task ?? '');
  return task === null ? undefined : (JSON.parse(task) as Readonly<{ rerun?: Repeated }>).rerun;
}
