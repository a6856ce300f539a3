import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { SlackTokens } from '../slack/slack-api.ts';
import { type Blocks, METHODS, type Method, readMessage, type ShownMessage, SlackRefusal } from './slack-methods.ts';

const SOCKETS_MAX = 10;
const TEAM = 'T1';

type Given = Readonly<Record<string, string>>;

interface SlackSent extends ShownMessage {
  readonly user: string;
  readonly ts: string;
}

interface Pending {
  readonly type: 'events_api' | 'interactive';
  readonly payload: object;
  readonly key: string;
  attempts: number;
}

const chatOf = (user: string): string => `D${user}`;

/**
 * A stand-in of Slack for one app: its Web API and its sockets, as strict as Slack where the village depends on it. It
 * sends an event that is not confirmed in time again, three times at most, through any open socket.
 */
export class SlackServer {
  readonly sent: SlackSent[] = [];
  readonly updates: SlackSent[] = [];
  readonly deleted: string[] = [];
  readonly files: {
    readonly user: string;
    readonly name: string;
    readonly mediaType: string;
    readonly text: string;
  }[] = [];
  /** Methods in the order of their calls. */
  readonly calls: string[] = [];
  readonly #tokens: SlackTokens;
  readonly #confirmMs: number;
  readonly #uploads = new Map<string, { name: string; length: number; mediaType: string; content: Buffer | null }>();
  readonly #blocks = new Map<string, Blocks>();
  readonly #tickets = new Set<string>();
  readonly #pending = new Map<string, Pending>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #refusals: { readonly method: Method; readonly refusal: SlackRefusal }[] = [];
  #next = 100;
  #url = '';
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true });

  /** @param confirmMs time that Slack waits for a confirmation */
  constructor(tokens: SlackTokens, confirmMs = 3_000) {
    this.#tokens = tokens;
    this.#confirmMs = confirmMs;
    this.#server.on('upgrade', (request, socket, head) => {
      const ticket = new URL(request.url ?? '', this.#url).searchParams.get('ticket') ?? '';
      if (!this.#tickets.delete(ticket)) return socket.destroy();
      return this.#sockets.handleUpgrade(request, socket, head, (web) => this.#greet(web));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this.#url;
  }

  async remove(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const web of this.#sockets.clients) web.terminate();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  get sockets(): number {
    return this.#sockets.clients.size;
  }

  /** True once the village has confirmed every envelope. */
  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** The next call of the method is refused; `ratelimited` with 429 and `retryAfter` seconds. */
  refuseNext(method: Method, error: string, retryAfter?: number): void {
    this.#refusals.push({ method, refusal: new SlackRefusal(error, retryAfter) });
  }

  /** Ends every socket, after a notice if `isAnnounced`. */
  endSockets(isAnnounced: boolean): void {
    for (const web of this.#sockets.clients) {
      if (isAnnounced) web.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
      else web.terminate();
    }
  }

  /** An event as Slack sends it, of a person's direct message unless `of` says otherwise. */
  event(user: string, text: string, of: object = {}): void {
    const event = { type: 'message', channel: chatOf(user), channel_type: 'im', user, text, ts: this.#ts(), ...of };
    const payload = { type: 'event_callback', team_id: TEAM, event_id: `Ev${this.#take()}`, event };
    this.#send({ type: 'events_api', payload, key: payload.event_id, attempts: 0 });
  }

  /** A payload of a kind that the village cannot read. */
  strange(payload: object): void {
    this.#send({ type: 'events_api', payload, key: `Ev${this.#take()}`, attempts: 0 });
  }

  press(user: string, ts: string, value: string): void {
    const payload = {
      type: 'block_actions',
      team: { id: TEAM },
      user: { id: user },
      container: { type: 'message', channel_id: chatOf(user), message_ts: ts },
      message: { ts, blocks: (this.#blocks.get(ts) ?? []).map((block, at) => ({ ...block, block_id: `b${at}` })) },
      actions: [{ action_id: value, value, action_ts: this.#ts() }],
    };
    this.#send({ type: 'interactive', payload, key: `press ${this.#take()}`, attempts: 0 });
  }

  #take(): number {
    return (this.#next += 1);
  }

  #ts(): string {
    return `1790000000.${String(this.#take()).padStart(6, '0')}`;
  }

  /** Through one of the open sockets, if there is one. A press is sent once. */
  #send(pending: Pending): void {
    this.#pending.set(pending.key, pending);
    const [web] = [...this.#sockets.clients].filter((each) => each.readyState === each.OPEN).toReversed();
    if (web === undefined) return;
    pending.attempts += 1;
    web.send(
      JSON.stringify({
        envelope_id: `${pending.key}:${pending.attempts}`,
        type: pending.type,
        payload: pending.payload,
        accepts_response_payload: false,
        retry_attempt: pending.attempts - 1,
      }),
    );
    if (pending.type === 'events_api' && pending.attempts <= 3)
      this.#later(this.#confirmMs, () => this.#again(pending));
  }

  #again(pending: Pending): void {
    if (this.#pending.has(pending.key)) this.#send(pending);
  }

  #later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }

  #greet(web: WebSocket): void {
    if (this.#sockets.clients.size > SOCKETS_MAX) return web.close();
    web.on('message', (data) => {
      const { envelope_id: id } = z.strictObject({ envelope_id: z.string() }).parse(JSON.parse(data.toString()));
      this.#pending.delete(id.slice(0, id.lastIndexOf(':')));
    });
    web.on('close', () => this.#later(0, () => this.#resend()));
    web.send(JSON.stringify({ type: 'hello', num_connections: this.#sockets.clients.size, connection_info: {} }));
    this.#resend();
    return undefined;
  }

  #resend(): void {
    for (const pending of this.#pending.values()) if (pending.type === 'events_api') this.#send(pending);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const path = new URL(request.url ?? '', this.#url).pathname;
    if (path.startsWith('/upload/')) return this.#upload(path, { request, body, response });
    try {
      const answer = this.#answer(path.slice('/api/'.length), request, new URLSearchParams(body.toString('utf8')));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, ...answer }));
    } catch (error) {
      const retryAfter = error instanceof SlackRefusal ? error.retryAfter : undefined;
      const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      const words = error instanceof SlackRefusal ? error.message : `internal_error: ${String(error)}`;
      response
        .writeHead(retryAfter === undefined ? 200 : 429, headers)
        .end(JSON.stringify({ ok: false, error: words }));
    }
  }

  #upload(
    path: string,
    given: { readonly request: IncomingMessage; readonly body: Buffer; readonly response: ServerResponse },
  ): void {
    const { request, body, response } = given;
    const upload = this.#uploads.get(path.slice('/upload/'.length));
    const isWhole = upload?.length === body.length;
    if (isWhole) Object.assign(upload, { content: body, mediaType: request.headers['content-type'] ?? '' });
    response.writeHead(isWhole ? 200 : 400).end(isWhole ? `OK - ${body.length}` : 'bad');
  }

  #answer(name: string, request: IncomingMessage, form: URLSearchParams): object {
    if (!Object.hasOwn(METHODS, name)) throw new SlackRefusal('unknown_method');
    const method = name as Method;
    const token = method === 'apps.connections.open' ? this.#tokens.app : this.#tokens.bot;
    if (request.headers.authorization !== `Bearer ${token}`) throw new SlackRefusal('invalid_auth');
    const parsed = METHODS[method].safeParse(Object.fromEntries(form));
    if (!parsed.success) throw new SlackRefusal('invalid_arguments');
    this.calls.push(method);
    const at = this.#refusals.findIndex((each) => each.method === method);
    const [refused] = at === -1 ? [] : this.#refusals.splice(at, 1);
    if (refused !== undefined) throw refused.refusal;
    return this.#carryOut(method, parsed.data as Given);
  }

  #carryOut(method: Method, given: Given): object {
    switch (method) {
      case 'apps.connections.open':
        return { url: `${this.#url.replace('http', 'ws')}/link/?ticket=${this.#ticket()}` };
      case 'conversations.open':
        return { channel: { id: chatOf(given['users'] ?? '') } };
      case 'users.info':
        return {
          user: { id: given['user'], real_name: 'Zoe Z.', profile: { display_name: `Person ${given['user']}` } },
        };
      case 'chat.postMessage':
        return this.#keep(this.sent, given, this.#ts());
      case 'chat.update':
        return this.#keep(this.updates, given, this.#known(given['ts']));
      case 'chat.delete':
        this.deleted.push(this.#known(given['ts']));
        return {};
      default:
        return this.#file(method, given);
    }
  }

  #ticket(): string {
    const ticket = `t${this.#take()}`;
    this.#tickets.add(ticket);
    return ticket;
  }

  #known(ts = ''): string {
    if (!this.#blocks.has(ts)) throw new SlackRefusal('message_not_found');
    return ts;
  }

  #keep(to: SlackSent[], given: Given, ts: string): object {
    const { channel = '' } = given;
    const { blocks, ...message } = readMessage(given);
    this.#blocks.set(ts, blocks);
    to.push({ user: channel.slice(1), ts, ...message });
    return { channel, ts };
  }

  #file(method: Method, given: Given): object {
    if (method === 'files.getUploadURLExternal') {
      const id = `F${this.#take()}`;
      const length = Number(given['length']);
      this.#uploads.set(id, { name: given['filename'] ?? '', length, mediaType: '', content: null });
      return { upload_url: `${this.#url}/upload/${id}`, file_id: id };
    }
    const files = z
      .array(z.strictObject({ id: z.string(), title: z.string() }))
      .parse(JSON.parse(given['files'] ?? ''));
    for (const { id, title } of files) {
      const upload = this.#uploads.get(id);
      if (upload === undefined || upload.content === null) throw new SlackRefusal('file_not_found');
      const text = upload.content.toString('utf8');
      this.files.push({ user: (given['channel_id'] ?? '').slice(1), name: title, mediaType: upload.mediaType, text });
    }
    return { files };
  }
}
