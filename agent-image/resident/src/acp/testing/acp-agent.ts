/**
 * A program that speaks the Agent Client Protocol on its standard streams, as strict as the library. It carries out the script at the
 * end of a prompt: `SCRIPT [steps]`. Its first argument is a folder, in which it keeps its sessions; the second chooses a quirk.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  agent,
  ndJsonStream,
  type AgentContext,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

export type AcpStep =
  | Readonly<{ update: SessionUpdate }>
  /** Asks for a permission, and writes the chosen option as words. */
  | Readonly<{ ask: Readonly<Record<string, unknown>>; options?: readonly string[] }>
  | Readonly<{ read: string } | { write: string; content: string }>
  /** Writes the value of a variable, its session or its mode as words. */
  | Readonly<{ show: string }>
  /** Waits until a file exists. */
  | Readonly<{ until: string }>
  | Readonly<{ print: string; times?: number }>
  | Readonly<{ many: number }>
  | Readonly<{ call: string }>
  | Readonly<{ stop: 'refusal' | 'max_tokens' }>
  | Readonly<{ fail: string }>
  | Readonly<{ exit: number }>
  | Readonly<{ deaf: true }>;

const [folder = '.', quirk = ''] = process.argv.slice(2);
const file = join(folder, 'acp-sessions');
const known = (): readonly string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
const modes = {
  currentModeId: 'auto',
  availableModes: [
    { id: 'auto', name: 'Auto' },
    { id: 'ask', name: 'Ask' },
  ],
};
let mode = 'auto';
let mcpServers = '';
const cancelled = new Set<string>();
let isDeaf = false;

const said = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});

interface Turn {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly prompt: string;
}

const VALUES: Readonly<Record<string, (turn: Turn) => string>> = {
  session: ({ sessionId }) => sessionId,
  mode: () => mode,
  servers: () => mcpServers,
  prompt: ({ prompt }) => prompt,
  pid: () => String(process.pid),
};

async function asked({ client, sessionId }: Turn, toolCall: object, options: readonly string[]): Promise<string> {
  const offered = options.map((kind) => ({ optionId: `id_${kind}`, name: kind, kind: kind as 'allow_once' }));
  const request: RequestPermissionRequest = {
    sessionId,
    toolCall: { toolCallId: 'c1', ...toolCall },
    options: offered,
  };
  const { outcome } = await client.request('session/request_permission', request);
  return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
}

type Perform<Step> = (turn: Turn, step: Step) => Promise<string | void> | string | void;
type StepOf<Key extends string> = Extract<AcpStep, Readonly<Record<Key, unknown>>>;

/** For each kind of step: does it, and returns its words. */
const STEPS: Readonly<Record<string, Perform<never>>> = {
  update: ({ client, sessionId }, { update }: StepOf<'update'>) =>
    client.notify('session/update', { sessionId, update }),
  ask: (turn, { ask, options = ['allow_once', 'allow_always', 'reject_once'] }: StepOf<'ask'>) =>
    asked(turn, ask, options),
  read: async ({ client, sessionId }, { read: path }: StepOf<'read'>) =>
    (await client.request('fs/read_text_file', { sessionId, path })).content,
  write: async ({ client, sessionId }, { write: path, content }: StepOf<'write'>) => {
    await client.request('fs/write_text_file', { sessionId, path, content });
  },
  show: (turn, { show }: StepOf<'show'>) => VALUES[show]?.(turn) ?? process.env[show] ?? 'unset',
  until: async ({ sessionId }, { until }: StepOf<'until'>) => {
    while (!existsSync(until) && (isDeaf || !cancelled.has(sessionId))) await delay(10);
  },
  print: (_turn, { print, times = 1 }: StepOf<'print'>) => {
    for (let each = 0; each < times; each += 1) process.stdout.write(print);
  },
  many: async ({ client, sessionId }, { many }: StepOf<'many'>) => {
    for (let each = 0; each < many; each += 1) await client.notify('session/update', { sessionId, update: said('x') });
  },
  call: async ({ client }, { call }: StepOf<'call'>) => String(await client.request(call, {})),
  fail: (_turn, { fail }: StepOf<'fail'>) => {
    throw new Error(fail);
  },
  exit: (_turn, { exit }: StepOf<'exit'>) => {
    process.stderr.write('the roof fell in\n');
    process.exit(exit);
  },
  deaf: () => void (isDeaf = true),
};

async function carryOut(turn: Turn, step: AcpStep): Promise<string | null> {
  const [kind = ''] = Object.keys(step);
  return (await STEPS[kind]?.(turn, step as never)) ?? null;
}

async function work(turn: Turn): Promise<'end_turn' | 'cancelled' | 'refusal' | 'max_tokens'> {
  const steps = JSON.parse(turn.prompt.split('SCRIPT ').at(-1) ?? '[]') as readonly AcpStep[];
  for (const step of steps) {
    if ('stop' in step) return step.stop;
    const words = await carryOut(turn, step).catch((error: unknown) => {
      if ('fail' in step) throw error;
      return `[${error instanceof Error ? error.message : String(error)}]`;
    });
    if (words !== null) await turn.client.notify('session/update', { sessionId: turn.sessionId, update: said(words) });
    if (!isDeaf && cancelled.delete(turn.sessionId)) return 'cancelled';
  }
  return 'end_turn';
}

agent({ name: 'toy' })
  .onRequest('initialize', () => ({
    protocolVersion: quirk === 'newer' ? 9 : 1,
    agentCapabilities: { loadSession: quirk !== 'forgets' },
    agentInfo: { name: 'Toy', version: '1.2.3' },
  }))
  .onRequest('session/new', ({ params }) => {
    const sessionId = `s${known().length + 1}`;
    appendFileSync(file, `${sessionId}\n`);
    mcpServers = JSON.stringify(params.mcpServers);
    return { sessionId, modes };
  })
  .onRequest('session/load', async ({ params: { sessionId }, client }) => {
    if (quirk === 'chokes') process.exit(9);
    if (!known().includes(sessionId)) throw new Error('no such session');
    await client.notify('session/update', { sessionId, update: said('replayed words') });
    return { modes };
  })
  .onRequest('session/set_mode', ({ params: { modeId } }) => void (mode = modeId))
  .onRequest('session/prompt', async ({ params, client }) => {
    const prompt = params.prompt.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    return { stopReason: await work({ client, sessionId: params.sessionId, prompt }) };
  })
  .onNotification('session/cancel', ({ params: { sessionId } }) => void cancelled.add(sessionId))
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
