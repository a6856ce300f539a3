import { parseArgs } from 'node:util';
import { Failure, type Command, type FlagValue, type Options } from './command.ts';

const PLACE_OPTIONS = {
  namespace: { type: 'string', short: 'n' },
  context: { type: 'string' },
  kubeconfig: { type: 'string' },
  cluster: { type: 'string' },
  user: { type: 'string' },
  as: { type: 'string' },
} as const satisfies Options;

const COMMON_OPTIONS = {
  ...PLACE_OPTIONS,
  output: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Options;

const COMMON_USAGE = `  -n, --namespace=NAMESPACE   namespace of the village (default: the context's)
      --context, --kubeconfig, --cluster, --user, --as   as in kubectl
  -o, --output=json           output for programs
  -h, --help                  this text`;

export interface CommandLine {
  readonly command: Command | undefined;
  /** The commands that its help lists: all, or those of a group. */
  readonly listed: readonly Command[];
  readonly names: readonly string[];
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly place: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly json: boolean;
  readonly help: boolean;
}

const TAKES_VALUE = new Set(['-n', '-o', ...Object.keys(PLACE_OPTIONS).map((name) => `--${name}`), '--output']);

/** Index of a word from `from` on that is neither a flag nor the value of a flag of every command; -1 if there is none. */
function wordIndex(args: readonly string[], from: number): number {
  return args.findIndex(
    (word, index) => index >= from && !word.startsWith('-') && !TAKES_VALUE.has(args[index - 1] ?? ''),
  );
}

interface Found {
  readonly command: Command | undefined;
  readonly listed: readonly Command[];
  /** Places of the words that name the command. */
  readonly at: readonly number[];
}

/** The command that the first word names, or the first two: `workflow run`. Throws a Failure for an unknown one. */
function commandIn(args: readonly string[], commands: readonly Command[]): Found {
  const first = wordIndex(args, 0);
  const word = args[first];
  if (word === undefined) return { command: undefined, listed: commands, at: [] };
  const command = commands.find(({ name }) => name === word);
  if (command !== undefined) return { command, listed: commands, at: [first] };
  const group = commands.filter(({ name }) => name.startsWith(`${word} `));
  const second = group.length === 0 ? -1 : wordIndex(args, first + 1);
  const verb = args[second];
  if (group.length > 0 && verb === undefined) return { command: undefined, listed: group, at: [first] };
  const name = verb === undefined ? word : `${word} ${verb}`;
  const found = group.find((each) => each.name === name);
  if (found !== undefined) return { command: found, listed: commands, at: [first, second] };
  const known = group.length > 0 ? group : commands;
  throw new Failure(`unknown command ${name}: the commands are ${namesOf(known)}`, 2);
}

const namesOf = (commands: readonly Command[]): string => commands.map(({ name }) => name).join(', ');

function parsed(args: readonly string[], options: Options): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : String(error), 2);
  }
}

function checked(command: Command | undefined, names: readonly string[], help: boolean): void {
  if (command === undefined || help) return;
  const [least, most] = command.names;
  if (names.length < least || names.length > most)
    throw new Failure(`usage: kubectl hamlet ${command.name} ${command.usage}`, 2);
}

/** `help run` means `run --help`, as in kubectl. */
function withHelpFlag(args: readonly string[]): readonly string[] {
  const at = wordIndex(args, 0);
  return args[at] === 'help' ? [...args.toSpliced(at, 1), '--help'] : args;
}

/** Parses a command line. Throws a Failure with exit code 2. */
export function readCommandLine(given: readonly string[], commands: readonly Command[]): CommandLine {
  const args = withHelpFlag(given);
  const { command, listed, at } = commandIn(args, commands);
  const { values, positionals } = parsed(
    args.filter((_, index) => !at.includes(index)),
    { ...COMMON_OPTIONS, ...command?.options },
  );
  const flags = values as Readonly<Record<string, FlagValue>>;
  // A command may have files as outputs of its own.
  if (command?.options['output'] === undefined && ![undefined, 'json'].includes(flags['output'] as string | undefined))
    throw new Failure('--output: json is the only format', 2);
  const help = flags['help'] === true;
  checked(command, positionals, help);
  const place = Object.keys(PLACE_OPTIONS).flatMap((flag) =>
    typeof flags[flag] === 'string' ? [`--${flag}=${flags[flag]}`] : [],
  );
  const own = Object.fromEntries(Object.keys(command?.options ?? {}).map((flag) => [flag, flags[flag]]));
  const { kubeconfig } = flags;
  return {
    command,
    listed,
    names: positionals,
    flags: own,
    place,
    kubeconfig: typeof kubeconfig === 'string' ? kubeconfig : undefined,
    json: flags['output'] === 'json',
    help,
  };
}

export function helpText(command: Command | undefined, commands: readonly Command[]): string {
  if (command !== undefined)
    return `${command.summary}\n\nUsage: kubectl hamlet ${command.name} ${command.usage}\n\n${command.details}\n\n${COMMON_USAGE}`;
  const width = Math.max(...commands.map(({ name }) => name.length));
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}   ${summary}`);
  return `A village of agents from the command line.\n\nUsage: kubectl hamlet COMMAND [NAME] [flags]\n\n${list.join('\n')}\n\n"kubectl hamlet COMMAND --help" shows its flags. Flags of every command:\n${COMMON_USAGE}`;
}
