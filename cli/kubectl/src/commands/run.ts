import type { CallInput, Client, Run, RunEvent } from '@hamlet/contract';
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
import { readOutputSchema } from '../schema-file.ts';
import { age } from '../table.ts';
import { Transcript } from '../talk/transcript.ts';
import { apiCommand } from '../village-api.ts';

/** Maximum number of pages to read; more than the largest possible run has. */
const PAGES_MAX = 100;

type Body = CallInput<typeof createRun>['body'];
type Given = Pick<Body, 'output_schema'>;
/** `reason`: why a person cancels the run. */
type Act =
  | { readonly verb: 'show'; readonly id: string }
  | { readonly verb: 'cancel'; readonly id: string; readonly reason?: string }
  | { readonly verb: 'continue'; readonly id: string; readonly given: Given }
  | { readonly verb: 'give'; readonly id: string; readonly given: Given; readonly task: string };

const CONTINUE = 'Continue this task.';

type Flags = Invocation['flags'];

function verbOf(verb: string | undefined, { reason, task }: Flags): Act['verb'] {
  if (verb !== undefined && verb !== 'cancel' && verb !== 'continue')
    throw new Failure(`unknown verb ${verb}: the verbs are cancel and continue`, 2);
  if (verb !== 'cancel' && reason !== undefined) throw new Failure('--reason is valid only with cancel', 2);
  if (task === undefined) return verb ?? 'show';
  if (verb !== undefined) throw new Failure('--task gives a new run: leave out the verb', 2);
  return 'give';
}

function runAct({ names: [id = '', named], flags }: Pick<Invocation, 'names' | 'flags'>): Act {
  const { reason, schema, task } = flags;
  const verb = verbOf(named, flags);
  if (verb === 'show' || verb === 'cancel') {
    if (schema !== undefined) throw new Failure('--schema is valid only with --task and continue', 2);
    return verb === 'show' || reason === undefined ? { verb, id } : { verb, id, reason: String(reason) };
  }
  const given: Given = schema === undefined ? {} : { output_schema: readOutputSchema(String(schema)) };
  return verb === 'give' ? { verb, id, given, task: String(task) } : { verb, id, given };
}

const give = async (api: Client, agent: string, body: Body): Promise<Run> =>
  (await dataOf(api.call(createRun, { params: { agent_id: agent }, body }))).run;

/** Gives the agent of an ended run another one, which continues its work. */
async function continued(api: Client, id: string, given: Given): Promise<Run> {
  const { run: ended } = await dataOf(api.call(getRun, { params: { run_id: id } }));
  return give(api, ended.agent_id, { prompt: CONTINUE, continues: id, ...given });
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

type Shown = { readonly run: Run; readonly events: readonly RunEvent[]; readonly output_json?: string | undefined };

function runLines({ run, events, output_json: output }: Shown, nowMs: number): readonly string[] {
  let text = '';
  const transcript = new Transcript((more) => (text += more), true);
  for (const event of events) transcript.event(event);
  const { text: task, files } = readFileList(run.prompt);
  return [
    `run of ${run.agent_id}, ${age(run.created_at, nowMs)} old: ${printable(task)}`,
    ...(files.length === 0 ? [] : [`files: ${printable(files.map(({ name }) => name).join(', '))}`]),
    ...(text === '' ? [] : [text.trimEnd()]),
    ...stateLines(output === undefined ? run : { ...run, summary: output }),
  ];
}

export const run = apiCommand({
  name: 'run',
  usage: 'ID [cancel|continue] [--reason=TEXT] [--schema=FILE] | AGENT --task=TEXT [--schema=FILE]',
  summary: 'shows the steps, words and cost of a run, cancels it, continues an ended one, or gives an agent a new one',
  details: `A cancelled run starts no more calls; the output lists its calls with an unknown outcome.
"continue" gives the agent of an ended run another one, with new limits, the same task and the last report.
With --schema, a file with a JSON Schema, the run is done only with an answer that fits it;
"-o json" prints it as "output", and as "output_json" with all digits of its numbers.`,
  options: { reason: { type: 'string' }, schema: { type: 'string' }, task: { type: 'string' } },
  names: [1, 2],
  act: runAct,
  async read(api, { id, ...act }) {
    const params = { run_id: id };
    switch (act.verb) {
      case 'give':
        return give(api, id, { prompt: act.task, ...act.given });
      case 'continue':
        return continued(api, id, act.given);
      case 'cancel': {
        const { verb: _, ...body } = act;
        return (await dataOf(api.call(cancelRun, { params, body }))).run;
      }
      case 'show': {
        const { offer: _, ...found } = await dataOf(api.call(getRun, { params }));
        return { ...found, events: await eventsOf(api, id) };
      }
    }
  },
  text(found, { verb }, nowMs) {
    if ('events' in found) return runLines(found, nowMs);
    if (verb === 'give') return `run ${found.run_id} waits for ${found.agent_id}`;
    if (verb === 'continue') return `run ${found.run_id} continues it`;
    return found.state === 'cancelled' ? 'cancelled' : `${found.state}: its agent ends it within seconds`;
  },
});
