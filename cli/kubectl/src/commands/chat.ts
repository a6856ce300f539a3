import { createSession, dataOf, ProblemError, type Client, type GivenFile, type Permission } from '@hamlet/contract';
import { Failure, type Command, type Invocation } from '../command.ts';
import { readGivenFiles } from '../talk/given-files.ts';
import { answerHint, permissionLines } from '../talk/permission-text.ts';
import { talk, type Turn } from '../talk/talk.ts';
import type { Terminal } from '../terminal.ts';
import { Transcript } from '../talk/transcript.ts';
import { ofApi, refusalText, withApi } from '../village-api.ts';
import { sendAnswer, type AnswerBody } from './approve.ts';

const CHOICES: Readonly<Record<Permission['why'], string>> = {
  policy: 'Allow it? [y]es, [n]o: ',
  unknown: 'Did it happen? [h]appened, [r]epeat it, [n]either: ',
  question: 'Your answer (empty to refuse): ',
};
const ANSWERS: Readonly<Record<string, AnswerBody>> = {
  y: { answer: 'allow' },
  h: { answer: 'happened' },
  r: { answer: 'repeat' },
  n: { answer: 'deny' },
};

/** Parses a typed answer; null if the request does not offer it. Pure. */
export function typedAnswer(why: Permission['why'], typed: string): AnswerBody | null {
  const text = typed.trim();
  if (why === 'question') return text === '' ? { answer: 'deny' } : { answer: 'allow', reply: text };
  const letter = text.slice(0, 1).toLowerCase();
  const fits = why === 'policy' ? 'yn' : 'hrn';
  return letter !== '' && fits.includes(letter) ? (ANSWERS[letter] ?? null) : null;
}

/** Shows a request and, on a terminal, asks for the answer. Prints the refusal if another person answered first. */
async function decide(
  { terminal, nowMs }: Invocation,
  { api, transcript }: Turn,
  permission: Permission,
): Promise<void> {
  for (const line of permissionLines(permission, nowMs)) transcript.line(line);
  if (!terminal.isInteractive) return transcript.line(`  ${answerHint(permission)}`);
  const body = await askUntilFit(terminal, permission);
  if (body === null) return;
  try {
    await sendAnswer(api, permission.permission_id, body);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    transcript.line(`  ${refusalText(error)}`);
  }
}

async function askUntilFit(terminal: Terminal, { why }: Permission): Promise<AnswerBody | null> {
  for (;;) {
    const typed = await terminal.ask(CHOICES[why]);
    if (typed === null) return null;
    const body = typedAnswer(why, typed);
    if (body !== null) return body;
  }
}

async function openSession(api: Client, agent: string): Promise<string> {
  return (await dataOf(api.call(createSession, { params: { agent_id: agent }, body: {} }))).session.session_id;
}

/** @param given the files that go with the first message */
async function converse(invocation: Invocation, api: Client, given: readonly GivenFile[]): Promise<number> {
  const { names, flags, terminal, write } = invocation;
  const [agent = ''] = names;
  const { once } = flags;
  let files = given;
  const session = typeof flags['session'] === 'string' ? flags['session'] : await openSession(api, agent);
  const turn: Turn = { api, session, transcript: new Transcript(write) };
  const send = (text: string): Promise<boolean> => {
    const message = { text, files };
    files = [];
    return talk(turn, message, (permission) => decide(invocation, turn, permission));
  };
  if (typeof once === 'string') return (await send(once)) ? 0 : 1;
  turn.transcript.line(`You talk with ${agent}; an empty line or Ctrl-D ends. Later: --session=${session}`);
  if (files.length > 0) turn.transcript.line(`Your first message takes ${files.map(({ name }) => name).join(', ')}.`);
  for (;;) {
    const text = await terminal.ask('> ');
    if (text === null || text.trim() === '') return 0;
    await send(text);
  }
}

export const chat: Command = ofApi({
  name: 'chat',
  usage: 'NAME [--once=TEXT] [--session=ID] [--file=PATH]...',
  summary: 'talks with an agent: words and calls as they happen, and its requests for permission',
  details: `Opens a new session, or continues the one of --session. On a terminal it asks you about permissions; elsewhere it
prints how to answer. --once sends one message, and exits 0 when it is answered and 1 when it is not. --file gives a
file with the first message, at most four of 512 KiB each; the agent finds it in its workspace.`,
  options: {
    once: { type: 'string' },
    session: { type: 'string' },
    file: { type: 'string', multiple: true },
  },
  names: [1, 1],
  async run(invocation) {
    if (invocation.flags['once'] === undefined && !invocation.terminal.isInteractive)
      throw new Failure('chat needs a terminal: send one message with --once=TEXT', 2);
    const { file } = invocation.flags;
    const files = readGivenFiles(typeof file === 'object' ? file : []);
    return withApi(invocation, (api) => converse(invocation, api, files));
  },
});
