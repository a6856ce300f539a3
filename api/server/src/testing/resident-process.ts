import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Play } from './play.ts';
import { agentToken, eventually } from './test-village.ts';
import type { AgentId } from './test-village.ts';

/** Characters of a resident's log that are kept for a test. */
const SAID_CHARS = 65_536;
const MAIN = resolve(import.meta.dirname, '../../../../agent-image/resident/src/main.ts');

/** Residents as processes of their own. Each agent keeps its memory from one process to the next. */
export interface ResidentProcesses {
  /** Starts the resident of an agent and waits until the village sees it. `volume` is another than the agent's own, as on another node. */
  start(agentId: AgentId, volume?: string): Promise<ChildProcess>;
  /** Starts the resident of an agent without waiting; `said` is what it has logged so far. */
  launch(agentId: AgentId): { readonly child: ChildProcess; said(): string };
  /** Kills a process without a word. */
  kill(child: ChildProcess): Promise<void>;
  killAll(): Promise<void>;
  /** Kills all and forgets what they remembered. */
  remove(): Promise<void>;
}

/**
 * @param play of the village that they live in, once that has started
 * @param command that is a resident; this work tree's when it is left out
 */
export function residentProcesses(
  play: () => Play,
  command: readonly [string, ...string[]] = [process.execPath, MAIN],
): ResidentProcesses {
  const [file, ...args] = command;
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-test-residents-'));
  const running = new Set<ChildProcess>();

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async function killAll(): Promise<void> {
    for (const child of running) await kill(child);
  }

  function launch(agentId: AgentId, volume: string = agentId): { readonly child: ChildProcess; said(): string } {
    const home = join(folder, volume);
    const own = {
      HAMLET_API_URL: play().url,
      HAMLET_AGENT_ID: agentId,
      HAMLET_AGENT_TOKEN: agentToken(agentId),
      HAMLET_STATE_DIR: home,
      HAMLET_MEMORY_DIR: home,
      HAMLET_WORKSPACE_DIR: home,
    };
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...own } });
    running.add(child);
    child.once('exit', () => running.delete(child));
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-SAID_CHARS);
    });
    return { child, said: () => said };
  }

  return {
    kill,
    killAll,
    launch: (agentId) => launch(agentId),
    start: async (agentId, volume) => {
      const { child } = launch(agentId, volume);
      await eventually(`${agentId} online`, async () => (await play().agent(agentId)).status.online);
      return child;
    },
    remove: async () => {
      await killAll();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
