import { once } from 'node:events';
import { request as requestHttp, type IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { EgressPolicy } from '@hamlet/contract';
import { deny } from '@hamlet/core/egress';
import { Broker, type BrokerConfig } from '../broker.ts';
import { Authority, type AuthorityFiles } from '../tls/authority.ts';
import { createAuthority } from '../tls/issuer.ts';
import { noSecret } from '../secrets/put-secret.ts';
import type {
  Admission,
  AdmissionDenial,
  Attempt,
  AttemptEnd,
  HostAsk,
  PermissionAsk,
  SecretUse,
  Village,
} from '../village.ts';
import type { Internet } from './an-internet.ts';

export const RUN = '6f1c1d52-0000-4000-8000-000000000001';

/** A village in memory: it admits tokens, stores attempts, and can fail. */
export class FakeVillage implements Village {
  readonly admitted = new Map<string, Admission>();
  /** Tokens that are not admitted, with the lives behind them. */
  readonly denied = new Map<string, AdmissionDenial>();
  readonly attempts: Attempt[] = [];
  readonly ends: AttemptEnd[] = [];
  readonly secrets = new Map<string, string>();
  readonly permissions: PermissionAsk[] = [];
  readonly hosts: HostAsk[] = [];
  readonly withdrawn: string[] = [];
  /** The decision of the person; null for no answer. */
  answer: 'allowed' | ReturnType<typeof deny> | null = 'allowed';
  readonly #listeners = new Set<(uid: string, isBraked: boolean) => void>();
  asked = 0;
  isDown = false;

  async admit(token: string): Promise<Admission | AdmissionDenial> {
    this.asked += 1;
    if (this.isDown) throw new Error('the API is down');
    const unknown = deny('egress_identity_refused', 'no such token');
    return this.denied.get(token) ?? this.admitted.get(token) ?? unknown;
  }

  async begin(attempts: readonly Attempt[]): Promise<void> {
    if (this.isDown) throw new Error('the API is down');
    this.attempts.push(...attempts);
  }

  async end(ends: readonly AttemptEnd[]): Promise<void> {
    this.ends.push(...ends);
  }

  async secret(_admission: Admission, { name }: SecretUse): Promise<string | ReturnType<typeof deny>> {
    return this.secrets.get(name) ?? noSecret(name);
  }

  async permit(ask: PermissionAsk, signal: AbortSignal): Promise<'allowed' | ReturnType<typeof deny>> {
    this.permissions.push(ask);
    if (this.answer === null) await new Promise((_, reject) => signal.addEventListener('abort', reject));
    return this.answer ?? 'allowed';
  }

  /** By default like an API whose runs have ended: hosts stay closed. Null for an API that does not answer. */
  hostAnswer: 'allowed' | ReturnType<typeof deny> | null = deny('egress_no_run', 'no such run');

  async permitHost(ask: HostAsk): Promise<'allowed' | ReturnType<typeof deny>> {
    this.hosts.push(ask);
    if (this.hostAnswer === null) throw new Error('the API is down');
    return this.hostAnswer;
  }

  async withdraw({ ask }: PermissionAsk): Promise<void> {
    this.withdrawn.push(ask);
  }

  onStopped(listener: (uid: string, isBraked: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(uid: string, isBraked = false): void {
    for (const listener of this.#listeners) listener(uid, isBraked);
  }

  /** Adds an agent with these ways out; its token is its name. */
  addAgent(agent: string, policy: object): void {
    const parsed = EgressPolicy.parse({ version: '1', allow: [], deny: [], openings: [], ...policy });
    this.admitted.set(agent, { agent, uid: `uid-${agent}`, cycle: 1, policy: parsed });
  }
}

export interface Answer {
  readonly status: number;
  readonly message: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Asked {
  readonly agent?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Setting extends Pick<BrokerConfig, 'idleMs' | 'serverConnections'> {
  readonly authorityOf?: (files: AuthorityFiles) => Authority;
}

export class TestBroker {
  readonly village = new FakeVillage();
  readonly #broker: Broker;
  readonly #authority: string;
  readonly port: number;

  private constructor(broker: Broker, village: FakeVillage, at: { authority: string; port: number }) {
    this.#broker = broker;
    this.village = village;
    this.#authority = at.authority;
    this.port = at.port;
  }

  static async start(
    internet: Internet,
    { authorityOf = (files) => new Authority(files, Date.now), ...limits }: Setting = {},
  ): Promise<TestBroker> {
    const files = await createAuthority('a test', Date.now());
    const village = new FakeVillage();
    let ids = 0;
    const broker = new Broker({
      village,
      authority: authorityOf(files),
      network: internet.network,
      now: Date.now,
      newId: () => String((ids += 1)),
      roots: internet.roots,
      ...limits,
    });
    broker.server.listen(0, '127.0.0.1');
    await once(broker.server, 'listening');
    const address = broker.server.address();
    if (address === null || typeof address !== 'object') throw new Error('the broker has no port');
    return new TestBroker(broker, village, { authority: files.certificate, port: address.port });
  }

  get open(): number {
    return this.#broker.open;
  }

  get authority(): string {
    return this.#authority;
  }

  close(): void {
    this.#broker.close();
  }

  identity(agent: string): string {
    return `Basic ${Buffer.from(`${RUN}/call-1:${agent}`).toString('base64')}`;
  }

  async connect(target: string, agent = 'ada'): Promise<{ readonly socket: Socket; readonly head: string }> {
    const socket = connect(this.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: ${this.identity(agent)}\r\n\r\n`,
    );
    let head = '';
    while (!head.includes('\r\n\r\n')) {
      const [chunk] = await once(socket, 'data');
      head += String(chunk);
    }
    return { socket, head };
  }

  /** TLS to a host through the broker, as curl does it. */
  async connectTls(host: string, by: { agent?: string; servername?: string; ca?: string } = {}): Promise<TLSSocket> {
    const { socket, head } = await this.connect(`${host}:443`, by.agent);
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(head);
    const secure = connectTls({
      socket,
      servername: by.servername ?? host,
      ca: by.ca ?? this.#authority,
      ALPNProtocols: ['http/1.1'],
    });
    secure.on('error', () => undefined);
    await once(secure, 'secureConnect');
    return secure;
  }

  async inspected(url: string, asked: Asked = {}): Promise<Answer> {
    const { hostname, pathname, search } = new URL(url);
    const socket = await this.connectTls(hostname, asked.agent === undefined ? {} : { agent: asked.agent });
    const request = requestHttps({
      createConnection: () => socket,
      host: hostname,
      path: pathname + search,
      defaultPort: 443,
      ...optionsOf(asked),
    });
    return answerTo(request, asked.body);
  }

  plain(url: string, asked: Asked = {}): Promise<Answer> {
    const headers = {
      'proxy-authorization': this.identity(asked.agent ?? 'ada'),
      host: new URL(url).host,
      ...asked.headers,
    };
    const request = requestHttp({
      port: this.port,
      host: '127.0.0.1',
      path: url,
      ...optionsOf(asked),
      headers,
      agent: false,
    });
    return answerTo(request, asked.body);
  }
}

function optionsOf({ method = 'GET', headers = {} }: Asked): { method: string; headers: Record<string, string> } {
  return { method, headers };
}

async function answerTo(request: ReturnType<typeof requestHttp>, body?: string): Promise<Answer> {
  request.end(body);
  const [response] = await once(request, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  request.destroy();
  const { statusCode: status, statusMessage: message = '', headers } = response;
  return { status, message, headers, body: text };
}
