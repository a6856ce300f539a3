import { join } from 'node:path';
import type { AgentRuntime } from '@hamlet/engine';
import type { Environment } from '../process/environment.ts';
import { onceItSucceeds } from '../process/once-it-succeeds.ts';
import { retry } from '../village/retry.ts';
import type { Village } from '../village/village.ts';
import type { TaskPorts } from './open-task.ts';

const FOLDER = 'workflow';

interface WorkflowParts extends Omit<TaskPorts, 'folder' | 'workspace'> {
  readonly env: Environment;
  readonly village: Pick<Village, 'models'>;
}

/** The runtime `workflow`: one for all runs of a resident. Its code is loaded only for a run with a workflow. */
export function workflowRuntimes({ env, village, ...parts }: WorkflowParts): () => AgentRuntime {
  const loaded = onceItSucceeds(async () => {
    const { createWorkflowRuntime } = await import('./workflow-runtime.ts');
    return createWorkflowRuntime({
      ...parts,
      folder: join(env.HAMLET_STATE_DIR, FOLDER, env.HAMLET_AGENT_ID),
      workspace: env.HAMLET_HANDS_WORKSPACE,
      models: async (signal: AbortSignal) => {
        const answer = await retry(() => village.models(), signal, parts);
        return answer.kind === 'ok' ? answer.value : null;
      },
    });
  });
  return () => ({
    initialize: async (config, host) => (await loaded()).initialize(config, host),
    execute: async (input, context) => (await loaded()).execute(input, context),
    terminate: async () => {},
  });
}
