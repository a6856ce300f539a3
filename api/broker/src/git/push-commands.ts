import { readPktLine } from './pkt-line.ts';

/** Maximum bytes of the commands and options before the pack of a push. */
export const MAX_COMMAND_BYTES = 65_536;
const MAX_COMMANDS = 100;
const MAX_OPTIONS = 20;
/** A shallow clone lists its boundaries before the commands. */
const MAX_LINES = 1_000;
const COMMAND = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (\S+)$/;
/** A capability as git writes it: printable, without spaces. Only the exact word `push-options` announces options. */
const CAPABILITY = /^(?!push-options.)[a-z0-9-]+(=[!-~]*)?$/;
const PACK = Buffer.from('PACK');
const SHALLOW = /^shallow ([0-9a-f]{40}|[0-9a-f]{64})$/;
const REF = /^refs\/[A-Za-z0-9._/@+=-]{1,250}$/;
const REF_UNCLEAR = /\.\.|\/\/|\/\.|@\{|\.lock(\/|$)|[./]$/;

/** One change of a reference; an id of zeros means that the reference does not exist. */
export interface PushCommand {
  readonly from: string;
  readonly to: string;
  readonly ref: string;
}

/** The commands, client capabilities and options (`git push -o`) of a push. */
export interface Push {
  readonly kind: 'push';
  readonly commands: readonly PushCommand[];
  readonly capabilities: readonly string[];
  readonly options: readonly string[];
}

export type PushHead = Push | { readonly kind: 'more' } | { readonly kind: 'unclear'; readonly why: string };

const MORE: PushHead = { kind: 'more' };
const unclear = (why: string): PushHead => ({ kind: 'unclear', why });
const TOO_LONG = unclear('its commands are longer than 64 KiB');

function readCommand(text: string): PushCommand | null {
  const [, from, to, ref] = COMMAND.exec(text) ?? [];
  if (from === undefined || to === undefined || ref === undefined) return null;
  return REF.test(ref) && !REF_UNCLEAR.test(ref) ? { from, to, ref } : null;
}

/**
 * Reads the commands and options at the start of a `git-receive-pack` request (gitprotocol-pack), each byte once for
 * any split into chunks. Signed pushes, unusual names and anything that git does not send are unclear.
 */
export class PushHeadReader {
  readonly #bytes = Buffer.alloc(MAX_COMMAND_BYTES);
  #length = 0;
  #at = 0;
  #lines = 0;
  /** True after the last flush before the pack. */
  #isWhole = false;
  readonly #commands: PushCommand[] = [];
  /** Null until the first command names them. */
  #capabilities: readonly string[] | null = null;
  /** Null until the flush after the commands. */
  #options: string[] | null = null;

  /** Takes the next bytes. After a result other than `more` the reader is done. */
  add(chunk: Buffer): PushHead {
    this.#length += chunk.copy(this.#bytes, this.#length);
    if (this.#isWhole) return this.#tail(false);
    for (;;) {
      const line = readPktLine(this.#bytes.subarray(0, this.#length), this.#at);
      if (line === null || line.kind === 'delim') return unclear('it is not in the pkt-line format');
      if (line.kind === 'more') return this.#length < MAX_COMMAND_BYTES ? MORE : TOO_LONG;
      this.#at = line.end;
      const end = line.kind === 'line' ? this.#line(line.text) : this.#flush();
      if (end !== null) return end;
    }
  }

  /** Ends the body, which is complete without a pack if the push only deletes. */
  end(): PushHead {
    return this.#isWhole ? this.#tail(true) : unclear('it ends within its commands');
  }

  #flush(): PushHead | null {
    if (this.#options === null && this.#capabilities?.includes('push-options') === true) {
      this.#options = [];
      return null;
    }
    this.#isWhole = true;
    return this.#tail(false);
  }

  /** git sends its pack directly after the last flush, or nothing if the push only deletes. */
  #tail(isEnd: boolean): PushHead {
    const next = this.#bytes.subarray(this.#at, Math.min(this.#length, this.#at + PACK.length));
    if (next.length < PACK.length && !isEnd) return this.#length < MAX_COMMAND_BYTES ? MORE : TOO_LONG;
    if (next.length > 0 && !next.equals(PACK)) return unclear('something other than a pack follows its commands');
    return {
      kind: 'push',
      commands: this.#commands,
      capabilities: this.#capabilities ?? [],
      options: this.#options ?? [],
    };
  }

  #line(text: string): PushHead | null {
    this.#lines += 1;
    if (this.#lines > MAX_LINES) return unclear(`it has more than ${MAX_LINES} lines before its pack`);
    if (this.#options !== null) return this.#option(text);
    if (SHALLOW.test(text)) return null;
    const [written = '', capabilities] = text.split(/\0([^]*)/);
    const command = readCommand(written);
    if (command === null) return unclear(`it has the command ${JSON.stringify(written.slice(0, 100))}`);
    if (this.#commands.length === MAX_COMMANDS) return unclear(`it changes more than ${MAX_COMMANDS} references`);
    this.#commands.push(command);
    return this.#capability(capabilities);
  }

  /** git writes capabilities after the first command alone, and reads them after every one. */
  #capability(text: string | undefined): PushHead | null {
    if (this.#capabilities !== null) return text === undefined ? null : unclear('it names capabilities twice');
    this.#capabilities = (text ?? '').split(' ').filter((name) => name !== '');
    const strange = this.#capabilities.find((name) => !CAPABILITY.test(name));
    return strange === undefined ? null : unclear(`it has the capability ${JSON.stringify(strange.slice(0, 100))}`);
  }

  #option(text: string): PushHead | null {
    if (this.#options?.length === MAX_OPTIONS) return unclear(`it has more than ${MAX_OPTIONS} options`);
    this.#options?.push(text);
    return null;
  }
}

/** Prefix of the references that belong to one agent alone. */
export const ownBranches = (agent: string): string => `refs/heads/hamlet/${agent}/`;

const isNothing = (id: string): boolean => /^0+$/.test(id);

/** A line for the person who decides, such as `new refs/heads/hamlet/ada/fix at 1a2b3c4`. */
export function describeCommand({ from, to, ref }: PushCommand): string {
  if (isNothing(to)) return `delete ${ref} (was ${from.slice(0, 7)})`;
  if (isNothing(from)) return `new ${ref} at ${to.slice(0, 7)}`;
  return `${ref} from ${from.slice(0, 7)} to ${to.slice(0, 7)}`;
}
