import { listWorkers, ProblemError, type Worker } from '@hamlet/contract';
import type { Command } from '../command.ts';
import { printable } from '../talk/printable.ts';
import { age, brief, jsonText, table } from '../table.ts';
import { API_DETAILS, API_OPTIONS, withApi } from '../village-api.ts';

const TEXT_CHARS = 50;
const HEAD = ['WORKER', 'OF', 'ROLE', 'STATE', 'AGE', 'TOKENS', 'COST', 'RESULT'];

function resultOf({ run, envelope }: Worker): string {
  const [error] = envelope?.errors ?? [];
  return error === undefined ? (envelope?.summary ?? run.prompt) : `${error.code}: ${error.what}`;
}

const rowOf = (worker: Worker, nowMs: number): readonly string[] => {
  const { run } = worker;
  return [
    run.run_id,
    run.worker?.parent_run_id ?? '-',
    printable(run.worker?.role ?? '-'),
    run.state,
    age(run.created_at, nowMs),
    String(run.usage.tokens),
    run.usage.cost,
    printable(brief(resultOf(worker), TEXT_CHARS)),
  ];
};

/** The workers of an agent, newest first; for a worker that has not ended, its task stands for the result. Pure. */
export function workersLines(workers: readonly Worker[], agent: string, nowMs: number): string {
  if (workers.length === 0) return `${agent} has no workers`;
  return table(
    HEAD,
    workers.map((worker) => rowOf(worker, nowMs)),
  );
}

export const workers: Command = {
  name: 'workers',
  usage: 'NAME [--active] [--of=RUN]',
  summary: 'lists the workers of an agent, newest first',
  details: `A worker does a part of a run of its agent, which delegated that part. --active leaves out those that have ended,
--of=RUN lists those of one run. "kubectl hamlet run ID cancel" cancels a worker, or a run with all of its workers.\n\n${API_DETAILS}`,
  options: { ...API_OPTIONS, active: { type: 'boolean' }, of: { type: 'string' } },
  names: [1, 1],
  async run(invocation) {
    const { json, print, nowMs, names, flags } = invocation;
    const [agent = ''] = names;
    const { active, of: parent } = flags;
    const query = {
      ...(active === true ? { active: 'true' as const } : {}),
      ...(typeof parent === 'string' ? { parent_run_id: parent } : {}),
    };
    const answer = await withApi(invocation, async (api) => {
      const outcome = await api.call(listWorkers, { params: { agent_id: agent }, query });
      if (!outcome.ok) throw new ProblemError(outcome.problem);
      return outcome.data;
    });
    print(json ? jsonText(answer) : workersLines(answer.workers, agent, nowMs));
    return 0;
  },
};
