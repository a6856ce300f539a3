/** Starts a program in real hands as the runtime `acp` does, and gives it prompts. The test answers its permissions. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { openProgram, type AcpProgram } from '../../agent-image/resident/src/acp/acp-program.ts';
import type { AcpLaunch } from '../../agent-image/resident/src/acp/preset.ts';
import type { Serving } from '../../agent-image/resident/src/acp/program-link.ts';
import { startHandsProcess, type HandsProcessPorts } from '../../agent-image/resident/src/hands/hands-process.ts';
import { untilEnd } from '../env/at-end.ts';

/** The program with a new session, or with the one that it kept. It ends with the tests of the calling file. */
export async function startProgram(
  { argv, env, mode }: AcpLaunch,
  ports: HandsProcessPorts,
  kept: string | null = null,
): Promise<AcpProgram> {
  const started = { owner: `mind.${randomUUID()}`, place: { run: 'run', call: 'mind' }, argv, env };
  const process = await startHandsProcess(ports, started);
  const program = await openProgram(process, { cwd: ports.cwd, kept, mode, mcpServers: [] });
  untilEnd({ close: () => program.end() });
  return program;
}

export interface Turn {
  readonly end: 'answered' | 'refused' | 'ended' | 'cancelled';
  /** Number of permissions for which the program asked, with writes that it left to the village. */
  readonly asked: number;
  readonly words: string;
}

export interface Prompt {
  readonly text: string;
  readonly answer?: 'allow_once' | 'reject_once';
  /** Words of the answer after which a person cancels it. */
  readonly cancelAt?: string;
}

export async function turnOf(program: AcpProgram, { text, answer = 'allow_once', cancelAt }: Prompt): Promise<Turn> {
  const cancel = new AbortController();
  let [asked, words] = [0, ''];
  const serving: Serving = {
    onUpdate: (update) => {
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
        words += update.content.text;
      if (cancelAt !== undefined && words.includes(cancelAt)) cancel.abort();
    },
    onPermission: async ({ options }) => {
      asked += 1;
      return options.find(({ kind }) => kind === answer)?.optionId ?? null;
    },
    onRead: ({ path }) => readFile(path, 'utf8'),
    onWrite: async ({ path, content }) => {
      asked += 1;
      if (answer === 'allow_once') await writeFile(path, content);
      else throw new Error('a person refused it');
    },
  };
  const { kind } = await program.prompt(text, serving, cancel.signal);
  return { end: kind, asked, words };
}
