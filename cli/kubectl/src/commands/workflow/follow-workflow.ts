import type { Client, Permission } from '@hamlet/contract';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Invocation } from '../../command.ts';
import { answerHint, permissionLines } from '../../talk/permission-text.ts';
import { printable } from '../../talk/printable.ts';
import { hasEnded, stateLines } from '../../talk/run-end.ts';
import { printed } from '../../table.ts';
import { pendingPermissions } from '../permissions.ts';
import { stageNews, type Reported } from './stage-text.ts';
import { outputOf, readWorkflow, type WorkflowView } from './workflow-view.ts';

const PAUSE_MS = 1_000;
/** Lost connections in a row after which the command fails. */
const BREAKS_MAX = 30;

type Followed = Pick<Invocation, 'note' | 'nowMs'>;

/** Reports stages as they begin and end, and requests for people, until the run has ended. */
export async function followWorkflow(api: Client, runId: string, { note, nowMs }: Followed): Promise<WorkflowView> {
  let reported: Reported = new Map();
  const known = new Set<string>();
  const once = (key: string, lines: () => readonly string[]): void => {
    if (known.has(key)) return;
    known.add(key);
    for (const line of lines()) note(line);
  };
  for (;;) {
    const view = await readPatiently(api, runId);
    const news = stageNews(reported, view.stages);
    reported = news.reported;
    for (const line of news.lines) note(line);
    if (hasEnded(view.run)) return view;
    for (const permission of await permissionsOf(api, view))
      once(permission.permission_id, () => [...permissionLines(permission, nowMs), `  ${answerHint(permission)}`]);
    const { parked } = view.run;
    if (parked) once(parked.until, () => [`waits until ${parked.until}: ${printable(parked.code)}`]);
    await sleep(PAUSE_MS);
  }
}

async function readPatiently(api: Client, runId: string): Promise<WorkflowView> {
  for (let breaks = 0; ; breaks += 1)
    try {
      return await readWorkflow(api, runId);
    } catch (error) {
      // fetch reports a lost connection as a TypeError; anything else is a refusal or a bug.
      if (!(error instanceof TypeError) || breaks >= BREAKS_MAX) throw error;
      await sleep(PAUSE_MS);
    }
}

/** Requests of the run and of the workers of its stages. */
async function permissionsOf(api: Client, { run, stages }: WorkflowView): Promise<readonly Permission[]> {
  const ids = new Set([run.run_id, ...stages.flatMap(({ worker_run_id: id }) => (id === null ? [] : [id]))]);
  return (await pendingPermissions(api, run.agent_id)).filter(({ run_id: id }) => ids.has(id));
}

/** A text as it is; other values with line breaks, unless numbers would lose digits. */
function outputText(json: string): string {
  const output: unknown = JSON.parse(json);
  if (typeof output === 'string') return printable(output);
  return printable(JSON.stringify(output) === json ? JSON.stringify(output, null, 2) : json);
}

/** Notes how a run ended, and prints its output. Returns the exit code: 0 if the run is done. */
export function printEnd(invocation: Pick<Invocation, 'json' | 'print' | 'note'>, view: WorkflowView): 0 | 1 {
  const { run } = view;
  const output = outputOf(view);
  const isDone = run.state === 'done';
  const shown = isDone && output !== null;
  for (const line of stateLines(shown ? { ...run, summary: null } : run)) invocation.note(line);
  if (invocation.json) printed(invocation, { ...view, output_json: output }, () => '');
  else if (shown) invocation.print(outputText(output));
  return isDone ? 0 : 1;
}
