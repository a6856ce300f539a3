import { ACP_RUNTIME } from '@hamlet/contract/presets';
import {
  openOneCall,
  ProgramError,
  RunFailure,
  type AgentRuntime,
  type CallContext,
  type OneCall,
  type ProgramRun,
  type RunInput,
  type RuntimeConfig,
  type RuntimeContext,
  type RuntimeHost,
  type RuntimeOutcome,
  type ToolOutcome,
} from '@hamlet/engine';
import type { StandIn } from '../engine/run-book.ts';
import { connectHands, HandsError, type HandsClient } from '../hands/hands-client.ts';
import { MIND_CALL } from '../hands/hands-programs.ts';
import { acpSettings, sessionFolder, type AcpSettings } from './settings.ts';
import type { PromptEnd } from './acp-program.ts';
import { ConversationProgram, type AcpPorts } from './conversation-program.ts';
import { presetOf } from './preset.ts';
import { hashOfPreamble, preambleOf, promptText } from './first-words.ts';
import { ProgramTurn } from './turn/program-turn.ts';
import { serveTurn, type ServedTurn } from './turn/serve-turn.ts';
import { treeFiles } from './turn/tree-files.ts';

const SAID_MAX_CHARS = 600;

interface Acp {
  readonly settings: AcpSettings;
  readonly config: RuntimeConfig;
  readonly host: RuntimeHost;
  readonly ports: AcpPorts & { readonly socket: string };
  readonly program: ConversationProgram;
  readonly standIn: StandIn;
  readonly call: OneCall;
}

/**
 * The runtime of an agent that is a program which speaks the Agent Client Protocol: `spec.runtime {name: acp, config: {preset}}` or
 * `{command, args, env, cwd, mode, timeout_s}`. A conversation has one process in the hands, and a run is one prompt: one call with the
 * effect `once`. The village decides about the permissions that the program asks for; what it says about its work is a claim.
 */
export function createAcpRuntime(ports: AcpPorts): AgentRuntime {
  let acp: Acp | null = null;
  return {
    initialize: async (config, host) => {
      acp = await initialized(ports, config, host);
    },
    execute: async (input, context) => {
      if (acp === null) throw new Error('initialize the runtime first');
      if (input.kind === 'speech')
        throw new RunFailure('no_speech', 'This agent answers messages and runs, not speech. Send it a message.');
      return execute(acp, input, context);
    },
    terminate: async () => {
      if (acp !== null) acp.ports.idle.leave(acp.program);
      await acp?.program.end();
      acp?.standIn.end();
      acp = null;
    },
    program: () => acp?.program.known ?? null,
  };
}

async function initialized(ports: AcpPorts, config: RuntimeConfig, host: RuntimeHost): Promise<Acp> {
  const settings = acpSettings(config.settings);
  if (settings.preset !== undefined) presetOf(await ports.presets(), settings.preset);
  const { socket } = ports;
  if (socket === undefined || host.programs === null)
    throw new RunFailure('no_hands', 'This runtime needs hands. Set spec.hands.enabled of the Agent to true.');
  const standIn = ports.book.standIn();
  const withHands = { ...ports, socket };
  const program = new ConversationProgram({
    ports: withHands,
    settings,
    host,
    standIn,
    conversation: config.sessionId,
  });
  const parts = { settings, config, host, ports: withHands, program, standIn };
  const call = await openOneCall(host, {
    name: ACP_RUNTIME,
    timeoutMs: settings.timeout_s * 1_000,
    perform: ({ prompt }, context, run) => perform(parts, prompt, { context, run }),
    words: WORDS,
  });
  return { ...parts, call };
}

const WORDS: Readonly<Record<string, string>> = {
  acp_unknown: 'It is unknown how far the program came. Check its effects before you repeat it.',
  acp_failed: 'The program failed.',
};

async function execute(acp: Acp, input: RunInput, context: RuntimeContext): Promise<RuntimeOutcome> {
  const { call, program, config, ports } = acp;
  ports.idle.leave(program);
  try {
    return await call.carryOut(input, context);
  } finally {
    // A run without a session is a conversation of its own, which has ended.
    if (config.sessionId === input.run) await program.end();
    else await ports.idle.rest(program);
  }
}

type Working = Omit<Acp, 'call'>;

interface Performing {
  readonly context: CallContext;
  readonly run: ProgramRun;
}

async function perform(acp: Working, prompt: string, performing: Performing): Promise<ToolOutcome> {
  const { standIn, ports } = acp;
  const { context } = performing;
  let hands: HandsClient;
  try {
    hands = await connectHands(ports.socket);
  } catch (error) {
    return notStarted(error, context.signal);
  }
  standIn.serve(context.run);
  try {
    return await performIn(acp, prompt, { ...performing, hands });
  } finally {
    // Between runs, the program has neither models nor a way out.
    standIn.serve(null);
    hands.close();
  }
}

