import { listRuns, ProblemError, RUNS_PAGE_MAX, RunState, type Run } from '@hamlet/contract';
import { Failure, type Command, type Invocation } from '../command.ts';
import { age, brief, jsonText, table } from '../table.ts';
import { API_DETAILS, API_OPTIONS, withApi } from '../village-api.ts';

const DEFAULT_LIMIT = 20;
const TEXT_CHARS = 50;
const HEAD = ['RUN', 'AGENT', 'STATE', 'FROM', 'AGE', 'ATTEMPT', 'SUMMARY'];

const rowOf = (run: Run, nowMs: number): readonly string[] => [
  run.run_id,
  run.agent_id,
  run.state,
  run.schedule?.name ?? run.created_by.role,
  age(run.created_at, nowMs),
  String(run.attempt),
  brief(run.summary ?? run.error?.message ?? run.prompt, TEXT_CHARS),
];

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

export const runs: Command = {
  name: 'runs',
  usage: '[NAME] [--schedule=NAME] [--state=STATE] [--limit=N]',
  summary: 'lists the runs of agents and their results, newest first',
  details: `States: ${RunState.options.join(', ')}.\n\n${API_DETAILS}`,
  options: { ...API_OPTIONS, schedule: { type: 'string' }, state: { type: 'string' }, limit: { type: 'string' } },
  names: [0, 1],
  async run(invocation) {
    const { json, print, nowMs } = invocation;
    const query = queryOf(invocation);
    const answer = await withApi(invocation, async (api) => {
      const outcome = await api.call(listRuns, { query });
      if (!outcome.ok) throw new ProblemError(outcome.problem);
      return outcome.data;
    });
    if (json) print(jsonText(answer));
    else if (answer.runs.length === 0) print('no runs');
    else
      print(
        table(
          HEAD,
          answer.runs.map((run) => rowOf(run, nowMs)),
        ),
      );
    return 0;
  },
};
