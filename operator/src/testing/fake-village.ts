/** The api as the operator sees it: the stream of standing and presence, and the closing of accounts. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeVillage {
  readonly url: string;
  /** `AGENT UID` of every account that was closed. */
  readonly closed: readonly string[];
  /** What `after` the streams were opened with. */
  readonly resumed: readonly (string | null)[];
  say(event: 'standing' | 'presence' | 'reset', data: object): void;
  /** Breaks every stream that is open. */
  hangUp(): void;
  /** Refuses to close accounts from now on. */
  refuseToClose(): void;
  stop(): Promise<void>;
}

class Village {
  readonly closed: string[] = [];
  readonly resumed: (string | null)[] = [];
  readonly streams = new Set<ServerResponse>();
  refuses = false;
  #offset = 0;

  stream(after: string | null, response: ServerResponse): void {
    this.resumed.push(after);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
    this.streams.add(response);
    response.once('close', () => this.streams.delete(response));
  }

  say(event: string, data: object): void {
    this.#offset += 1;
    for (const stream of this.streams) stream.write(`event: ${event}\nid: e1:${this.#offset}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  close(agentId: string, body: string, response: ServerResponse): void {
    const { uid } = JSON.parse(body) as { uid: string };
    if (this.refuses) return void response.writeHead(503).end('away');
    this.closed.push(`${agentId} ${uid}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ agent_id: agentId, uid, closed: true }));
  }
}

function serve(village: Village): Server {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://village');
    if (url.pathname === '/internal/stream') return village.stream(url.searchParams.get('after'), response);
    const [, agentId] = /^\/internal\/agents\/([^/]+)\/close$/.exec(url.pathname) ?? [];
    if (agentId === undefined) return void response.writeHead(404).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => village.close(agentId, Buffer.concat(chunks).toString(), response));
  });
}

export async function fakeVillage(): Promise<FakeVillage> {
  const village = new Village();
  const server = serve(village);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closed: village.closed,
    resumed: village.resumed,
    say: (event, data) => village.say(event, data),
    hangUp: () => {
      for (const stream of village.streams) stream.destroy();
    },
    refuseToClose: () => void (village.refuses = true),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
