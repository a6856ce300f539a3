/**
 * Sends one request from the hands. Reads `FetchInput` as JSON from standard input, writes the body or the text of a page to
 * standard output, and the facts as one line of JSON to standard error.
 */
import type { IncomingMessage } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { FetchFacts, FetchInput } from '../program-facts.ts';
import { faultOf, NetFault } from './net-fault.ts';
import { nextAddress, send, wayOutOf, webAddress } from './outgoing.ts';
import { HTML_MAX_CHARS, pageText } from './page-text.ts';

const REDIRECTS_MAX = 5;
const REDIRECTING: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HEADERS_SHOWN_CHARS = 6_000;
const AGENT = 'Mozilla/5.0 (compatible; HamletAgent/1.0)';

interface Answered {
  readonly answer: IncomingMessage;
  readonly url: URL;
}

async function follow(input: FetchInput, signal: AbortSignal): Promise<Answered> {
  const way = wayOutOf(process.env);
  const own = { 'accept-encoding': 'gzip, deflate, br', 'user-agent': AGENT, accept: '*/*' };
  const headers = { ...own, ...lowered(input.headers) };
  let url = webAddress(input.url);
  for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
    const answer = await send({ method: input.method, url, headers, body: input.body, signal }, way);
    const { location } = answer.headers;
    if (!input.asPage || location === undefined || !REDIRECTING.has(answer.statusCode ?? 0)) return { answer, url };
    answer.destroy();
    url = nextAddress(location, url);
  }
  throw new NetFault(
    'too_many_redirects',
    `The address redirects more than ${REDIRECTS_MAX} times: use another address`,
  );
}

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const DECODERS: Readonly<Record<string, (() => NodeJS.ReadWriteStream & Readable) | undefined>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** The body up to a limit on unpacked bytes, because a small answer may unpack to gigabytes. */
async function bodyOf(
  answer: IncomingMessage,
  most: number,
): Promise<{ readonly body: Buffer; readonly isCut: boolean }> {
  const decoder = DECODERS[(answer.headers['content-encoding'] ?? '').toLowerCase()];
  const decoded: Readable = pipeline(answer, decoder === undefined ? new PassThrough() : decoder(), () => {});
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of decoded) {
    const room = most - bytes;
    parts.push((part as Buffer).subarray(0, room));
    bytes += (part as Buffer).length;
    if (bytes > most) break;
  }
  answer.destroy();
  return { body: Buffer.concat(parts), isCut: bytes > most };
}

const TEXTUAL =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-ndjson|yaml|toml|x-sh|sql|graphql|.*\+(json|xml)))/;
const HTML = /^(text\/html|application\/xhtml\+xml)/;

function decoded(body: Buffer, contentType: string): string {
  const named = /charset\s*=\s*["']?([\w-]{1,40})/i;
  const label = named.exec(contentType)?.[1] ?? named.exec(body.subarray(0, 2_048).toString('latin1'))?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

interface Shown {
  readonly text: string;
  readonly title: string;
  readonly isText: boolean;
  readonly isCut?: boolean;
}

function shown(
  { asPage }: FetchInput,
  { body, url, contentType }: { body: Buffer; url: URL; contentType: string },
): Shown {
  const isText = TEXTUAL.test(contentType) || (contentType === '' && !body.includes(0));
  if (!isText) return { text: '', title: '', isText };
  const raw = decoded(body, contentType);
  if (!asPage || !HTML.test(contentType)) return { text: raw, title: '', isText };
  const { title, text, links } = pageText(raw.slice(0, HTML_MAX_CHARS), url);
  const list = links.map((link, index) => `[${index + 1}] ${link}`).join('\n');
  const isCut = raw.length > HTML_MAX_CHARS;
  return { text: list === '' ? text : `${text}\n\nLinks:\n${list}`, title, isText, isCut };
}

async function run(input: FetchInput): Promise<FetchFacts> {
  const signal = AbortSignal.timeout(input.timeoutMs);
  const { answer, url } = await follow(input, signal);
  const { body, isCut } = await bodyOf(answer, input.maxBytes);
  const contentType = (answer.headers['content-type'] ?? '').toLowerCase();
  const { text, title, isText, isCut: isShortened = false } = shown(input, { body, url, contentType });
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}`);
  return {
    ok: true,
    status: answer.statusCode ?? 0,
    url: url.href,
    title,
    contentType,
    bytes: body.length,
    isCut: isCut || isShortened,
    isText,
    headers: input.asPage ? '' : lines.join('\n').slice(0, HEADERS_SHOWN_CHARS),
  };
}

async function main(): Promise<void> {
  const input = JSON.parse(await readAll(process.stdin)) as FetchInput;
  const facts = await run(input).catch((error: unknown): FetchFacts => {
    const { code, message } = faultOf(error);
    return { ok: false, code, message };
  });
  process.stderr.write(`${JSON.stringify(facts)}\n`, () => process.exit(0));
}

await main();
