import {
  cancelRun,
  getRun,
  listRunEvents,
  ProblemError,
  RUN_EVENTS_PAGE_MAX,
  type Client,
  type Run,
  type RunEvent,
} from '@hamlet/contract';
import { Failure, type Command, type Invocation } from '../command.ts';
import { printable } from '../talk/printable.ts';
import { stateLines } from '../talk/run-end.ts';
import { age, jsonText } from '../table.ts';
import { Transcript } from '../talk/transcript.ts';
import { API_DETAILS, API_OPTIONS, withApi } from '../village-api.ts';

/** More events than a run of the largest budget has. */
const PAGES_MAX = 100;

type Act = { readonly kind: 'show' } | { readonly kind: 'cancel'; readonly reason?: string };

function runAct({ names, flags: { reason } }: Pick<Invocation, 'names' | 'flags'>): Act {
  const [, verb] = names;
  if (verb !== undefined && verb !== 'cancel') throw new Failure(`${verb}: the only verb is cancel`, 2);
  if (verb === undefined && reason !== undefined) throw new Failure('--reason goes with cancel', 2);
  if (verb === undefined) return { kind: 'show' };
  return typeof reason === 'string' ? { kind: 'cancel', reason } : { kind: 'cancel' };
}

async function eventsOf(api: Client, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const after = events.at(-1)?.number ?? 0;
    const outcome = await api.call(listRunEvents, { params: { run_id: runId }, query: { after } });
    if (!outcome.ok) throw new ProblemError(outcome.problem);
    events.push(...outcome.data.events);
    if (outcome.data.events.length < RUN_EVENTS_PAGE_MAX) break;
  }
  return events;
}

function show({ print, nowMs }: Invocation, run: Run, events: readonly RunEvent[]): void {
  print(`run of ${run.agent_id}, ${age(run.created_at, nowMs)} old: ${printable(run.prompt)}`);
  let text = '';
  const transcript = new Transcript((more) => (text += more));
  for (const event of events) transcript.event(event);
  if (text !== '') print(text.trimEnd());
  for (const line of stateLines(run)) print(line);
}

export const run: Command = {
  name: 'run',
  usage: 'ID [cancel] [--reason=TEXT]',
  summary: 'shows the steps, words and cost of a run, or cancels it',
  details: `A cancelled run starts nothing more; its calls whose end is unknown are named.\n\n${API_DETAILS}`,
  options: { ...API_OPTIONS, reason: { type: 'string' } },
  names: [1, 2],
  async run(invocation) {
    const act = runAct(invocation);
    const params = { run_id: invocation.names[0] ?? '' };
    const { run: found, events } = await withApi(invocation, async (api) => {
      const body = act.kind === 'cancel' && act.reason !== undefined ? { reason: act.reason } : {};
      const outcome =
        act.kind === 'cancel' ? await api.call(cancelRun, { params, body }) : await api.call(getRun, { params });
      if (!outcome.ok) throw new ProblemError(outcome.problem);
      return { ...outcome.data, events: act.kind === 'show' ? await eventsOf(api, params.run_id) : [] };
    });
    if (invocation.json) invocation.print(jsonText(act.kind === 'show' ? { run: found, events } : found));
    else if (act.kind === 'show') show(invocation, found, events);
    else
      invocation.print(found.state === 'cancelled' ? 'cancelled' : `${found.state}: its agent ends it within seconds`);
    return 0;
  },
};
