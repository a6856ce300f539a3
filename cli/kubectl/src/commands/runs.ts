import type { Artifact, Client, Run } from '@hamlet/contract';
import {
  dataOf,
  listAgentArtifacts,
  listRuns,
  readFileList,
  RUNS_PAGE_MAX,
  RunState,
  streamRun,
} from '@hamlet/contract';
import { mindLabel } from '@hamlet/core/mind';
import { type Command, Failure, type FlagValue, type Invocation } from '../command.ts';
import { printable } from '../talk/printable.ts';
import { age, brief, listed } from '../table.ts';
import { Transcript } from '../talk/transcript.ts';
import { apiCommand, withApi } from '../village-api.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { persistent } from '../talk/persistent-stream.ts';
import { hasEnded, stateLines } from '../talk/run-end.ts';

const DEFAULT_LIMIT = 20;
const TEXT_CHARS = 50;
const NAMES_CHARS = 40;
const DELIVERABLES = 100;

/** Names of a run's deliverables, oldest first; empty if the caller may not read the run. */
const namesOf = (run: Run, artifacts: readonly Artifact[]): string =>
  artifacts
    .filter(({ run_id: id }) => id === run.run_id)
    .map(({ name }) => name)
    .toReversed()
    .join(', ');

/** The web has the same word for a run whose texts the caller does not read in lists. */
const summaryOf = ({ summary, error, prompt, veiled }: Run): string =>
  veiled === true ? 'A private task' : (summary ?? error?.message ?? prompt);

/** The schedule, the person or the API key that gave a run; the role of an account without a name. */
function giverOf({ schedule, created_by: { role, id, name } }: Run): string {
  return schedule?.name ?? name ?? (/^(?:key|agent) ./.test(id) ? id : role);
}

/** The task as its author wrote it: the list of given files has paths that are for the agent. */
const taskOf = ({ prompt }: Run): string => readFileList(prompt).text;

export const runsLines = (runs: readonly Run[], artifacts: readonly Artifact[], nowMs: number): string =>
  listed(runs, 'no runs', {
    RUN: ({ run_id }) => run_id,
    AGENT: ({ agent_id }) => agent_id,
    MIND: ({ mind }) => (mind === undefined ? '-' : printable(mindLabel(mind))),
    STATE: ({ state }) => state,
    FROM: (run) => printable(giverOf(run)),
    AGE: ({ created_at }) => age(created_at, nowMs),
    ATTEMPT: ({ attempt }) => attempt,
    DELIVERED: (run) => printable(brief(namesOf(run, artifacts), NAMES_CHARS)),
    SUMMARY: (run) => printable(brief(summaryOf(run), TEXT_CHARS)),
  });

/** Newest deliverables of the agents of some runs, as far as the caller may read them. */
async function deliverablesOf(api: Client, listed: readonly Run[]): Promise<readonly Artifact[]> {
  const found: Artifact[] = [];
  for (const agent_id of new Set(listed.map((run) => run.agent_id))) {
    const input = { params: { agent_id }, query: { deliverables: 'true' as const, limit: DELIVERABLES } };
    found.push(...(await dataOf(api.call(listAgentArtifacts, input))).artifacts);
  }
  return found;
}

function stateOf(flag: FlagValue): RunState | undefined {
  const state = RunState.optional().safeParse(flag);
  if (!state.success) throw new Failure(`--state must be one of ${RunState.options.join(', ')}`, 2);
  return state.data;
}

function limitOf(flag: FlagValue): number {
  const limit = Number(flag ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > RUNS_PAGE_MAX)
    throw new Failure(`--limit must be a number from 1 to ${RUNS_PAGE_MAX}`, 2);
  return limit;
}

function queryOf({ names, flags }: Invocation): {
  readonly limit: number;
  readonly agent_id?: string;
  readonly schedule?: string;
  readonly state?: RunState;
} {
  const [agent] = names;
  const { schedule } = flags;
  const state = stateOf(flags['state']);
  const filters = {
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(typeof schedule === 'string' ? { schedule } : {}),
  };
  return { limit: limitOf(flags['limit']), ...filters, ...(state === undefined ? {} : { state }) };
}

async function follow(invocation: Invocation): Promise<number> {
  const [agent] = invocation.names;
  const { schedule, state, limit } = invocation.flags;
  if (agent === undefined || [schedule, state, limit].some((flag) => flag !== undefined) || invocation.json)
    throw new Failure('usage: kubectl hamlet runs NAME --follow', 2);
  const transcript = new Transcript(invocation.write);
  const ended = await withApi(invocation, async (api) => {
    const run = await nextOpenRun(api, agent, () => transcript.line(`${agent} has no open run: waits for the next`));
    transcript.line(`run ${run.run_id}: ${printable(taskOf(run))}`);
    return followRun(api, run.run_id, transcript);
  });
  return ended.state === 'done' ? 0 : 1;
}

const list = apiCommand({
  name: 'runs',
  usage: '[NAME] [--schedule=NAME] [--state=STATE] [--limit=N] | NAME --follow',
  summary: 'lists the runs of agents with what they delivered and their results, newest first',
  details: `States: ${RunState.options.join(', ')}.\n-f, --follow prints the open run of an agent, or its next one, as it happens; exits 0 if it is done, else 1.`,
  options: {
    schedule: { type: 'string' },
    state: { type: 'string' },
    limit: { type: 'string' },
    follow: { type: 'boolean', short: 'f' },
  },
  names: [0, 1],
  act: queryOf,
  async read(api, query) {
    const found = await dataOf(api.call(listRuns, { query }));
    return { ...found, artifacts: await deliverablesOf(api, found.runs) };
  },
  text: ({ runs: found, artifacts }, _query, nowMs) => runsLines(found, artifacts, nowMs),
});

export const runs: Command = {
  ...list,
  run: (invocation) => (invocation.flags['follow'] === true ? follow(invocation) : list.run(invocation)),
};

const RUNS_SEARCHED = 50;
const PAUSE_MS = 1_000;

/** The run that an agent works on, else its oldest one that waits; undefined without an open run. Pure. */
const openRunOf = (runs: readonly Run[]): Run | undefined =>
  runs.find(({ state }) => state === 'running') ?? runs.findLast((run) => !hasEnded(run));

async function nextOpenRun(api: Client, agent: string, onWait: () => void): Promise<Run> {
  let known: ReadonlySet<string> | null = null;
  for (;;) {
    const { runs } = await dataOf(api.call(listRuns, { query: { agent_id: agent, limit: RUNS_SEARCHED } }));
    const before = known;
    const found = openRunOf(runs) ?? runs.findLast(({ run_id: id }) => before?.has(id) === false);
    if (found !== undefined) return found;
    if (known === null) onWait();
    known = new Set(runs.map(({ run_id: id }) => id));
    await sleep(PAUSE_MS);
  }
}

async function followRun(api: Client, runId: string, transcript: Transcript): Promise<Run> {
  let after = 0;
  const open = () => api.open(streamRun, { params: { run_id: runId }, query: { after } });
  for await (const event of persistent(open)) {
    if (event.event === 'delta') transcript.delta(event.data);
    if (event.event === 'run_event') {
      transcript.event(event.data);
      after = event.data.number;
    }
    if (event.event !== 'run' || !hasEnded(event.data)) continue;
    for (const line of stateLines(event.data)) transcript.line(line);
    return event.data;
  }
  throw new Error('the stream of a run ended before the run');
}
