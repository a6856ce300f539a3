import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseExact } from '../transport/json-text.ts';

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Resolves if the client disconnects before the answer is complete. */
  readonly gone: Promise<void>;
}

/**
 * A part of an answer: bytes; a wait; `cut` breaks the connection; `hold` waits until the client leaves; `drip` repeats
 * a text until the client leaves.
 */
export type WireChunk =
  | string
  | Uint8Array
  | { readonly waitMs: number }
  | { readonly until: Promise<unknown> }
  | { readonly drip: string; readonly everyMs: number }
  | 'cut'
  | 'hold';

export interface WireAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks: readonly WireChunk[];
}

/** Fields that a request must contain, or a function that asserts. */
type WireMatcher =
  | Partial<Pick<WireRequest, 'method' | 'path' | 'headers' | 'body'>>
  | ((request: WireRequest) => void);

interface WireStep {
  readonly expect?: WireMatcher;
  readonly answer: WireAnswer | ((request: WireRequest) => WireAnswer);
}

export interface WireServer {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  add(...steps: readonly WireStep[]): void;
  /** Throws if a step was not used, or if a request was unexpected or did not match. */
  verify(): void;
  close(): Promise<void>;
}

interface WireOptions {
  /** Answers requests without a step; null refuses them. */
  readonly otherwise?: (request: WireRequest) => WireAnswer | null;
  /** By default a free port of 127.0.0.1. */
  readonly listen?: { readonly host: string; readonly port: number };
}

const BODY_BYTES_MAX = 16 * 1024 * 1024;
const DRIPS_MAX = 100_000;

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error(`the request has more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function match(request: WireRequest, { expect = {} }: WireStep): void {
  if (typeof expect === 'function') expect(request);
  else assert.partialDeepStrictEqual(request, expect);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The remaining steps and all deviations. Mutable. */
class Script {
  readonly problems: string[] = [];
  readonly #steps: WireStep[];
  readonly #options: WireOptions;
  #used = 0;

  constructor(steps: readonly WireStep[], options: WireOptions) {
    this.#steps = [...steps];
    this.#options = options;
  }

  add(steps: readonly WireStep[]): void {
    this.#steps.push(...steps);
  }

  get left(): readonly string[] {
    return this.#steps.map((_, position) => `step ${this.#used + position + 1}`);
  }

  answerTo(request: WireRequest): WireAnswer | null {
    const [step] = this.#steps;
    if (step === undefined) return this.#answerOtherwise(request);
    try {
      match(request, step);
    } catch (error) {
      this.problems.push(`step ${this.#used + 1} did not match: ${messageOf(error)}`);
      return null;
    }
    this.#steps.shift();
    this.#used += 1;
    return typeof step.answer === 'function' ? step.answer(request) : step.answer;
  }

  #answerOtherwise(request: WireRequest): WireAnswer | null {
    const answer = this.#options.otherwise?.(request) ?? null;
    if (answer === null)
      this.problems.push(`unexpected request ${request.method} ${request.path}: ${JSON.stringify(request.body)}`);
    return answer;
  }
}

async function drip(
  response: ServerResponse,
  { drip: text, everyMs }: { readonly drip: string; readonly everyMs: number },
): Promise<void> {
  for (let count = 0; count < DRIPS_MAX && !response.destroyed; count += 1) {
    response.write(text);
    await sleep(everyMs);
  }
}

/** Writes one chunk; false if the answer is over. */
async function writeChunk(response: ServerResponse, chunk: WireChunk, gone: Promise<void>): Promise<boolean> {
  if (response.destroyed) return false;
  if (chunk === 'cut') {
    // The client must receive everything written so far before the connection breaks.
    await sleep(20);
    response.destroy();
    return false;
  }
  if (chunk === 'hold') await gone;
  else if (typeof chunk === 'string' || chunk instanceof Uint8Array) await write(response, chunk);
  else if ('waitMs' in chunk) await sleep(chunk.waitMs);
  else if ('until' in chunk) await Promise.race([chunk.until, gone]);
  else await drip(response, chunk);
  return !response.destroyed;
}

async function write(response: ServerResponse, chunk: string | Uint8Array): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.write(chunk, () => resolve());
  response.once('close', resolve);
  await promise;
  response.off('close', resolve);
}

async function send(response: ServerResponse, answer: WireAnswer, gone: Promise<void>): Promise<void> {
  response.writeHead(answer.status ?? 200, answer.headers ?? { 'content-type': 'application/json' });
  if (answer.chunks[0] !== 'hold') response.flushHeaders();
  for (const chunk of answer.chunks) if (!(await writeChunk(response, chunk, gone))) return;
  response.end();
}

/** Answers a request that the script does not expect with 400, which no client retries. */
function refusal(problem: string): WireAnswer {
  return { status: 400, chunks: [JSON.stringify({ error: { message: `test kit: ${problem}`, type: 'unexpected' } })] };
}

/**
 * A server that follows a script: each step is an expected request and its answer byte for byte. `verify`
 * fails on unused steps and unexpected requests.
 */
export async function startWireServer(steps: readonly WireStep[] = [], options: WireOptions = {}): Promise<WireServer> {
  const script = new Script(steps, options);
  const requests: WireRequest[] = [];

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = Promise.withResolvers<void>();
    response.once('close', () => {
      if (!response.writableFinished) left.resolve();
    });
    const body = await readBody(incoming);
    const { method = '', url: path = '' } = incoming;
    const request = { method, path, headers: headersOf(incoming), body, gone: left.promise };
    requests.push(request);
    await send(response, script.answerTo(request) ?? refusal(script.problems.at(-1) ?? ''), left.promise);
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      script.problems.push(messageOf(error));
      response.destroy();
    });
  });
  server.listen(options.listen ?? { host: '127.0.0.1', port: 0 });
  await new Promise<void>((resolve) => {
    server.once('listening', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    add: (...more) => script.add(more),
    verify: () => assert.deepEqual({ problems: script.problems, unused: script.left }, { problems: [], unused: [] }),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
