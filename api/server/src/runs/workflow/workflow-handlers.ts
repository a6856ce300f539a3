import { plain, type Handlers } from '../../http/handler.ts';
import { findShownRun } from '../audience/run-audience.ts';
import type { Village } from '../../village.ts';
import { rerunRun } from './rerun-run.ts';
import { workflowOfRun } from './workflow-of-run.ts';

export function workflowHandlers(village: Village) {
  return {
    getRunWorkflow: plain(async (request) => {
      const found = await findShownRun(village.db, request, request.params.run_id);
      return found.ok ? workflowOfRun(village.db, found.data) : found;
    }),
    rerunRun: rerunRun(village),
  } satisfies Partial<Handlers>;
}
