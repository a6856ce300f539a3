import { plain, type Handlers } from '../../http/handler.ts';
import { findShownRun } from '../audience/run-audience.ts';
import type { Village } from '../../village.ts';
import { workflowOfRun } from './workflow-of-run.ts';

export function workflowHandlers({ db }: Village) {
  return {
    getRunWorkflow: plain(async (request) => {
      const found = await findShownRun(db, request, request.params.run_id);
      return found.ok ? workflowOfRun(db, found.data) : found;
    }),
  } satisfies Partial<Handlers>;
}
