import { z } from 'zod';
import type { AgentConfig } from '@hamlet/contract';
import { PROGRAM_TOOL_PREFIX } from '@hamlet/contract/resident';
import { filled, RunFailure, type CallContext, type RuntimeHost, type RuntimeProgram } from '@hamlet/engine';
import type { RunBook, StandIn } from '../engine/run-book.ts';
import type { HandsClient } from '../hands/hands-client.ts';
import { MIND_CALL } from '../hands/hands-programs.ts';
import type { CallLog } from '../hands/hands-tool.ts';
import type { EnvironmentOf, ProcessPlace } from '../hands/start-process.ts';
import type { WorkTrees } from '../hands/repository/work-trees.ts';
import { startHandsProcess } from '../hands/hands-process.ts';
import type { Log } from '../process/json-log.ts';
import type { RetryPorts } from '../village/retry.ts';
import type { WorkVillage } from '../village/work-village.ts';
import { openProgram, SessionNotLoaded, type AcpProgram, type PromptEnd } from './acp-program.ts';
import type { IdlePrograms } from './idle-programs.ts';
import { presetOf, type AcpLaunch, type Presets } from './preset.ts';
import type { SessionBook } from './session-book.ts';
import type { Serving } from './program-link.ts';
import { asidePrograms } from './presets/aside-programs.ts';
import { sessionFolder, type AcpSettings } from './settings.ts';
import { claimOfInstall } from './turn/claim.ts';

/** Prefix of the owners of these programs: the sweep of ended runs skips them. */
const OWNER_PREFIX = 'mind.';
const INSTALL = { id: 'install', tool: `${PROGRAM_TOOL_PREFIX}install` } as const;
const NEW_SESSION =
  'The program could not continue its earlier session, so it began a new one: it does not remember what was said before.';

export interface AcpPorts extends RetryPorts {
  readonly socket: string | undefined;
  readonly workspace: string;
  readonly home: string;
  readonly environmentOf: EnvironmentOf;
  readonly trees: WorkTrees;
  /** Revokes the key of a program. */
  readonly ended: (place: ProcessPlace) => void;
  readonly book: RunBook;
  readonly work: Pick<WorkVillage, 'askPermission'>;
  readonly callsWith: (mirrored: RuntimeHost['mirrored']) => Pick<CallLog, 'begin' | 'end'>;
  readonly sessions: SessionBook;
  readonly mcpServers: AgentConfig['mcp_servers'];
  readonly presets: () => Promise<Presets>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly idle: IdlePrograms<ConversationProgram>;
  /** Ends the programs of an earlier process of the resident, at the first call. */
  readonly sweep: (hands: HandsClient) => Promise<void>;
}

interface Parts {
  readonly ports: AcpPorts & { readonly socket: string };
  readonly settings: AcpSettings;
  readonly host: RuntimeHost;
  readonly standIn: StandIn;
  readonly conversation: string;
}

interface Opening {
  readonly context: CallContext;
  readonly hands: HandsClient;
  readonly folder: string;
  readonly model: string;
}

/** `note`: for people, empty if the session continues. `preamble`: hash of what the session has read about its agent. */
export interface OpenedSession {
  readonly note: string;
  readonly preamble: string;
}

interface Running {
  readonly process: AcpProgram;
  /** The facts on which the environment of the process depends. */
  readonly signature: string;
}

/** The program of one conversation, which serves its runs one after another. Mutable: the process comes and goes. */
export class ConversationProgram {
  readonly #parts: Parts;
  #running: Running | null = null;
  #known: RuntimeProgram | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The program as it was last started; null before that. */
  get known(): RuntimeProgram | null {
    return this.#known;
  }

