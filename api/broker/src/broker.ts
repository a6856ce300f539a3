import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { deny, judgeConnection, type Destination, type EgressDenial } from '@hamlet/core/egress';
import { Admissions } from './admissions.ts';
import { AttemptLog } from './attempt-log.ts';
import { ByteBudget } from './byte-budget.ts';
import { Connections } from './connections.ts';
import type { Network } from './connect/reach.ts';
import { BodyShelf } from './proxy/body-shelf.ts';
import { admit, Recorder, type Caller } from './proxy/caller.ts';
import { namesHost, readAbsolute, readHostPort } from './proxy/destination.ts';
import { requireName } from './proxy/first-bytes.ts';
import { forward, type ForwardParts, type Passage } from './proxy/forward.ts';
import { Outlets } from './proxy/outlets.ts';
import { refuseConnect, refuseRequest } from './proxy/refuse.ts';
import { readReverse, reversePath, type ReverseTarget } from './reverse/reverse-target.ts';
import { serveReverse } from './reverse/reverse.ts';
import { ESTABLISHED, openTunnel, type TunnelParts } from './proxy/tunnel.ts';
import type { Authority } from './tls/authority.ts';
import type { Village } from './village.ts';

const MAX_HEADER_BYTES = 65_536;
const HEADERS_MS = 30_000;
const IDLE_MS = 300_000;

export interface BrokerConfig {
  readonly village: Village;
  readonly authority: Authority;
  readonly network: Network;
  readonly now: () => number;
  readonly newId: () => string;
  /** Further certificates (PEM) by which the broker knows servers, beside those of the system. */
  readonly roots?: string;
  /** Without a byte in either direction for so long, a request ends; five minutes if absent. */
  readonly idleMs?: number;
}

const MALFORMED = deny(
  'egress_bad_request',
  'the proxy takes CONNECT HOST:PORT and requests with a whole http:// address',
);
const OTHER_HOST = deny(
  'egress_name_differs',
  'the Host header names another host than the address; send the same one',
);
const NO_UPGRADE = deny(
  'egress_bad_request',
  'the broker reads the requests to this host, and cannot read another protocol; ask an admin for a rule without methods, paths and secret',
);

/**
 * The only way out of a pod: an HTTP proxy that finds out which agent asks, judges where it may go, records the
 * attempt, and then passes bytes on unread or reads each request, whichever the rules say.
 */
export class Broker {
  readonly server: Server;
  readonly #inspector: Server;
  readonly #config: BrokerConfig;
  readonly #admissions: Admissions;
  readonly #connections = new Connections();
  readonly #outlets: Outlets;
  readonly #recorder: Recorder;
  readonly #parts: ForwardParts & TunnelParts;
  readonly #inside = new WeakMap<Duplex, { readonly caller: Caller; readonly destination: Destination }>();
  readonly #unsubscribe: () => void;

