/** Commands in the hands of an agent, beside the agent. */
import { tryRun, type RunResult } from '../local/village/command.ts';

/** Runs a script of bash in the hands, for at most a minute by default. */
export type Hands = (
  script: string,
  options?: { readonly input?: string; readonly limitS?: number },
) => Promise<RunResult>;

/** @param prefix returns the words before a command that carry it into the hands */
export const handsBy =
  (prefix: () => Promise<readonly string[]>, env: Record<string, string> = {}): Hands =>
  async (script, { limitS = 60, ...options } = {}) => {
    const [program = '', ...args] = [...(await prefix()), 'timeout', '-k', '5', `${limitS}`, 'bash', '-c', script];
    return tryRun(program, args, { env, ...options });
  };

/** Runs a script that must succeed. */
export async function mustRun(hands: Hands, script: string, input?: string): Promise<void> {
  const { code, output } = await hands(script, input === undefined ? {} : { input });
  if (code !== 0)
    throw new Error(`${script.slice(0, 100)} ended in the hands with code ${code}: ${output.trim().slice(-500)}`);
}
