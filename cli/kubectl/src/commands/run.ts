import type { Client, Run, RunEvent } from '@hamlet/contract';
import {
  cancelRun,
  createRun,
  dataOf,
  getRun,
  listRunEvents,
  readFileList,
  RUN_EVENTS_PAGE_MAX,
} from '@hamlet/contract';
import { Failure, type Invocation } from '../command.ts';
import { printable } from '../talk/printable.ts';
import { stateLines } from '../talk/run-end.ts';
import { age } from '../table.ts';
import { Transcript } from '../talk/transcript.ts';
import { apiCommand } from '../village-api.ts';

/** Maximum number of pages to read; more than the largest possible run has. */
const PAGES_MAX = 100;

interface Act {
  readonly id: string;
  readonly verb: 'show' | 'cancel' | 'continue';
  /** Why a person cancels the run. */
  readonly reason?: string;
}

const CONTINUE = 'Continue this task.';

function runAct({ names: [id = '', verb], flags: { reason } }: Pick<Invocation, 'names' | 'flags'>): Act {
  if (verb !== undefined && verb !== 'cancel' && verb !== 'continue')
    throw new Failure(`unknown verb ${verb}: the verbs are cancel and continue`, 2);
  if (verb !== 'cancel' && reason !== undefined) throw new Failure('--reason is valid only with cancel', 2);
  return { id, verb: verb ?? 'show', ...(typeof reason === 'string' ? { reason } : {}) };
}

/** Gives the agent of an ended run another one, which continues its work. */
async function continued(api: Client, id: string): Promise<Run> {
  const { run: ended } = await dataOf(api.call(getRun, { params: { run_id: id } }));
  const params = { agent_id: ended.agent_id };
  return (await dataOf(api.call(createRun, { params, body: { prompt: CONTINUE, continues: id } }))).run;
}

async function eventsOf(api: Client, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const after = events.at(-1)?.number ?? 0;
    const { events: more } = await dataOf(api.call(listRunEvents, { params: { run_id: runId }, query: { after } }));
    events.push(...more);
    if (more.length < RUN_EVENTS_PAGE_MAX) break;
  }
  return events;
}

function runLines(run: Run, events: readonly RunEvent[], nowMs: number): readonly string[] {
  let text = '';
  const transcript = new Transcript((more) => (text += more), true);
  for (const event of events) transcript.event(event);
  const { text: task, files } = readFileList(run.prompt);
  return [
    `run of ${run.agent_id}, ${age(run.created_at, nowMs)} old: ${printable(task)}`,
    ...(files.length === 0 ? [] : [`files: ${printable(files.map(({ name }) => name).join(', '))}`]),
    ...(text === '' ? [] : [text.trimEnd()]),
    ...stateLines(run),
  ];
}

export const run = apiCommand({
  name: 'run',
  usage: 'ID [cancel|continue] [--reason=TEXT]',
  summary: 'shows the steps, words and cost of a run, cancels it, or continues an ended one',
  details: `A cancelled run starts no more calls; the output lists its calls with an unknown outcome.
"continue" gives the agent of an ended run another one, with new limits, the same task and the last report.`,
  options: { reason: { type: 'string' } },
  names: [1, 2],
  act: runAct,
  async read(api, { id, verb, ...body }) {
    const params = { run_id: id };
    if (verb === 'continue') return continued(api, id);
    if (verb === 'cancel') return (await dataOf(api.call(cancelRun, { params, body }))).run;
    const { run: found } = await dataOf(api.call(getRun, { params }));
    return { run: found, events: await eventsOf(api, id) };
  },
  text(found, { verb }, nowMs) {
    if ('events' in found) return runLines(found.run, found.events, nowMs);
    if (verb === 'continue') return `run ${found.run_id} continues it`;
    return found.state === 'cancelled' ? 'cancelled' : `${found.state}: its agent ends it within seconds`;
  },
});
