import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { deny, judgeConnection, type Destination, type EgressDenial } from '@hamlet/core/egress';
import { Admissions } from './admissions.ts';
import { AttemptLog } from './attempt-log.ts';
import { ByteBudget } from './byte-budget.ts';
import { type ConnectionLimits, Connections, OPEN_CONNECTIONS, SERVER_CONNECTIONS } from './connections.ts';
import { RefusedTokens, TOO_MANY_TOKENS } from './refused-tokens.ts';
import { STOPPED } from './stops.ts';
import { Strangers } from './strangers.ts';
import { readIdentity } from './identity.ts';
import type { Network } from './connect/reach.ts';
import { factsAsWritten, OF_BROKER } from './proxy/asked.ts';
import { FETCH_BODIES, HeldBodies, WRITE_BODIES } from './proxy/held-bodies.ts';
import type { AttemptFacts, Caller, Known, Unadmitted } from './proxy/caller.ts';
import { admit, admitIdentity, knownOf, Recorder } from './proxy/caller.ts';
import { namesHost, readAbsolute, readHostPort } from './proxy/destination.ts';
import { requireName } from './proxy/first-bytes.ts';
import { askForHost } from './proxy/host-guard.ts';
import { factsOf, forward, type ForwardParts, type Passage } from './proxy/forward.ts';
import { Outlets } from './proxy/outlets.ts';
import { refuseConnect, refuseRequest } from './proxy/refuse.ts';
import { readReverse, reversePath, type ReverseTarget } from './reverse/reverse-target.ts';
import { factsOfReverse, named, serveReverse } from './reverse/reverse.ts';
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
  /** Further certificates (PEM) by which the broker trusts servers, besides those of the system. */
  readonly roots?: string;
  /** Idle timeout of a request in milliseconds; five minutes if absent. */
  readonly idleMs?: number;
  /** Limits of connections to servers; `SERVER_CONNECTIONS` if absent. */
  readonly serverConnections?: ConnectionLimits;
}

const MALFORMED = deny(
  'egress_bad_request',
  'the proxy accepts CONNECT HOST:PORT, and requests with an absolute http:// URL',
);
const OTHER_HOST = deny(
  'egress_name_differs',
  'the Host header names another host than the address; send the same one',
);
const NO_UPGRADE = deny(
  'egress_bad_request',
  'the broker reads the requests to this host, and cannot read another protocol; ask an admin for a rule without methods, paths and secret',
);
const NO_EXPECTATION = deny(
  'egress_bad_request',
  'the broker supports only Expect: 100-continue; send the request without this header',
);
const UNREADABLE = deny(
  'egress_bad_request',
  'the broker cannot read this request: send HTTP/1.1 with a head of at most 64 KiB',
);
const UNTRUSTED = deny(
  'egress_not_tls',
  'the TLS handshake of the program with the broker failed; make the program trust the certificate of the village',
);
const NO_CERTIFICATE = deny('egress_unreachable', 'the broker cannot make a certificate for this host; ask an admin');

interface Inside {
  readonly caller: Caller;
  readonly destination: Destination;
}

/** A request that is refused before the rules judge it; `caller` is null if the broker does not know the life. */
type Refused = Omit<Passage, 'caller'> & { readonly caller: Known | null };

/** True if the API does not know the token; false while the API is unreachable. */
const isInvented = (token: string, { code }: EgressDenial): boolean =>
  token !== '' && code === 'egress_identity_refused';

/**
 * The only way out of a pod: an HTTP proxy that identifies the agent, judges the destination and records the attempt.
 * The rules decide whether it tunnels the bytes or reads each request.
 */
