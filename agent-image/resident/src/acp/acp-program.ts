import { setTimeout as delay } from 'node:timers/promises';
import type { McpServer, NewSessionRequest, NewSessionResponse } from '@agentclientprotocol/sdk';
import type { AgentConfig } from '@hamlet/contract';
import { RunFailure } from '@hamlet/engine';
import type { HandsProcess } from '../hands/hands-process.ts';
import { isRefusal, linkTo, messageOf, type ProgramLink, type Serving } from './program-link.ts';

const PROTOCOL_VERSION = 1;
const INITIALIZE_MS = 120_000;
const SESSION_MS = 180_000;
/** After a cancel the program may end its turn by itself; then it is ended. */
const CANCEL_MS = 2_000;

export interface SessionWanted {
  readonly cwd: string;
  /** The session that the program kept for the conversation; null if there is none. */
  readonly kept: string | null;
  readonly mode: string | null;
  readonly mcpServers: AgentConfig['mcp_servers'];
}

/** The end of a prompt. `ended`: the program has ended, with the reason. */
export type PromptEnd =
  | Readonly<{ kind: 'answered'; reason: string }>
  | Readonly<{ kind: 'refused'; message: string }>
  | Readonly<{ kind: 'ended'; why: string }>
  | Readonly<{ kind: 'cancelled' }>;

export interface AcpProgram {
  readonly session: string;
  /** False if the program has loaded the session that it kept. */
  readonly isNew: boolean;
  /** Name and version as the program says them; empty if it does not. */
  readonly info: Readonly<{ name: string; version: string }>;
  prompt(text: string, serving: Serving, signal: AbortSignal): Promise<PromptEnd>;
  /** True if the next prompt needs a new process. */
  isOver(): boolean;
  end(): Promise<void>;
}

/** Begins to speak the protocol with a program that has started, and opens its session. Rejects with `RunFailure`, and ends it then. */
export async function openProgram(process: HandsProcess, wanted: SessionWanted): Promise<AcpProgram> {
  const link = await linkTo(process);
  try {
    return await opened(process, link, wanted);
  } catch (error) {
    link.connection.close();
    await process.end();
    throw error;
  }
}

async function opened(process: HandsProcess, link: ProgramLink, wanted: SessionWanted): Promise<AcpProgram> {
  const { connection, ended, serve } = link;
  let isOver = false;
  void ended.then(async () => {
    isOver = true;
    await process.end();
  });
  const begun = await within(link, INITIALIZE_MS, () =>
    connection.agent.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
      clientInfo: { name: 'hamlet', version: '1' },
    }),
  );
  if (begun.protocolVersion !== PROTOCOL_VERSION)
    throw notStarted(`it speaks version ${begun.protocolVersion} of the protocol, and the village version 1`);
  const session = await sessionOf(link, wanted, {
    loads: begun.agentCapabilities?.loadSession === true,
    overHttp: begun.agentCapabilities?.mcpCapabilities?.http === true,
  });
  const end = async (): Promise<void> => {
    isOver = true;
    connection.close();
    await process.end();
  };
  return {
    ...session,
    info: { name: begun.agentInfo?.name ?? '', version: begun.agentInfo?.version ?? '' },
    isOver: () => isOver || process.isWorn(),
    end,
    prompt: async (text, serving, signal) => {
      serve(serving, session.session);
      try {
        return await prompted({ ...link, end }, { session: session.session, text, signal });
      } finally {
        serve(null, session.session);
      }
    },
  };
}

/** The program ended, or did not answer, while it loaded the session that it kept. */
export class SessionNotLoaded extends RunFailure {}

const notStarted = (why: string): RunFailure =>
  new RunFailure('acp_not_started', `The program did not start: ${why.slice(0, 600)}.`);

/** The result of a request of the start, unless the program ends or does not answer. */
async function within<T>({ ended }: Pick<ProgramLink, 'ended'>, ms: number, ask: () => Promise<T>): Promise<T> {
  const late = new AbortController();
  const failed = Promise.race([
    ended.then((why) => notStarted(why)),
    delay(ms, notStarted(`it did not answer within ${ms / 1_000} s`), { signal: late.signal }),
  ]);
  // Without a code the connection has ended, and the program's own reason is the better one.
  const asked = ask().catch((error: unknown) =>
    isRefusal(error) ? notStarted(`it refused: ${messageOf(error)}`) : ended.then(notStarted),
  );
  try {
    const result = await Promise.race([asked, failed]);
    if (result instanceof RunFailure) throw result;
    return result;
  } finally {
    late.abort();
    failed.catch(() => {});
  }
}

