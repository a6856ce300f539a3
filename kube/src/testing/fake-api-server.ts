/** An API server that answers over real sockets as a test scripts it, including faults that are rare on a real API server. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import type { Connection } from '../client/connection.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
}

type Answer = (response: ServerResponse, seen: Seen) => void;

export const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

export const object = (name: string, version: number, extra: Readonly<Record<string, unknown>> = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'n', uid: `${name}-uid`, resourceVersion: String(version) },
  ...extra,
});

export const bookmark = (version: number): string =>
  line('BOOKMARK', { kind: 'Pod', metadata: { resourceVersion: String(version) } });

export const status = (code: number, reason: string): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message: reason,
});

export const list =
  (version: number, items: readonly object[], next = ''): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ kind: 'PodList', metadata: { resourceVersion: String(version), continue: next }, items }),
    );
  };

export const refuse =
  (code: number, reason: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(status(code, reason)));
  };

export const send =
  (...lines: readonly (string | Uint8Array)[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const each of lines) response.write(each);
  };

export const sendAndEnd =
  (...lines: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(lines.join(''));
  };

export const sendAndBreak =
  (bytes: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(bytes, () => setImmediate(() => response.destroy()));
  };

class Script {
  readonly seen: Seen[] = [];
  #answers: Answer[] = [];

  set(answers: readonly Answer[]): void {
    this.#answers = [...answers];
  }

  play(seen: Seen, response: ServerResponse): void {
    this.seen.push(seen);
    const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    if (answer === undefined) response.writeHead(500).end();
    else answer(response, seen);
  }
}

function seenOf(request: IncomingMessage): Seen {
  const url = new URL(request.url ?? '/', 'http://fake');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    authorization: request.headers.authorization,
  };
}

export type FakeApiServer = Awaited<ReturnType<typeof fakeApiServer>>;

export async function fakeApiServer(token?: Connection['token']) {
  const lists = new Script();
  const watches = new Script();
  let open = 0;
  const server = createServer((request, response) => {
    const seen = seenOf(request);
    if (seen.query.get('watch') !== 'true') return lists.play(seen, response);
    open += 1;
    response.once('close', () => (open -= 1));
    watches.play(seen, response);
  });
  const port = await listenOnLoopback(server);
  const connection: Connection = {
    server: `http://127.0.0.1:${port}`,
    namespace: 'n',
    tls: {},
    ...(token && { token }),
  };
  return {
    connection,
    lists: lists.seen,
    watches: watches.seen,
    get open() {
      return open;
    },
    /** Sets the answers to the next list requests, in order. The last answer repeats. */
    onList: (...answers: Answer[]) => lists.set(answers),
    onWatch: (...answers: Answer[]) => watches.set(answers),
    stop: (): Promise<void> => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
