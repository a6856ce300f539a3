import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sessionProgram } from '../../../agent-image/resident/src/hands/tools/session-script.ts';

export interface SessionPlace {
  readonly folder: string;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  /** Variables that belong to each call. */
  readonly own: readonly string[];
  /** The command is killed after this time. */
  readonly timeoutMs: number;
}

/** Runs a command as the tool `shell` does, without the supervisor of the hands. */
export async function runInSession(command: string, place: SessionPlace): Promise<void> {
  const { workspace, env, timeoutMs } = place;
  const [program = '', ...args] = sessionProgram({ ...place, command, keeps: true });
  const options = { cwd: workspace, env, stdio: 'ignore', timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
  await once(spawn(program, args, options), 'exit');
}
