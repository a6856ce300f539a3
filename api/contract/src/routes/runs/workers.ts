import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { Worker, WORKERS_KEPT } from '../../values/worker.ts';

export const listWorkers = defineRoute('listWorkers GET /agents/{agent_id}/workers', {
  tag: 'runs',
  summary: `Workers of an agent, newest first; the newest ${WORKERS_KEPT} that have ended are kept. To cancel one, cancel its run; to cancel all of a run, cancel that run`,
  permission: 'workers:read',
  query: z.strictObject({
    active: z.enum(['true', 'false']).default('false').describe('Only those that have not ended'),
    run_id: z.uuid().optional().describe('One worker, by its run'),
    parent_run_id: z.uuid().optional().describe('Only those that work for this run'),
  }),
  answer: json(z.strictObject({ workers: z.array(Worker) })),
  reasons: ['not_own_agent', 'stale_cycle'],
});
