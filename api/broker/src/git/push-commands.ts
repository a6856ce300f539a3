import { readPktLine } from './pkt-line.ts';

/** Limit of the commands, which a push sends before its pack. */
export const MAX_COMMAND_BYTES = 65_536;
const MAX_COMMANDS = 100;
const COMMAND = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (\S+)$/;
const SHALLOW = /^shallow ([0-9a-f]{40}|[0-9a-f]{64})$/;
const REF = /^refs\/[A-Za-z0-9._/@+=-]{1,250}$/;
const REF_UNCLEAR = /\.\.|\/\/|\/\.|@\{|\.lock(\/|$)|[./]$/;

/** One change of a reference; an id of zeros is no object. */
export interface PushCommand {
  readonly from: string;
  readonly to: string;
  readonly ref: string;
}

export type PushHead =
  | { readonly kind: 'commands'; readonly commands: readonly PushCommand[]; readonly capabilities: readonly string[] }
  | { readonly kind: 'more' }
  | { readonly kind: 'unclear'; readonly why: string };

type Unclear = Extract<PushHead, { kind: 'unclear' }>;

const unclear = (why: string): Unclear => ({ kind: 'unclear', why });
const TOO_LONG = unclear('its commands are longer than 64 KiB');

function readCommand(text: string): PushCommand | null {
  const [, from, to, ref] = COMMAND.exec(text) ?? [];
  if (from === undefined || to === undefined || ref === undefined) return null;
  return REF.test(ref) && !REF_UNCLEAR.test(ref) ? { from, to, ref } : null;
}

type Lines = Readonly<{ lines: readonly string[] }> | Exclude<PushHead, { kind: 'commands' }>;

function readLines(bytes: Buffer): Lines {
  const lines: string[] = [];
  for (let at = 0; at < MAX_COMMAND_BYTES;) {
    const line = readPktLine(bytes, at);
    if (line === null) return unclear('it is not in the pkt-line format');
    if (line.kind === 'flush') return { lines };
    if (line.kind === 'more') return bytes.length < MAX_COMMAND_BYTES ? line : TOO_LONG;
    at = line.end;
    lines.push(line.text);
  }
  return TOO_LONG;
}

/**
 * Reads the commands at the start of a `git-receive-pack` request (gitprotocol-pack). `more` asks for further bytes.
 * Signed pushes, unusual names and anything that git does not send are unclear.
 */
export function readPushHead(bytes: Buffer): PushHead {
  const read = readLines(bytes);
  if ('kind' in read) return read;
  const lines = read.lines.map((line) => line.split('\0')).filter(([text = '']) => !SHALLOW.test(text));
  const commands = lines.map(([text = '']) => readCommand(text));
  const known = commands.filter((command) => command !== null);
  const strange = lines[commands.indexOf(null)]?.[0];
  if (strange !== undefined) return unclear(`it has the command ${JSON.stringify(strange.slice(0, 100))}`);
  if (known.length > MAX_COMMANDS) return unclear(`it changes more than ${String(MAX_COMMANDS)} references`);
  const capabilities = (lines[0]?.[1] ?? '').split(' ').filter((name) => name !== '');
  return { kind: 'commands', commands: known, capabilities };
}

/** Prefix of the references of one agent. No other agent has references with this prefix. */
export const ownBranches = (agent: string): string => `refs/heads/hamlet/${agent}/`;

const isNothing = (id: string): boolean => /^0+$/.test(id);

/** A line for the person who decides, such as `new refs/heads/hamlet/ada/fix at 1a2b3c4`. */
export function describeCommand({ from, to, ref }: PushCommand): string {
  if (isNothing(to)) return `delete ${ref} (was ${from.slice(0, 7)})`;
  if (isNothing(from)) return `new ${ref} at ${to.slice(0, 7)}`;
  return `${ref} from ${from.slice(0, 7)} to ${to.slice(0, 7)}`;
}
