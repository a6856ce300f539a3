/**
 * The api as the operator sees it: the stream of standings, sessions and claims, the money for pods, and the closing of
 * accounts.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { FakeBank } from './fake-bank.ts';

const HEARTBEAT_MS = 5_000;

export type Fact =
  | 'standing'
  | 'presence'
  | 'schedule'
  | 'boost'
  | 'claim'
  | 'capabilities'
  | 'shortage'
  | 'reset'
  | 'synced';

export class FakeVillage {
  url = '';
  readonly closed: string[] = [];
  readonly resumed: (string | null)[] = [];
  readonly bank = new FakeBank((claim) => this.say('claim', claim));
  readonly #streams = new Set<ServerResponse>();
  /** The last fact of each event and subject. A stream that starts from the beginning receives all of them. */
  readonly #facts = new Map<string, { readonly event: string; readonly data: object }>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  /** The operator considers a stream without heartbeats dead. */
  readonly #heart = setInterval(() => this.#streams.forEach((stream) => stream.write(': beat\n\n')), HEARTBEAT_MS);
  #away = false;
  #offset = 0;

  async start(): Promise<this> {
    this.url = `http://127.0.0.1:${await listenOnLoopback(this.#server)}`;
    return this;
  }

  say(event: Fact, data: object): void {
    this.#offset += 1;
    const about = data as { readonly agent_id?: string; readonly schedule_uid?: string; readonly node?: string };
    this.#facts.set(`${event} ${about.agent_id ?? about.schedule_uid ?? about.node ?? ''}`, { event, data });
    for (const stream of this.#streams) this.#send(stream, event, data);
  }

  hangUp(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  /** While away, refuses all requests. Open streams break. */
  setAway(away: boolean): void {
    this.#away = away;
    if (away) this.hangUp();
  }

  async stop(): Promise<void> {
    clearInterval(this.#heart);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://village');
    const body = await text(request);
    if (this.#away) return void response.writeHead(503).end('away');
    if (pathname === '/internal/stream') return this.#stream(searchParams.get('after'), response);
    const [, agentId] = /^\/internal\/agents\/([^/]+)\/close$/.exec(pathname) ?? [];
    const answer = agentId === undefined ? await this.bank.answer(pathname, body) : this.#close(agentId, body);
    if (answer === null) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #stream(after: string | null, response: ServerResponse): void {
    this.resumed.push(after);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
    if (after !== null) return;
    this.#send(response, 'reset', { epoch: 'e1' });
    for (const { event, data } of this.#facts.values()) this.#send(response, event, data);
    this.#send(response, 'synced', {});
  }

  #close(agentId: string, body: string): object {
    const { uid } = JSON.parse(body) as { uid: string };
    this.closed.push(`${agentId} ${uid}`);
    return { agent_id: agentId, uid, closed: true };
  }

  #send(stream: ServerResponse, event: string, data: object): void {
    stream.write(`event: ${event}\nid: e1:${this.#offset}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

export const fakeVillage = (): Promise<FakeVillage> => new FakeVillage().start();
