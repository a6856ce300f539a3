import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

export const COMMAND_NAMES = ['validate', 'graph', 'run', 'resume', 'rerun', 'inspect', 'cancel'] as const;
type CommandName = (typeof COMMAND_NAMES)[number];

/** Flags as they were written. */
export type Flags = Readonly<{
  json: boolean;
  output: string | null;
  pipeline: string | null;
  input: string | null;
  stage: string | null;
  mode: string | null;
  tags: readonly string[];
  overrides: readonly string[];
  data: string | null;
  workspace: string | null;
  answers: readonly string[];
}>;

export type CommandLine =
  | Readonly<{ kind: 'help'; text: string }>
  | Readonly<{ kind: 'wrong'; message: string }>
  /** `task` is empty for the commands that take none. */
  | Readonly<{ kind: 'command'; name: CommandName; dir: string; task: string; flags: Flags }>;

type Command = Readonly<{ args: 'DIR' | 'DIR TASK'; summary: string; flags: readonly (keyof typeof OPTIONS)[] }>;

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  output: { type: 'string', short: 'o' },
  pipeline: { type: 'string' },
  input: { type: 'string' },
  stage: { type: 'string' },
  mode: { type: 'string' },
  tag: { type: 'string', multiple: true },
  override: { type: 'string', multiple: true },
  data: { type: 'string' },
  workspace: { type: 'string' },
  answer: { type: 'string', multiple: true },
} as const satisfies ParseArgsOptionsConfig;

const FLAG_WORDS: Readonly<Record<keyof typeof OPTIONS, readonly [flag: string, words: string]>> = {
  output: ['-o, --output FILE', 'writes the picture into a file; else it is printed'],
  pipeline: ['--pipeline ID', 'takes this pipeline; by default the one that fits mode and tags best'],
  input: ['--input JSON|@FILE', 'the input as JSON, or a file with it; by default {}, of a stage the one that it had'],
  stage: ['--stage ID', 'the stage from which on the task is repeated'],
  mode: ['--mode MODE', 'the mode of the task, for the choice of a pipeline'],
  tag: ['--tag TAG', 'a tag of the task; repeatable'],
  override: ['--override KIND|JSON', 'analysis_only, dry_run, or a whole override as JSON; repeatable'],
  data: ['--data FOLDER', 'the journal and what tasks keep; by default DIR/.hamlet'],
  workspace: ['--workspace FOLDER', 'the folder in which tools work; by default DIR'],
  answer: [
    '--answer QUESTION=ANSWER',
    'happened or repeat for a call whose outcome is unknown, else allow or deny; repeatable',
  ],
  json: ['--json', 'prints JSON, for programs'],
  help: ['-h, --help', 'this text'],
};

const PLACES = ['data', 'workspace'] as const;

const COMMANDS: Readonly<Record<CommandName, Command>> = {
  validate: { args: 'DIR', summary: 'Checks the manifests in a folder.', flags: [] },
  graph: { args: 'DIR', summary: 'Draws the workflow as SVG.', flags: ['output', 'pipeline'] },
  run: {
    args: 'DIR',
    summary: 'Creates a task and runs it.',
    flags: ['input', 'mode', 'tag', 'pipeline', 'override', ...PLACES],
  },
  resume: {
    args: 'DIR TASK',
    summary: 'Continues a task that was interrupted, or waits.',
    flags: ['answer', ...PLACES],
  },
  rerun: {
    args: 'DIR TASK',
    summary: 'Repeats a task from a stage on, as a new task.',
    flags: ['stage', 'input', ...PLACES],
  },
  inspect: { args: 'DIR TASK', summary: 'Shows a task: its stages, tokens, output and failure.', flags: ['data'] },
  cancel: { args: 'DIR TASK', summary: 'Cancels a task.', flags: [...PLACES] },
};

const EXITS =
  'Exits 0 if it is done, 1 if it failed, 2 for a wrong command line or manifest, 3 if a person must answer.';

function commandHelp(name: CommandName): string {
  const { args, summary, flags } = COMMANDS[name];
  const words = [...flags, 'json' as const, 'help' as const].map((flag) => FLAG_WORDS[flag]);
  const width = Math.max(...words.map(([flag]) => flag.length));
  const lines = words.map(([flag, text]) => `  ${flag.padEnd(width)}  ${text}`);
  return `${summary}\n\nusage: hamlet-engine ${name} ${args} [flags]\n\n${lines.join('\n')}\n\n${EXITS}\n`;
}

function generalHelp(): string {
  const lines = COMMAND_NAMES.map((name) => {
    const { args, summary } = COMMANDS[name];
    return `  ${`${name} ${args}`.padEnd(18)}${summary}`;
  });
  return `hamlet-engine: runs workflows of AI agents that YAML files describe\n\nusage: hamlet-engine COMMAND DIR [flags]\n\n${lines.join('\n')}\n\n"hamlet-engine COMMAND --help" shows the flags of a command.\n${EXITS}\n`;
}

const wrong = (message: string): CommandLine => ({ kind: 'wrong', message });

/** Reads the words after the program's name. Pure. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const [name = '', ...rest] = args;
  if (['', 'help', '--help'].includes(name) || name === '-h') return { kind: 'help', text: generalHelp() };
  if (!isCommand(name)) return wrong(`there is no command ${name}: use ${COMMAND_NAMES.join(', ')}`);
  const { flags: own } = COMMANDS[name];
  const options = Object.fromEntries([...own, 'json' as const, 'help' as const].map((flag) => [flag, OPTIONS[flag]]));
  try {
    const { values, positionals } = parseArgs({ args: [...rest], options, allowPositionals: true });
    if (values['help'] === true) return { kind: 'help', text: commandHelp(name) };
    return commandOf(name, positionals, flagsOf(values));
  } catch (error) {
    // Node's second sentence is about words that begin with a dash.
    const [words] = (error instanceof Error ? error.message : String(error)).split('. ');
    return wrong(`${words}\nsee hamlet-engine ${name} --help`);
  }
}

const isCommand = (name: string): name is CommandName => (COMMAND_NAMES as readonly string[]).includes(name);

function commandOf(name: CommandName, words: readonly string[], flags: Flags): CommandLine {
  const [dir = '', task = ''] = words;
  if (words.length !== COMMANDS[name].args.split(' ').length)
    return wrong(`usage: hamlet-engine ${name} ${COMMANDS[name].args} [flags]`);
  return { kind: 'command', name, dir, task, flags };
}

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

function flagsOf(values: Values): Flags {
  const text = (name: string): string | null => {
    const value = values[name];
    return typeof value === 'string' ? value : null;
  };
  const list = (name: string): readonly string[] => {
    const value = values[name];
    return Array.isArray(value) ? value.map(String) : [];
  };
  return {
    json: values['json'] === true,
    output: text('output'),
    pipeline: text('pipeline'),
    input: text('input'),
    stage: text('stage'),
    mode: text('mode'),
    tags: list('tag'),
    overrides: list('override'),
    data: text('data'),
    workspace: text('workspace'),
    answers: list('answer'),
  };
}
