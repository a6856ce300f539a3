import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { untilEnd } from '@hamlet/test/env/at-end';
import { agentToken, eventually, type AgentId, type Play } from './test-village.ts';
import { afterEach } from 'node:test';

/** Number of characters of a resident's log that are kept for a test. */
const SAID_CHARS = 65_536;
const MAIN = resolve(import.meta.dirname, '../../../../agent-image/resident/src/main.ts');

/**
 * Residents in separate processes. Each agent's memory survives from one process to the next.
 * @param play returns the village of the residents, which must have started
 * @param command a command that runs a resident; by default the resident of this work tree
 */
export function residentProcesses(
  play: () => Play,
  command: readonly [string, ...string[]] = [process.execPath, MAIN],
) {
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
    /** Starts an agent's resident without waiting; `said` returns its log so far. */
    launch: (agentId: AgentId) => launch(agentId),
    /** Starts an agent's resident and waits until it is online. Another `volume` acts as a move to another node. */
    start: async (agentId: AgentId, volume?: string) => {
      const { child } = launch(agentId, volume);
      await eventually(`${agentId} online`, async () => (await play().agent(agentId)).status.online);
      return child;
    },
    /** Kills all residents and deletes their memory. */
    remove: async () => {
      await killAll();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Residents until the tests of the calling file have ended. With `reboots`, each test ends them and reboots these agents. */
export function testResidents(play: Play, reboots?: readonly AgentId[]) {
  const residents = untilEnd(residentProcesses(() => play));
  if (reboots !== undefined)
    afterEach(async () => {
      await residents.killAll();
      for (const agent_id of reboots) await play.admin.rebootAgent({ agent_id });
    });
  return residents;
}
