/** A model that writes a file with the shell of the program that asks it, for tests of real programs. */
import {
  OPENAI_WIRE,
  startWireServer,
  type ScriptedAnswer,
  type WireAnswer,
  type WireServer,
} from '@hamlet/models/testing';

/** Asks the model to write the word bread into a file. */
export const writing = (file: string): string => `WRITE(${file}): write the word bread into ${file}`;
/** Asks the model for an answer that never ends. */
export const ENDLESS = 'ENDLESS: count to infinity';
/** The first word of the answer after the attempt to write the file. */
export const FINISHED = 'FINISHED';

interface Message {
  readonly role: string;
  readonly content?: unknown;
}

interface Chat {
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly stream?: boolean;
}

/** With these arguments Codex asks a person about a command that its sandbox forbids. */
const ESCALATED = { sandbox_permissions: 'require_escalated', justification: 'May I write the file?' };

/** The arguments of a shell command, by the name of a program's tool. */
export const SHELLS: Readonly<Record<string, (command: string, isConfined: boolean) => object>> = {
  exec_command: (cmd, isConfined) => ({ cmd, ...(isConfined && ESCALATED) }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
  shell_command: (command) => ({ command }),
  Bash: (command) => ({ command, description: 'Writes a file' }),
  bash: (command) => ({ command, description: 'Writes a file' }),
  run_shell_command: (command) => ({ command, description: 'Writes a file', is_background: false }),
};

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? '');

/** The answer depends on the request alone, because a program may repeat it. Pure. */
export function coderAnswer({ messages, tools = [] }: Chat): ScriptedAnswer | 'endless' {
  const at = messages.findLastIndex((each) => each.role === 'user' && /WRITE\(|ENDLESS/.test(textOf(each)));
  const asked = textOf(messages.at(Math.max(at, 0)) ?? { role: 'user' });
  const file = /.*WRITE\(([\w.-]+)\)/s.exec(asked)?.[1];
  const shell = tools.map(({ function: { name } }) => name).find((name) => Object.hasOwn(SHELLS, name));
  if (shell !== undefined && /ENDLESS(?!.*WRITE\()/s.test(asked)) return 'endless';
  if (file === undefined) return { text: ['ok'] };
  // A form in which Aider takes whole files.
  if (shell === undefined) return { text: [`${file}\n\`\`\`\nbread\n\`\`\`\n`] };
  const result = messages.slice(at).findLast(({ role }) => role === 'tool');
  if (result !== undefined) return { text: [`${FINISHED}: ${textOf(result).slice(0, 300)}`] };
  return writes(file, shell, messages);
}

function writes(file: string, shell: string, messages: readonly Message[]): ScriptedAnswer {
  const isConfined = messages.some((each) => textOf(each).includes('`sandbox_mode` is `read-only`'));
  const args = SHELLS[shell]?.(`echo bread > ${file} && cat ${file}`, isConfined);
  return { text: ['I write it.'], calls: [{ id: `call_${file}`, name: shell, pieces: [JSON.stringify(args)] }] };
}

function wireAnswer(body: unknown): WireAnswer {
  const chat = body as Chat;
  const answer = coderAnswer(chat);
  if (answer !== 'endless') return chat.stream === true ? OPENAI_WIRE.stream(answer) : OPENAI_WIRE.plain(answer);
  const { chunks, ...head } = OPENAI_WIRE.stream({ text: ['one, '] });
  return { ...head, chunks: [...chunks.slice(0, 2), 'hold'] };
}

export const startCoderMind = (): Promise<WireServer> =>
  startWireServer([], {
    otherwise: ({ method, path, body }) => {
      if (method === 'GET')
        return { chunks: [JSON.stringify({ object: 'list', data: [{ id: 'up-model', object: 'model' }] })] };
      return path === '/v1/chat/completions' ? wireAnswer(body) : null;
    },
  });
