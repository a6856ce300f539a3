import {
  type Artifact,
  type Client,
  listAgentArtifacts,
  listRuns,
  ProblemError,
  RUNS_PAGE_MAX,
  RunState,
  type Run,
} from '@hamlet/contract';
import { Failure, type Command, type Invocation } from '../command.ts';
import { followRun, nextOpenRun } from '../talk/follow-run.ts';
import { printable } from '../talk/printable.ts';
import { age, brief, jsonText, table } from '../table.ts';
import { Transcript } from '../talk/transcript.ts';
import { API_DETAILS, API_OPTIONS, withApi } from '../village-api.ts';

const DEFAULT_LIMIT = 20;
const TEXT_CHARS = 50;
const HEAD = ['RUN', 'AGENT', 'STATE', 'FROM', 'AGE', 'ATTEMPT', 'DELIVERED', 'SUMMARY'];
const NAMES_CHARS = 40;
const DELIVERABLES = 100;

/** The names of what a run delivered, oldest first; empty if the caller may not read its words. */
const namesOf = (run: Run, artifacts: readonly Artifact[]): string =>
  artifacts
    .filter(({ run_id: id }) => id === run.run_id)
    .map(({ name }) => name)
    .toReversed()
    .join(', ');

const rowOf = (run: Run, artifacts: readonly Artifact[], nowMs: number): readonly string[] => [
  run.run_id,
  run.agent_id,
  run.state,
  run.schedule?.name ?? run.created_by.role,
  age(run.created_at, nowMs),
  String(run.attempt),
  printable(brief(namesOf(run, artifacts), NAMES_CHARS)),
  printable(brief(run.summary ?? run.error?.message ?? run.prompt, TEXT_CHARS)),
];

export function runsLines(runs: readonly Run[], artifacts: readonly Artifact[], nowMs: number): string {
  if (runs.length === 0) return 'no runs';
  return table(
    HEAD,
    runs.map((run) => rowOf(run, artifacts, nowMs)),
  );
}

/** The newest deliverables of the agents of some runs, as far as the caller may read their words. */
async function deliverablesOf(api: Client, listed: readonly Run[]): Promise<readonly Artifact[]> {
  const found: Artifact[] = [];
  for (const agent_id of new Set(listed.map((run) => run.agent_id))) {
    const input = { params: { agent_id }, query: { deliverables: 'true' as const, limit: DELIVERABLES } };
    const outcome = await api.call(listAgentArtifacts, input);
    if (!outcome.ok) throw new ProblemError(outcome.problem);
    found.push(...outcome.data.artifacts);
  }
  return found;
}

function stateOf(flag: string | boolean | undefined): RunState | undefined {
  const state = RunState.optional().safeParse(flag);
  if (!state.success) throw new Failure(`--state must be one of ${RunState.options.join(', ')}`, 2);
  return state.data;
}

function limitOf(flag: string | boolean | undefined): number {
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
    transcript.line(`run ${run.run_id}: ${printable(run.prompt)}`);
    return followRun(api, run.run_id, transcript);
  });
  return ended.state === 'done' ? 0 : 1;
}

export const runs: Command = {
  name: 'runs',
  usage: '[NAME] [--schedule=NAME] [--state=STATE] [--limit=N] | NAME --follow',
  summary: 'lists the runs of agents with what they delivered and their results, newest first',
  details: `States: ${RunState.options.join(', ')}.\n-f, --follow prints the open run of an agent, or its next one, as it happens; exits 0 if it is done, else 1.\n\n${API_DETAILS}`,
  options: {
    ...API_OPTIONS,
    schedule: { type: 'string' },
    state: { type: 'string' },
    limit: { type: 'string' },
    follow: { type: 'boolean', short: 'f' },
  },
  names: [0, 1],
  async run(invocation) {
    const { json, print, nowMs } = invocation;
    if (invocation.flags['follow'] === true) return follow(invocation);
    const query = queryOf(invocation);
    const answer = await withApi(invocation, async (api) => {
      const outcome = await api.call(listRuns, { query });
      if (!outcome.ok) throw new ProblemError(outcome.problem);
      return { ...outcome.data, artifacts: await deliverablesOf(api, outcome.data.runs) };
    });
    if (json) print(jsonText(answer));
    else print(runsLines(answer.runs, answer.artifacts, nowMs));
    return 0;
  },
};