type Can = Readonly<{ loads: boolean; overHttp: boolean }>;
type Session = Pick<AcpProgram, 'session' | 'isNew'>;

/** The session that the program kept, or a new one, in the wanted mode. The replay of an old session is ignored. */
async function sessionOf(
  link: ProgramLink,
  { cwd, kept, mode, mcpServers }: SessionWanted,
  can: Can,
): Promise<Session> {
  const { agent } = link.connection;
  const place: NewSessionRequest = { cwd, mcpServers: mcpServers.flatMap((server) => serverFor(server, can)) };
  if (kept !== null && can.loads) {
    // A refusal means that the program has lost the session.
    const load = () => agent.request('session/load', { ...place, sessionId: kept }).then(orNothing, () => null);
    const loaded = await within(link, SESSION_MS, load).catch((error: unknown) => {
      throw error instanceof RunFailure ? new SessionNotLoaded(error.code, error.message) : error;
    });
    if (loaded !== null) {
      await setMode(link, { session: kept, mode, offered: loaded });
      return { session: kept, isNew: false };
    }
  }
  const begun = await within(link, SESSION_MS, () => agent.request('session/new', place));
  await setMode(link, { session: begun.sessionId, mode, offered: begun });
  return { session: begun.sessionId, isNew: true };
}

/** Some programs answer with nothing. */
const orNothing = <T extends object>(answer: T | null | undefined): Partial<T> => answer ?? {};

interface ModeWanted {
  readonly session: string;
  readonly mode: string | null;
  readonly offered: Pick<NewSessionResponse, 'modes' | 'configOptions'>;
}

/** A program without the wanted mode does not start: in another one it may ask nothing. */
async function setMode(link: ProgramLink, { session, mode, offered }: ModeWanted): Promise<void> {
  if (mode === null) return;
  const { agent } = link.connection;
  const modes = offered.modes?.availableModes.map(({ id }) => id) ?? [];
  const option = offered.configOptions?.find(({ type, category }) => type === 'select' && category === 'mode');
  if (modes.includes(mode)) {
    await within(link, SESSION_MS, () => agent.request('session/set_mode', { sessionId: session, modeId: mode }));
  } else if (modes.length === 0 && option !== undefined) {
    const set = { sessionId: session, configId: option.id, value: mode };
    await within(link, SESSION_MS, () => agent.request('session/set_config_option', set));
  } else {
    const known = modes.join(', ') || 'none';
    throw notStarted(`it has no mode ${mode}; its modes are ${known}: write one in spec.runtime.config.mode`);
  }
}

/** An MCP server of the Agent as the program starts it. One over HTTP needs a program that can use it. */
function serverFor({ name, url, command }: AgentConfig['mcp_servers'][number], { overHttp }: Can): McpServer[] {
  const [program, ...args] = command ?? [];
  if (program !== undefined) return [{ name, command: program, args, env: [] }];
  return url !== null && overHttp ? [{ type: 'http', name, url, headers: [] }] : [];
}

type Prompting = Readonly<{ session: string; text: string; signal: AbortSignal }>;

/** A cancel asks the program to end its turn; after 2 s it is ended with all that it started. */
async function prompted(
  { connection, ended, end }: Pick<ProgramLink, 'connection' | 'ended'> & Pick<AcpProgram, 'end'>,
  { session, text, signal }: Prompting,
): Promise<PromptEnd> {
  const over = new AbortController();
  const dead = ended.then((why): PromptEnd => ({ kind: 'ended', why }));
  const turn = connection.agent
    .request('session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] })
    .then(
      ({ stopReason }): PromptEnd => ({ kind: 'answered', reason: stopReason }),
      // Without a code the connection has ended, and so has the program.
      (error: unknown): PromptEnd | Promise<PromptEnd> =>
        isRefusal(error) ? { kind: 'refused', message: messageOf(error) } : dead,
    );
  const cancelled = Promise.withResolvers<PromptEnd>();
  const onAbort = (): void => {
    void connection.agent.notify('session/cancel', { sessionId: session }).catch(() => {});
    void Promise.race([turn, delay(CANCEL_MS, 'late' as const, { signal: over.signal })])
      .then(async (first) => {
        if (first === 'late') await end();
      })
      .catch(() => {})
      .finally(() => cancelled.resolve({ kind: 'cancelled' }));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    const first = await Promise.race([turn, dead, cancelled.promise]);
    return signal.aborted ? await cancelled.promise : first;
  } finally {
    signal.removeEventListener('abort', onAbort);
    over.abort();
  }
}
