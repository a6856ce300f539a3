import { constants, crc32, inflateRawSync } from 'node:zlib';
import { readPktLine, type WholeLine } from './pkt-line.ts';

/** Maximum bytes of a fetch, compressed and inflated: about 80,000 commits that the program has. */
export const MAX_FETCH_BYTES = 4 * 1024 * 1024;

const OID = '(?:[0-9a-f]{40}|[0-9a-f]{64})';
/** A name of a reference without the characters by which other formats end a value. Bytes above ASCII are part of UTF-8. */
const NAME = "[\\w./@+=#%,!'()$\\x80-\\xff-]{1,1024}";
/** A capability of a client, such as `agent=git/2.39.5` and `multi_ack_detailed`. */
const CAPABILITY = '[a-z0-9_-]{1,40}(?:=[\\w./:+()~-]{1,300})?';
const DEEPEN = `deepen (?:[0-9]{1,10})|deepen-since [0-9]{1,20}|deepen-not ${NAME}`;
const FILTER = 'filter [\\w:=./%+-]{1,1024}';

const whole = (...forms: readonly string[]): RegExp => new RegExp(`^(?:${forms.join('|')})$`);

/** Kinds of lines, each with its letter. The first form that fits counts. */
type Kinds = readonly (readonly [letter: string, form: RegExp])[];

/** Protocols 0 and 1 (gitprotocol-pack): what the program wants and how deep, then what it has. */
const OLD_LINES: Kinds = [
  ['w', whole(`want ${OID}`)],
  ['W', whole(`want ${OID}(?: ${CAPABILITY})* ?`)],
  ['s', whole(`shallow ${OID}`)],
  ['d', whole(DEEPEN)],
  ['f', whole(FILTER)],
  ['h', whole(`have ${OID}`)],
  ['D', whole('done')],
];
const OLD_FORM = /^[wW]w*s*d*f?0(?:h*[0D])?$/;

/** Protocol 2 (gitprotocol-v2): a command among capabilities, then its arguments. */
const HEAD_LINES: Kinds = [
  ['c', whole('command=(?:ls-refs|fetch|object-info|bundle-uri)')],
  ['k', whole('(?:agent|session-id|object-format)=[\\w./:+()~-]{1,300}')],
];
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'ls-refs': ['symrefs', 'peel', 'unborn', `ref-prefix ${NAME}`],
  fetch: [
    `(?:want|have|shallow) ${OID}`,
    `want-ref ${NAME}`,
    `${DEEPEN}|deepen-relative`,
    FILTER,
    'done|thin-pack|no-progress|include-tag|ofs-delta|sideband-all|wait-for-done',
    'packfile-uris [a-z,]{1,100}',
  ],
  'object-info': ['size', `oid ${OID}`],
  'bundle-uri': [],
};
const NEW_FORM = /^k*ck*1a*0$/;

/** An empty request: git sends it before a body that is longer than its `http.postBuffer`. */
const EMPTY_FORM = /^0$/;

/**
 * `unclear`: the reason why bytes are not one whole body of a git fetch, and nothing else; null if they are. `isOfProposals`: the
 * fetch asks for references of proposals; older protocols than 2 and ids of commits name no references.
 */
export type ReadFetch = { readonly unclear: string } | { readonly unclear: null; readonly isOfProposals: boolean };

/** Reads the body of a git fetch. Pure. */
export function readFetch(bytes: Buffer, isGzip: boolean): ReadFetch {
  const text = isGzip ? inflated(bytes) : bytes;
  if (text === null) return { unclear: 'it is not a single gzip stream of at most 4 MiB' };
  const reader = new FetchReader();
  for (let at = 0; at < text.length;) {
    const line = readPktLine(text, at);
    if (line === null || line.kind === 'more') return { unclear: 'it is not in the pkt-line format' };
    const unclear = reader.add(line);
    if (unclear !== null) return { unclear };
    at = line.end;
  }
  const { isWhole, isOfProposals } = reader;
  return isWhole
    ? { unclear: null, isOfProposals }
    : { unclear: 'its lines are not in the order in which git writes them' };
}

/** References of proposals, which strangers may make: of GitHub, Gitea and Azure, of GitLab, of Bitbucket and of Gerrit. */
const PROPOSALS = ['refs/pull/', 'refs/merge-requests/', 'refs/pull-requests/', 'refs/changes/'];
function namesProposals(line: string): boolean {
  const [, asked = null] = /^(?:ref-prefix|want-ref) (.+)$/.exec(line) ?? [];
  return asked !== null && PROPOSALS.some((refs) => refs.startsWith(asked) || asked.startsWith(refs));
}

/** Reads the lines of one request. Its letters, one for each line, show their order. */
class FetchReader {
  isOfProposals = false;
  #letters = '';
  #kinds: Kinds | null = null;
  #command = '';

  get isWhole(): boolean {
    return [EMPTY_FORM, OLD_FORM, NEW_FORM].some((form) => form.test(this.#letters));
  }

  /** Takes the next line; returns why git does not write it, or null. */
  add(line: WholeLine): string | null {
    if (line.kind === 'line') return this.#add(line.text);
    this.#letters += line.kind === 'flush' ? '0' : '1';
    if (line.kind === 'delim') this.#kinds = (ARGUMENTS[this.#command] ?? []).map((form) => ['a', whole(form)]);
    return null;
  }

  #add(text: string): string | null {
    this.#kinds ??= text.startsWith('want ') ? OLD_LINES : HEAD_LINES;
    const letter = this.#kinds.find(([, form]) => form.test(text))?.[0];
    if (letter === undefined) return `it has the line ${JSON.stringify(text.slice(0, 100))}`;
    if (letter === 'c') this.#command = text.slice('command='.length);
    this.#letters += letter;
    this.isOfProposals ||= namesProposals(text);
    return null;
  }
}

const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0]);
const GZIP_HEAD_LENGTH = 10;
const GZIP_TAIL_LENGTH = 8;

/** The content of exactly one gzip stream without names and comments (RFC 1952), so that no byte of it stays unread. */
function inflated(bytes: Buffer): Buffer | null {
  const tail = bytes.length - GZIP_TAIL_LENGTH;
  if (tail < GZIP_HEAD_LENGTH || !bytes.subarray(0, GZIP_HEAD.length).equals(GZIP_HEAD)) return null;
  const read = inflateOnce(bytes.subarray(GZIP_HEAD_LENGTH));
  if (read === null || GZIP_HEAD_LENGTH + read.length !== tail) return null;
  const { text } = read;
  return crc32(text) === bytes.readUInt32LE(tail) && text.length === bytes.readUInt32LE(tail + 4) ? text : null;
}

/** The content of a raw deflate stream, and the number of bytes that the stream has. */
function inflateOnce(bytes: Buffer): { readonly text: Buffer; readonly length: number } | null {
  try {
    const options = { maxOutputLength: MAX_FETCH_BYTES, info: true, finishFlush: constants.Z_FINISH };
    const { buffer, engine } = inflateRawSync(bytes, options) as unknown as Inflated;
    return { text: buffer, length: engine.bytesWritten };
  } catch {
    return null;
  }
}

/** The result of zlib with the option `info`. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}