type InHands = Performing & { readonly hands: HandsClient };

async function performIn(acp: Working, prompt: string, { context, run, hands }: InHands): Promise<ToolOutcome> {
  const { ports, program, host, settings } = acp;
  const { prompt: system, model } = run.input;
  const preamble = preambleOf(system, ports.book.find(context.run)?.skills?.values() ?? []);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), settings.timeout_s * 1_000);
  const inTime: CallContext = { ...context, signal: AbortSignal.any([context.signal, late.signal]) };
  try {
    const tree = await ports.trees.of(hands, { run: context.run, call: MIND_CALL }, inTime.signal);
    const opened = await program.open({ context: inTime, hands, folder: tree.folder, model });
    const isRead = opened.preamble === hashOfPreamble(preamble);
    const text = promptText(system, { preamble: isRead ? '' : preamble, prompt });
    const turn = new ProgramTurn(context.attempt, opened.note);
    if (opened.note !== '') context.output(`${opened.note}\n\n`);
    const files = treeFiles(hands, tree.folder);
    const permits = { ...ports, calls: ports.callsWith(host.mirrored) };
    const place = { workspace: ports.workspace, cwd: sessionFolder(settings, tree.folder) };
    const served = serveTurn({ turn, context: inTime, ports: permits, files, ...place, boot: hands.boot });
    await host.mirrored(context.run, inTime.signal);
    const end = await withReplies(served, await program.prompt(text, served, inTime.signal), (words) =>
      program.prompt(words, served, inTime.signal),
    );
    await served.finish();
    run.thoughts = turn.thoughts;
    if (end.kind === 'answered') program.remember(hashOfPreamble(preamble));
    const said = [opened.note, turn.answer].filter((part) => part !== '').join('\n\n');
    return late.signal.aborted
      ? failed('acp_timed_out', 'The program took too long and was stopped.', said)
      : outcomeOf(end, said);
  } catch (error) {
    return notStarted(error, inTime.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reasons for the end of a turn after which the program can read further words: some programs end a turn this way after
 * a refusal.
 */
const READS_ON: ReadonlySet<string> = new Set(['end_turn', 'cancelled']);

/** Gives the program what people wrote when they decided about its requests, in further prompts of the same turn. */
async function withReplies(
  { nextPrompt }: Pick<ServedTurn, 'nextPrompt'>,
  first: PromptEnd,
  prompt: (words: string) => Promise<PromptEnd>,
): Promise<PromptEnd> {
  let end = first;
  while (end.kind === 'answered' && READS_ON.has(end.reason)) {
    const words = nextPrompt();
    if (words === null) return end;
    end = await prompt(words);
  }
  return end;
}

/** A program that ends during a prompt may have acted only in part, so people decide. */
function outcomeOf(end: PromptEnd, said: string): ToolOutcome {
  switch (end.kind) {
    case 'answered':
      return answered(end.reason, said);
    case 'refused':
      return failed('acp_failed', `The program failed: ${end.message.slice(0, SAID_MAX_CHARS)}.`, said);
    case 'ended':
      return { kind: 'unknown', text: `The program ended before it answered: ${end.why.slice(0, SAID_MAX_CHARS)}.` };
    case 'cancelled':
      return { kind: 'unknown', text: 'The program was stopped before it answered.' };
  }
}

function answered(reason: string, said: string): ToolOutcome {
  switch (reason) {
    case 'end_turn':
      return { kind: 'ok', text: said.trim() || 'The program ended its turn without an answer.' };
    case 'cancelled':
      return { kind: 'unknown', text: 'The program says that its turn was cancelled.' };
    case 'refusal':
      return failed('acp_refused', 'The program refused.', said);
    default:
      return failed('acp_cut', `The program stopped at a limit of its own (${reason.slice(0, 40)}).`, said);
  }
}

function failed(code: string, reason: string, said: string): ToolOutcome {
  const last = said.trim().slice(-SAID_MAX_CHARS).toWellFormed();
  return { kind: 'failed', code, text: last === '' ? reason : `${reason} It said: ${last}` };
}

/** The outcome of a failure before the program got its prompt. */
function notStarted(error: unknown, { aborted }: AbortSignal): ToolOutcome {
  if (aborted)
    return { kind: 'failed', code: 'acp_not_started', text: 'The run was stopped before the program got its prompt.' };
  if (error instanceof RunFailure) return { kind: 'failed', code: 'acp_not_started', text: error.message };
  if (error instanceof HandsError || error instanceof ProgramError)
    return { kind: 'failed', code: 'acp_not_started', text: `The program did not start: ${error.message}` };
  throw error;
}