export class Broker {
  readonly server: Server;
  readonly #inspector: Server;
  readonly #config: BrokerConfig;
  readonly #admissions: Admissions;
  readonly #connections = new Connections(OPEN_CONNECTIONS);
  readonly #strangers = new Strangers();
  readonly #refusedTokens: RefusedTokens;
  readonly #outlets: Outlets;
  readonly #recorder: Recorder;
  readonly #parts: ForwardParts & TunnelParts;
  readonly #inside = new WeakMap<Duplex, Inside>();
  /** The agent that made the last request of a connection without TLS. */
  readonly #known = new WeakMap<Duplex, Known>();
  /** The answer to the last request of a connection. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>();
  readonly #unsubscribe: () => void;

  constructor(config: BrokerConfig) {
    const { village, network, now, newId } = config;
    this.#config = config;
    this.#admissions = new Admissions(village, now);
    this.#refusedTokens = new RefusedTokens(now);
    this.#outlets = new Outlets(network, config.serverConnections ?? SERVER_CONNECTIONS, config.roots);
    this.#recorder = new Recorder(new AttemptLog(village), { now, newId });
    const budget = new ByteBudget(now);
    this.#parts = {
      recorder: this.#recorder,
      outlets: this.#outlets,
      budget,
      idleMs: config.idleMs ?? IDLE_MS,
      network,
      village,
      bodies: new HeldBodies(WRITE_BODIES),
      fetches: new HeldBodies(FETCH_BODIES),
      connections: this.#connections,
    };
    const limits = {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: 0,
      // Otherwise Node refuses a request without a Host header, and the record lacks it.
      requireHostHeader: false,
      // Clients that offer HTTP/2, such as cargo, use HTTP/1.1 if the server ignores the offer.
      shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() !== 'h2c',
    };
    this.server = createServer(limits, (request, response) => {
      this.#plain(request, response).catch(() => response.destroy());
    });
    this.server.on('connection', (socket) => this.#strangers.add(socket));
    this.server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#connect(request, socket, head).catch(() => socket.destroy());
    });
    this.#inspector = createServer(limits, (request, response) => {
      this.#inspected(request, response).catch(() => response.destroy());
    });
    this.#inspector.on('connect', (request: IncomingMessage, socket: Duplex) => this.#noTunnel(request, socket));
    for (const server of [this.server, this.#inspector]) {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex) => this.#noTunnel(request, socket));
      server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
        this.#unserved(request, response, NO_EXPECTATION),
      );
      server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => this.#unreadable(error, socket));
    }
    this.#unsubscribe = village.onStopped((uid, isBraked) => this.#stop(uid, isBraked));
  }

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

  #stop(uid: string, isBraked: boolean): void {
    this.#admissions.forget(uid, isBraked);
    if (isBraked) this.#recorder.cutOff(uid, STOPPED);
    this.#connections.end(uid);
    this.#outlets.end(uid);
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const destination = readHostPort(request.url ?? '');
    const admitted = await this.#admit(request, socket);
    const refuse = (denial: EgressDenial, by: Known | null, facts: AttemptFacts): void => {
      this.#recorder.refused(by, facts, denial);
      refuseConnect(socket, denial);
    };
    if (destination === null) return refuse(MALFORMED, knownOf(admitted), factsAsWritten(request));
    const facts = { form: 'tunnel', destination, method: null, path: null } as const;
    if ('denial' in admitted) return refuse(admitted.denial, admitted.by, facts);
    const judged = judgeConnection(admitted.admission.policy, destination);
    if (judged.verdict === 'deny') {
      const summary = `CONNECT ${destination.host}:${destination.port}`;
      const asked = { caller: admitted, destination, summary, closes: socket };
      const opened = await askForHost(this.#config.village, asked, judged);
      if ('verdict' in opened) return refuse(opened, admitted, facts);
      return this.#inspect({ caller: admitted, destination }, socket, head);
    }
    if (judged.verdict === 'tunnel')
      return openTunnel(this.#parts, { caller: admitted, destination, rules: judged.rules, socket, head });
    return this.#inspect({ caller: admitted, destination }, socket, head);
  }

  async #inspect(inside: Inside, socket: Duplex, head: Buffer): Promise<void> {
    const { caller, destination } = inside;
    const refuse = (denial: EgressDenial): void => {
      this.#recorder.refused(caller, { form: 'inspect', destination, method: null, path: null }, denial);
      socket.destroy();
    };
    socket.write(ESTABLISHED);
    const denial = await requireName(socket, head, destination);
    if (denial !== null) return refuse(denial);
    const secureContext = await this.#config.authority.context(destination.host).catch(() => null);
    if (secureContext === null) return refuse(NO_CERTIFICATE);
    const secure = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
    let isSecure = false;
    secure.once('secure', () => (isSecure = true));
    secure.on('error', () => socket.destroy());
    secure.once('close', () => {
      if (!isSecure) refuse(UNTRUSTED);
    });
    this.#inside.set(secure, inside);
    this.#inspector.emit('connection', secure);
  }

  async #inspected(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#answers.set(request.socket, response);
    const inside = this.#inside.get(request.socket);
    if (inside === undefined) return refuseRequest(response, MALFORMED);
    // A connection may live for hours, in which rules and limits of its agent change.
    const caller = await admitIdentity(this.#admissions, inside.caller.identity);
    const passage = { ...inside, form: 'inspect', request, response } as const;
    if ('denial' in caller) return this.#refuse({ ...passage, caller: caller.by }, caller.denial);
    if (namesHost(request.headers.host, inside.destination, 443)) return forward(this.#parts, { ...passage, caller });
    this.#refuse({ ...passage, caller }, OTHER_HOST);
  }

  async #plain(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#answers.set(request.socket, response);
    const path = reversePath(request.url ?? '');
    const reverse = path === null ? null : readReverse(path);
    if (reverse !== null) return this.#reverse(request, response, reverse);
    const read = readAbsolute(request.url ?? '');
    if (read === null) return this.#unserved(request, response, MALFORMED);
    const { destination, target } = read;
    const admitted = await this.#admit(request, request.socket);
    request.url = target;
    const asked = { destination, form: 'plain', request, response } as const;
    if ('denial' in admitted) return this.#refuse({ ...asked, caller: admitted.by }, admitted.denial);
    const passage = { ...asked, caller: admitted };
    const judged = judgeConnection(admitted.admission.policy, destination);
    if (judged.verdict === 'deny' && judged.code !== 'egress_not_allowed') return this.#refuse(passage, judged);
    const isNamed = namesHost(request.headers.host, destination, 80);
    return isNamed ? forward(this.#parts, passage) : this.#refuse(passage, OTHER_HOST);
  }

  async #reverse(request: IncomingMessage, response: ServerResponse, target: ReverseTarget): Promise<void> {
    const admitted = await this.#admit(request, request.socket);
    if (!('denial' in admitted)) return serveReverse(this.#parts, { caller: admitted, target, request, response });
    const { by, denial } = admitted;
    this.#recorder.refused(by === null ? null : named(by, target), factsOfReverse(target, request, null), denial);
    request.resume();
    refuseRequest(response, denial);
  }

  async #admit(
    { headers, socket: { remoteAddress = '' } }: IncomingMessage,
    socket: Duplex,
  ): Promise<Caller | Unadmitted> {
    const token = readIdentity(headers)?.token ?? '';
    if (this.#refusedTokens.isExhausted(remoteAddress) && !this.#admissions.knows(token))
      return { denial: TOO_MANY_TOKENS, by: null };
    const parts = { admissions: this.#admissions, connections: this.#connections };
    const admitted = await admit(parts, headers, socket);
    const known = knownOf(admitted);
    if (known !== null) this.#known.set(socket, known);
    if (!('denial' in admitted)) this.#strangers.known(socket);
    else if (known === null && isInvented(token, admitted.denial)) this.#refusedTokens.note(remoteAddress);
    return admitted;
  }

  #refuse({ caller, request, response, ...asked }: Refused, denial: EgressDenial): void {
    this.#recorder.refused(caller, factsOf({ ...asked, request }), denial);
    request.resume();
    refuseRequest(response, denial);
  }

  /** Refuses upgrades to another protocol, and tunnels inside TLS that the broker terminates. */
  #noTunnel(request: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    void this.#recordUnserved(request, NO_UPGRADE);
    refuseConnect(socket, NO_UPGRADE);
  }

  #unserved(request: IncomingMessage, response: ServerResponse, denial: EgressDenial): void {
    void this.#recordUnserved(request, denial);
    request.resume();
    refuseRequest(response, denial);
  }

  /** Records a request that is refused before the rules judge it. The answer does not wait for the admission. */
  async #recordUnserved(request: IncomingMessage, denial: EgressDenial): Promise<void> {
    const inside = this.#inside.get(request.socket);
    if (inside !== undefined)
      return this.#recorder.refused(inside.caller, factsOf({ ...inside, form: 'inspect', request }), denial);
    const facts = factsAsWritten(request);
    this.#recorder.refused(knownOf(await this.#admit(request, request.socket)), facts, denial);
  }

  /** Refuses and records bytes that are not HTTP. A fault within a body only closes the connection: its request is already recorded. */
  #unreadable({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
    const isOfBody = this.#answers.get(socket)?.writableFinished === false;
    if (isOfBody || !code.startsWith('HPE_') || !socket.writable) return void socket.destroy();
    const inside = this.#inside.get(socket);
    const asked = { method: null, path: null };
    if (inside === undefined) {
      const known = this.#known.get(socket) ?? null;
      this.#recorder.refused(known, { form: 'plain', destination: OF_BROKER, ...asked }, UNREADABLE);
    } else {
      const { caller, destination } = inside;
      this.#recorder.refused(caller, { form: 'inspect', destination, ...asked }, UNREADABLE);
    }
    socket.once('finish', () => socket.destroy());
    refuseConnect(socket, UNREADABLE);
  }
}
