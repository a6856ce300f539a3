/** Commands in the hands of an agent, beside the agent. */
import { spawn } from 'node:child_process';
import { tryRun, type RunResult } from '../local/village/command.ts';

export interface Hands {
  /** Runs a script of bash, for at most a minute by default. */
  run(script: string, options?: { readonly input?: string; readonly limitS?: number }): Promise<RunResult>;
  /** Starts a command that serves until `stop`. */
  start(command: string): Promise<{ stop(): void }>;
}

/** @param prefix returns the words before a command that carry it into the hands */
export const handsBy = (prefix: () => Promise<readonly string[]>, env: Record<string, string> = {}): Hands => ({
  run: async (script, { input, limitS = 60 } = {}) => {
    const [program = '', ...args] = [...(await prefix()), 'timeout', '-k', '5', `${limitS}`, 'bash', '-c', script];
    return tryRun(program, args, input === undefined ? { env } : { env, input });
  },
  start: async (command) => {
    const [program = '', ...args] = [...(await prefix()), 'bash', '-c', `exec ${command}`];
    const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } });
    child.on('error', () => undefined);
    return { stop: () => void child.kill() };
  },
});

/** Runs a script that has to succeed. */
export async function mustRun(hands: Hands, script: string, input?: string): Promise<void> {
  const { code, output } = await hands.run(script, input === undefined ? {} : { input });
  if (code !== 0)
    throw new Error(`${script.slice(0, 100)} ended in the hands with ${code}: ${output.trim().slice(-500)}`);
}

/** Unpacks a tar in base64 into a folder. */
export const unpack = (hands: Hands, tar: string, folder: string): Promise<void> =>
  mustRun(hands, `mkdir -p '${folder}' && base64 -d | tar -x -C '${folder}'`, tar);
