import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { REFUSALS, type Refusal } from '@hamlet/contract';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { aConfig, aStanding, aWorld } from './a-village.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly bearer: string | undefined;
  readonly key: string | undefined;
  readonly body: unknown;
}

const USUAL: Readonly<Record<string, (request: Request) => unknown>> = {
  'agent-token': () => ({
    access_token: 'token-1',
    expires_at: new Date(Date.now() + 300_000).toISOString(),
    agent_id: 'ada',
    uid: 'u',
    cycle: 1,
  }),
  world: () => aWorld(),
  ada: () => aStanding(),
  move: () => ({
    accepted_seq: 2,
    from: { x: 0, y: 0 },
    to: { x: 1, y: 1 },
    start_tick: 1,
    arrives_tick: 9,
    path_tiles: 2,
  }),
  news: () => ({ agent_id: 'ada', news: [], next_after: null }),
  models: () => ({ object: 'list', data: [] }),
  next: () => ({ run: null }),
  turns: ({ body }) => ({ turn_id: (body as { turn_id: string }).turn_id }),
  action: () => ({
    accepted_seq: 3,
    durable_seq: 3,
    event: { kind: 'emote', seq: 3, tick: 1, agent_id: 'ada', emote: 'smile' },
  }),
};

export type HttpApi = Awaited<ReturnType<typeof startHttpApi>>;

/** A server with the agents' part of the API, for tests of the client. A test can change its answers while it runs. */
export async function startHttpApi() {
  const requests: Request[] = [];
  /** Refusals by the last part of the path; each replaces the usual answer. */
  const refuse = new Map<string, Refusal>();
  /** The server delays its answers to these paths until the test resolves their promises. */
  const hold = new Map<string, Promise<void>>();
  const streams = new Set<ServerResponse>();
  let notify = Promise.withResolvers<void>();

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const last = /([^/?]+)(\?.*)?$/.exec(request.url ?? '')?.[1] ?? '';
    const asked = await requestOf(request);
    requests.push(asked);
    notify.resolve();
    notify = Promise.withResolvers();
    await hold.get(last);
    const code = refuse.get(last);
    if (code !== undefined) return problem(response, code);
    if (last === 'wakes') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
      return streams.add(response);
    }
    return json(
      response,
      last === 'turns' ? 201 : 200,
      last === 'config' ? aConfig({ loop_every_ms: 50 }) : USUAL[last]?.(asked),
    );
  };

  const server = createServer((request, response) => void answer(request, response));
  return {
    url: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    requests,
    refuse,
    hold,
    send: (event: string, data: object): void =>
      streams.forEach((stream) => stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)),
    asked: async (ending: string): Promise<Request> => {
      for (;;) {
        const found = requests.find(({ path }) => path.split('?')[0]?.endsWith(ending));
        if (found !== undefined) return found;
        await notify.promise;
      }
    },
    close: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function requestOf(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const { method = '', url = '', headers } = request;
  return {
    method,
    path: url,
    bearer: headers.authorization,
    key: headers['idempotency-key']?.toString(),
    body: text === '' ? null : JSON.parse(text),
  };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function problem(response: ServerResponse, code: Refusal): void {
  const { status, title } = REFUSALS[code];
  const body = { type: `#${code}`, title, status, detail: title, code, request_id: 'r' };
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
}