  /** A program that is ready for a prompt, with the conversation's session. Rejects with `RunFailure` and `HandsError`. */
  async open(opening: Opening): Promise<OpenedSession> {
    const { ports, conversation } = this.#parts;
    const kept = ports.sessions.find(conversation, this.#identity);
    const signature = this.#signatureOf(opening);
    if (this.#isReadyFor(signature) && kept !== null) return { note: '', preamble: kept.preamble };
    await this.end();
    await ports.sweep(opening.hands);
    const process = await this.#startWith(opening, kept?.session ?? null);
    this.#running = { process, signature };
    const isLost = kept !== null && process.isNew;
    const preamble = kept === null || isLost ? '' : kept.preamble;
    ports.sessions.keep({ conversation, program: this.#identity, session: process.session, preamble });
    return { note: isLost ? NEW_SESSION : '', preamble };
  }

  #signatureOf({ context, folder, model }: Opening): string {
    const booked = this.#parts.ports.book.find(context.run);
    return JSON.stringify([model, folder, booked?.author, booked?.repository]);
  }

  #isReadyFor(signature: string): boolean {
    return this.#running !== null && this.#running.signature === signature && !this.#running.process.isOver();
  }

  prompt(text: string, serving: Serving, signal: AbortSignal): Promise<PromptEnd> {
    if (this.#running === null) throw new RunFailure('acp_not_started', 'The program has ended.');
    return this.#running.process.prompt(text, serving, signal);
  }

  /** The session has read what is known about its agent. */
  remember(preamble: string): void {
    const { ports, conversation } = this.#parts;
    const session = this.#running?.process.session;
    if (session !== undefined) ports.sessions.keep({ conversation, program: this.#identity, session, preamble });
  }

  async end(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    // First, because it ends all keys of the conversation, and a next run may start its program before this one has ended.
    this.#parts.ports.ended({ run: this.#parts.standIn.id, call: MIND_CALL });
    await running?.process.end();
  }

  /** A session belongs to the program that made it. */
  get #identity(): string {
    const { preset, command, args } = this.#parts.settings;
    return preset ?? JSON.stringify([command, ...args]);
  }

  /**
   * Starts the program without its session if the program cannot load the session: otherwise each run of the
   * conversation would fail.
   */
  async #startWith(opening: Opening, session: string | null): Promise<AcpProgram> {
    try {
      return await this.#start(opening, session);
    } catch (error) {
      if (!(error instanceof SessionNotLoaded) || opening.context.signal.aborted) throw error;
      this.#parts.ports.log.warn('session_not_loaded', { why: error.message });
      return this.#start(opening, null);
    }
  }

  async #start({ context, folder, model }: Opening, session: string | null): Promise<AcpProgram> {
    const { ports, settings, standIn, conversation } = this.#parts;
    const launch = await this.#launch(context, model);
    const { socket, environmentOf } = ports;
    const place = { run: standIn.id, call: MIND_CALL };
    const program = { owner: `${OWNER_PREFIX}${conversation}`, place, argv: launch.argv, env: launch.env };
    const cwd = sessionFolder(settings, folder);
    const process = await startHandsProcess({ socket, cwd, environmentOf }, program);
    const wanted = { cwd, kept: session, mode: settings.mode ?? launch.mode, mcpServers: ports.mcpServers };
    const opened = await openProgram(process, wanted);
    this.#known = knownProgram(launch, opened.info, settings.preset);
    ports.log.info('program_started', { program: opened.info.name || launch.name, version: opened.info.version });
    return opened;
  }

  async #launch(context: CallContext, model: string): Promise<AcpLaunch> {
    const { ports, settings, host } = this.#parts;
    const contextTokens = ports.book.find(context.run)?.model?.contextTokens ?? null;
    const values = { model, context: contextTokens === null ? '' : String(contextTokens), home: ports.home };
    const own = settings.env.map(([name, value]): [string, string] => [name, filled(value, values)]);
    const { preset, command = '', args } = settings;
    if (preset === undefined) {
      const argv = [command, ...args.map((arg) => filled(arg, values))] as const;
      return { name: command, version: null, argv, env: Object.fromEntries(own), mode: null };
    }
    const presets = await ports.presets();
    const program = presetOf(presets, preset);
    if (host.programs === null) throw new RunFailure('no_hands', 'The agent has no hands.');
    const { run: owner, call, signal } = context;
    const launch = await presets.prepare(program, {
      home: ports.home,
      values,
      signal,
      progress: ({ title, outcome, detail }) =>
        context.note({ ...INSTALL, outcome, claim: claimOfInstall(title, detail) }),
      run: asidePrograms(host.programs, { id: `${owner}.${call}`, owner, cwd: ports.home, signal }),
    });
    return { ...launch, env: { ...launch.env, ...Object.fromEntries(own) } };
  }
}

/** A preset names the program, and its version if the village installed it; otherwise the program reports them itself. */
const knownProgram = (launch: AcpLaunch, info: AcpProgram['info'], preset: string | undefined): RuntimeProgram => ({
  name: preset === undefined ? info.name || launch.name : launch.name,
  version: launch.version ?? (info.version || null),
  installed: preset === undefined ? null : true,
});

const Owners = z.object({ processes: z.array(z.object({ owner: z.string().optional() })) });

/** Ends the programs that an earlier process of the resident left behind. */
export async function endLeftMinds(hands: HandsClient): Promise<void> {
  const { processes } = await hands.ask('list', {}, Owners);
  const owners = new Set(processes.flatMap(({ owner = '' }) => (owner.startsWith(OWNER_PREFIX) ? [owner] : [])));
  for (const owner of owners) await hands.ask('close', { owner }, z.unknown());
}
