import { z } from 'zod';
import {
  RunFailure,
  type AgentRuntime,
  type RunInput,
  type RuntimeConfig,
  type RuntimeContext,
  type RuntimeHost,
  type RuntimeOutcome,
} from '../agent-runtime.ts';
import type { CallContext } from '../effects/tool.ts';
import type { ToolOutcome } from '../effects/tool-outcome.ts';
import { openOneCall, type CallInput, type OneCall, type ProgramRun } from './one-call.ts';
import { ProgramError, type Printed, type ProgramEnd, type ProgramPort } from './program-port.ts';
import { ArgumentLines, filled, programSettings, TimeoutSeconds, VariableLines } from './program-settings.ts';

const COMMAND = 'command';
const MAX_REASON_CHARS = 600;
/** The kernel allows at most 128 KiB in one variable. */
const MAX_PERSONA_CHARS = 32_000;

type Command = {
  readonly settings: CommandSettings;
  readonly config: RuntimeConfig;
  readonly programs: ProgramPort;
  readonly call: OneCall;
};

/**
 * The runtime of an agent that is a program, for example a CLI agent: `spec.runtime {name: command, config: {command, args, env,
 * …}}`. A run is one call with the effect `once`: the program runs in the hands, its output is the answer, and its exit code
 * decides.
 */
export function createCommandRuntime(): AgentRuntime {
  let command: Command | null = null;
  return {
    initialize: async (config, host) => {
      command = await initialized(config, host);
    },
    execute: async (input, context) => {
      if (command === null) throw new Error('initialize the runtime first');
      if (input.kind === 'speech')
        throw new RunFailure('no_speech', 'A command answers messages and runs, not speech. Send it a message.');
      return execute(command, input, context);
    },
    terminate: async () => {
      command = null;
    },
  };
}

async function initialized(config: RuntimeConfig, host: RuntimeHost): Promise<Command> {
  const settings = programSettings(Settings, config.settings, 'command_misconfigured');
  const { programs } = host;
  if (programs === null)
    throw new RunFailure('no_hands', 'A command needs hands. Set spec.hands.enabled of the Agent to true.');
  const parts = { settings, config, programs };
  const call = await openOneCall(host, {
    name: COMMAND,
    timeoutMs: settings.timeout_s * 1_000,
    perform: (given, context, work) => perform({ ...parts, work }, context, given),
    words: WORDS,
  });
  return { ...parts, call };
}

async function execute({ call, programs }: Command, input: RunInput, context: RuntimeContext): Promise<RuntimeOutcome> {
  const { run } = input;
  // The reader of an earlier process's program is gone, so end that program. If that fails, the next start reports it.
  if (call.engine.outcomeOf(run) === null) await programs.end(run).catch(() => {});
  return call.carryOut(input, context);
}

const WORDS: Readonly<Record<string, string>> = {
  command_unknown: 'It is unknown whether the command ran to its end. Check its effects before you repeat it.',
  command_timed_out: 'The command took too long and was ended.',
  command_out_of_memory: 'The command needed more memory than the hands have.',
  command_disk_full:
    'The command was ended, because the disk of the machine is full. Remove files that are not needed.',
  command_not_started: 'The command did not start.',
};

type Performing = Omit<Command, 'call'> & { readonly work: ProgramRun };

async function perform(
  { settings, config, programs, work }: Performing,
  { run, call, attempt, signal, output }: CallContext,
  { prompt, resumes }: CallInput,
): Promise<ToolOutcome> {
  const { repo, branch, speaker, memoryPath } = work.context;
  const values = {
    prompt,
    session_id: config.sessionId,
    repo_path: settings.cwd,
    memory_path: settings.memory ?? memoryPath,
    agent_id: config.agentId,
    persona: config.persona.slice(0, MAX_PERSONA_CHARS),
    repo: repo ?? '',
    branch: branch ?? '',
    speaker,
    model: work.input.model,
    run_id: run,
  };
  const line = commandLine(settings, values, resumes);
  const { cwd, timeout_s: timeoutS } = settings;
  const program = { ...line, id: `${run}.${call}.${attempt}`, owner: run, cwd, timeoutMs: timeoutS * 1_000 };
  return programs.run(program, { onOutput: output, signal }).then(outcomeOf, notRun);
}

/** A program that was ended from outside may have done anything, so people decide. */
function outcomeOf(end: ProgramEnd): ToolOutcome {
  const { code, cause, stdout, stderr } = end;
  if (cause === 'request') return { kind: 'unknown', text: 'The command was ended before it finished.' };
  if (cause === 'timeout') return failed('command_timed_out', end);
  if (cause === 'memory') return failed('command_out_of_memory', end);
  if (cause === 'disk') return failed('command_disk_full', end);
  if (code !== 0) return failed('command_failed', end);
  if (stdout.text.trim() !== '') return { kind: 'ok', text: stdout.text.trim() };
  return { kind: 'ok', text: stderr.text.trim() || 'The command ended with exit code 0 and wrote nothing.' };
}

function failed(code: string, { code: exit, stdout, stderr }: ProgramEnd): ToolOutcome {
  const said = [stderr, stdout].map(({ text }: Printed) => text.trim()).find((text) => text !== '');
  const ending = exit === null ? 'a signal' : `exit code ${exit}`;
  const reason = WORDS[code] ?? `The command ended with ${ending}.`;
  return {
    kind: 'failed',
    code,
    text: said === undefined ? reason : `${reason} It said: ${said.slice(-MAX_REASON_CHARS)}`,
  };
}

function notRun(error: unknown): ToolOutcome {
  if (!(error instanceof ProgramError) || error.started) throw error;
  return { kind: 'failed', code: 'command_not_started', text: `The command did not start: ${error.message}` };
}

const DEFAULT_FOLDER = '/workspace';
/** In an argument, the placeholder of the prompt. Without it the program reads the prompt from standard input. */
const PROMPT = '{prompt}';

const Settings = z.strictObject({
  command: z.string().trim().min(1),
  args: ArgumentLines,
  /** Arguments after the others, from the second answer of a conversation on. */
  resume_args: ArgumentLines,
  env: VariableLines,
  cwd: z.string().startsWith('/').default(DEFAULT_FOLDER),
  /** Replaces the memory file of the run. */
  memory: z.string().startsWith('/').optional(),
  timeout_s: TimeoutSeconds,
});
type CommandSettings = z.infer<typeof Settings>;

/** Values that arguments may reference in braces; the program also gets them as variables, in capitals. */
type CommandValues = Readonly<Record<'prompt' | 'session_id' | 'repo_path' | 'memory_path', string>> &
  Readonly<Record<string, string>>;

type CommandLine = Readonly<{
  argv: readonly [string, ...string[]];
  env: Readonly<Record<string, string>>;
  stdin: string;
}>;

/** The program with its arguments for one prompt. Each value stays within its argument, because no shell reads it. */
function commandLine(settings: CommandSettings, values: CommandValues, resumes: boolean): CommandLine {
  const { prompt, model = '', ...shared } = values;
  const own = settings.env.map(([name, value]): [string, string] => [name, filled(value, { ...shared, model })]);
  const named = Object.entries(shared).map(([name, value]): [string, string] => [name.toUpperCase(), value]);
  const given = [...settings.args, ...(resumes ? settings.resume_args : [])];
  return {
    argv: [settings.command, ...given.map((arg) => filled(arg, values))],
    env: Object.fromEntries([...named, ...own]),
    stdin: given.some((arg) => arg.includes(PROMPT)) ? '' : prompt,
  };
}
