/**
 * The api as the operator sees it: the stream of standings, sessions and claims, the money for pods, and the closing of
 * accounts.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeBank } from './fake-bank.ts';

export interface FakeVillage {
  readonly url: string;
  readonly closed: readonly string[];
  readonly resumed: readonly (string | null)[];
  readonly bank: FakeBank;
  say(
    event: 'standing' | 'presence' | 'schedule' | 'boost' | 'claim' | 'capabilities' | 'reset' | 'synced',
    data: object,
  ): void;
  /** While away, refuses new streams and calls about money. Open streams break. */
  setAway(away: boolean): void;
  hangUp(): void;
  refuseToClose(): void;
  stop(): Promise<void>;
}

const HEARTBEAT_MS = 5_000;

class Village {
  readonly closed: string[] = [];
  readonly resumed: (string | null)[] = [];
  readonly streams = new Set<ServerResponse>();
  readonly bank = new FakeBank((claim) => this.say('claim', claim));
  refuses = false;
  away = false;
  /** The last fact of each event and subject. A stream that starts from the beginning receives all of them. */
  readonly #facts = new Map<string, { readonly event: string; readonly data: object }>();
  #offset = 0;

  stream(after: string | null, response: ServerResponse): void {
    if (this.away) return void response.writeHead(503).end('away');
    this.resumed.push(after);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
    this.streams.add(response);
    response.once('close', () => this.streams.delete(response));
    if (after !== null) return;
    this.#send(response, 'reset', { epoch: 'e1' });
    for (const { event, data } of this.#facts.values()) this.#send(response, event, data);
    this.#send(response, 'synced', {});
  }

  say(event: string, data: object): void {
    this.#offset += 1;
    const about = data as { readonly agent_id?: string; readonly schedule_uid?: string };
    this.#facts.set(`${event} ${about.agent_id ?? about.schedule_uid ?? ''}`, { event, data });
    for (const stream of this.streams) this.#send(stream, event, data);
  }

  hangUp(): void {
    for (const stream of this.streams) stream.destroy();
  }

  /** Sends a heartbeat, as the api does: the operator takes a stream without heartbeats for dead. */
  beat(): void {
    for (const stream of this.streams) stream.write(': beat\n\n');
  }

  #send(stream: ServerResponse, event: string, data: object): void {
    stream.write(`event: ${event}\nid: e1:${this.#offset}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  async charge(path: string, body: string, response: ServerResponse): Promise<void> {
    if (this.away) return void response.writeHead(503).end('away');
    const answer = await this.bank.answer(path, body);
    if (answer === null) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  close(agentId: string, body: string, response: ServerResponse): void {
    const { uid } = JSON.parse(body) as { uid: string };
    if (this.refuses) return void response.writeHead(503).end('away');
    this.closed.push(`${agentId} ${uid}`);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ agent_id: agentId, uid, closed: true }));
  }
}

function serve(village: Village): Server {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://village');
    if (url.pathname === '/internal/stream') return village.stream(url.searchParams.get('after'), response);
    const [, agentId] = /^\/internal\/agents\/([^/]+)\/close$/.exec(url.pathname) ?? [];
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (agentId === undefined) void village.charge(url.pathname, body, response);
      else village.close(agentId, body, response);
    });
  });
}

export async function fakeVillage(): Promise<FakeVillage> {
  const village = new Village();
  const server = serve(village);
  const heart = setInterval(() => village.beat(), HEARTBEAT_MS);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closed: village.closed,
    resumed: village.resumed,
    bank: village.bank,
    say: (event, data) => village.say(event, data),
    hangUp: () => village.hangUp(),
    setAway: (away) => {
      village.away = away;
      if (away) village.hangUp();
    },
    refuseToClose: () => void (village.refuses = true),
    stop: () => {
      clearInterval(heart);
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
