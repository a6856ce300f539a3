import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, getAgent } from '@hamlet/contract';
import { ROOT, type DevFolder } from './dev-folder.ts';
import { withoutModelKey } from './model-choice.ts';

const LOOK_EVERY_MS = 500;

/** Replaces the operator: runs one resident process for each sample agent that is awake, and a new process for each cycle. */
export function keepResidents(folder: DevFolder, url: string): () => Promise<void> {
  const stopping = new AbortController();
  const children = new Set<ChildProcess>();

  function start(agentId: string, token: string): ChildProcess {
    const home = folder.resident(agentId);
    const child = spawn(process.execPath, [join(ROOT, 'agent-image/resident/src/main.ts')], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...withoutModelKey(process.env),
        HAMLET_API_URL: url,
        HAMLET_AGENT_ID: agentId,
        HAMLET_AGENT_TOKEN: token,
        HAMLET_STATE_DIR: home,
        HAMLET_MEMORY_DIR: home,
        HAMLET_WORKSPACE_DIR: home,
        HAMLET_SKILLS_DIR: join(ROOT, 'agent-image/skills'),
      },
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  }

  async function keep(agentId: string, token: string): Promise<void> {
    const client = createClient({ baseUrl: url, token });
    while (!stopping.signal.aborted) {
      const agent = await client.call(getAgent, { params: { agent_id: agentId } }).catch(() => null);
      if (agent?.ok === true && agent.data.power === 'Awake') await once(start(agentId, token), 'exit');
      await sleep(LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const kept = Object.entries(folder.secrets.agentTokens).map(([agentId, token]) => keep(agentId, token));
  return async () => {
    stopping.abort();
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(kept);
  };
}
