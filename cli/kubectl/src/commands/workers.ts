import { dataOf, listWorkers, type Worker } from '@hamlet/contract';
import { printable } from '../talk/printable.ts';
import { age, brief, listed } from '../table.ts';
import { apiCommand } from '../village-api.ts';

const TEXT_CHARS = 50;

function resultOf({ run, envelope }: Worker): string {
  const [error] = envelope?.errors ?? [];
  return error === undefined ? (envelope?.summary ?? run.prompt) : `${error.code}: ${error.what}`;
}

/** Shows the task of a running worker instead of a result. */
export const workersLines = (workers: readonly Worker[], agent: string, nowMs: number): string =>
  listed(workers, `${agent} has no workers`, {
    WORKER: ({ run }) => run.run_id,
    OF: ({ run }) => run.worker?.parent_run_id ?? '-',
    ROLE: ({ run }) => printable(run.worker?.role ?? '-'),
    STATE: ({ run }) => run.state,
    AGE: ({ run }) => age(run.created_at, nowMs),
    TOKENS: ({ run }) => run.usage.tokens,
    COST: ({ run }) => run.usage.cost,
    RESULT: (worker) => printable(brief(resultOf(worker), TEXT_CHARS)),
  });

export const workers = apiCommand({
  name: 'workers',
  usage: 'NAME [--active] [--of=RUN]',
  summary: 'lists the workers of an agent, newest first',
  details: `A worker does a part of a run of its agent, which delegated that part. --active leaves out those that have ended,
--of=RUN lists those of one run. "kubectl hamlet run ID cancel" cancels a worker, or a run with all of its workers.`,
  options: { active: { type: 'boolean' }, of: { type: 'string' } },
  names: [1, 1],
  act: ({ names: [agent = ''], flags: { active, of: parent } }) => ({
    agent,
    query: {
      ...(active === true ? { active: 'true' as const } : {}),
      ...(typeof parent === 'string' ? { parent_run_id: parent } : {}),
    },
  }),
  read: (api, { agent, query }) => dataOf(api.call(listWorkers, { params: { agent_id: agent }, query })),
  text: ({ workers: found }, { agent }, nowMs) => workersLines(found, agent, nowMs),
});