  constructor(config: BrokerConfig) {
    const { village, network, now, newId } = config;
    this.#config = config;
    this.#admissions = new Admissions(village, now);
    this.#outlets = new Outlets(network, config.roots);
    this.#recorder = new Recorder(new AttemptLog(village), { now, newId });
    const budget = new ByteBudget(now);
    this.#parts = {
      recorder: this.#recorder,
      outlets: this.#outlets,
      budget,
      idleMs: config.idleMs ?? IDLE_MS,
      network,
      village,
      bodies: new BodyShelf(),
      connections: this.#connections,
    };
    const limits = {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: 0,
      // Clients that offer HTTP/2, as cargo does, use HTTP/1.1 where the server ignores the offer.
      shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() !== 'h2c',
    };
    this.server = createServer(limits, (request, response) => {
      this.#plain(request, response).catch(() => response.destroy());
    });
    this.server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#connect(request, socket, head).catch(() => socket.destroy());
    });
    this.#inspector = createServer(limits, (request, response) => {
      this.#inspected(request, response).catch(() => response.destroy());
    });
    for (const server of [this.server, this.#inspector])
      server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => refuseConnect(socket, NO_UPGRADE));
    this.#unsubscribe = village.onStopped((uid) => this.#stop(uid));
  }

  /** Open connections of all agents. */
  get open(): number {
    return this.#connections.count;
  }

  close(): void {
    this.#unsubscribe();
    this.server.close();
    this.#connections.endAll();
    this.#outlets.endAll();
    this.server.closeAllConnections();
  }

  #stop(uid: string): void {
    this.#admissions.forget(uid);
    this.#connections.end(uid);
    this.#outlets.end(uid);
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const destination = readHostPort(request.url ?? '');
    if (destination === null) return refuseConnect(socket, MALFORMED);
    const caller = await this.#admit(request, socket);
    if ('verdict' in caller) return refuseConnect(socket, caller);
    const judged = judgeConnection(caller.admission.policy, destination);
    if (judged.verdict === 'deny') {
      this.#recorder.refused(caller, { form: 'tunnel', destination, method: null, path: null }, judged);
      return refuseConnect(socket, judged);
    }
    if (judged.verdict === 'tunnel')
      return openTunnel(this.#parts, { caller, destination, rules: judged.rules, socket, head });
    return this.#inspect({ caller, destination }, socket, head);
  }

  async #inspect(inside: { caller: Caller; destination: Destination }, socket: Duplex, head: Buffer): Promise<void> {
    const { caller, destination } = inside;
    socket.write(ESTABLISHED);
    const denial = await requireName(socket, head, destination);
    if (denial !== null) {
      this.#recorder.refused(caller, { form: 'inspect', destination, method: null, path: null }, denial);
      socket.destroy();
      return;
    }
    const secureContext = await this.#config.authority.context(destination.host);
    const secure = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
    secure.on('error', () => socket.destroy());
    this.#inside.set(secure, inside);
    this.#inspector.emit('connection', secure);
  }

  async #inspected(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const inside = this.#inside.get(request.socket);
    if (inside === undefined) return refuseRequest(response, MALFORMED);
    const passage = { ...inside, form: 'inspect', request, response } as const;
    if (namesHost(request.headers.host, inside.destination, 443)) return forward(this.#parts, passage);
    this.#refuse(passage, OTHER_HOST);
  }

  async #plain(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = reversePath(request.url ?? '');
    const reverse = path === null ? null : readReverse(path);
    if (reverse !== null) return this.#reverse(request, response, reverse);
    const read = readAbsolute(request.url ?? '');
    if (read === null) return refuseRequest(response, MALFORMED);
    const { destination, target } = read;
    const caller = await this.#admit(request, request.socket);
    if ('verdict' in caller) return refuseRequest(response, caller);
    const judged = judgeConnection(caller.admission.policy, destination);
    const isNamed = namesHost(request.headers.host, destination, 80);
    request.url = target;
    const passage = { caller, destination, form: 'plain', request, response } as const;
    if (judged.verdict === 'deny') return this.#refuse(passage, judged);
    return isNamed ? forward(this.#parts, passage) : this.#refuse(passage, OTHER_HOST);
  }

  async #reverse(request: IncomingMessage, response: ServerResponse, target: ReverseTarget): Promise<void> {
    const caller = await this.#admit(request, request.socket);
    if ('verdict' in caller) return refuseRequest(response, caller);
    return serveReverse(this.#parts, { caller, target, request, response });
  }

  #admit({ headers }: IncomingMessage, socket: Duplex): Promise<Caller | EgressDenial> {
    return admit({ admissions: this.#admissions, connections: this.#connections }, headers, socket);
  }

  #refuse({ caller, destination, form, request, response }: Passage, denial: EgressDenial): void {
    this.#recorder.refused(caller, { form, destination, method: request.method ?? null, path: null }, denial);
    request.resume();
    refuseRequest(response, denial);
  }
}
