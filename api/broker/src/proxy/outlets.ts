import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, getCACertificates, type TLSSocket } from 'node:tls';
import { callbackify } from 'node:util';
import { deny, normalHost, type Destination, type EgressDenial } from '@hamlet/core/egress';
import { Client, Pool, type Dispatcher } from 'undici';
import { type ConnectionLimits, Connections } from '../connections.ts';
import { reach, type Network } from '../connect/reach.ts';
import type { Admission } from '../village.ts';
import { TOO_MANY } from './caller.ts';

const MAX_OUTLETS = 1000;
const MAX_SOCKETS = 64;
const IDLE_MS = 15_000;
const HANDSHAKE_MS = 10_000;
/** The origin for undici, which resolves no names: the broker does. */
const SERVER = 'http://server.invalid';

/** Each exchange has its own idle timeout. */
const OPTIONS = {
  allowH2: false,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: IDLE_MS,
  keepAliveMaxTimeout: IDLE_MS,
} as const;

export class NotReached extends Error {
  readonly denial: EgressDenial;

  constructor(denial: EgressDenial) {
    super(denial.message);
    this.denial = denial;
  }
}

export interface Server extends Destination {
  readonly isTls: boolean;
}

type Sent = Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'headers' | 'body'>;

/** Receives the parts of an answer. An error is the last call. */
export interface AnswerReader extends Dispatcher.DispatchHandler {
  /** Called before the request is sent on a connection to this address. */
  onStart(controller: Dispatcher.DispatchController, address: string | null): void;
  onResponseError(controller: Dispatcher.DispatchController | null, error: Error): void;
}

type Open = () => Promise<Socket>;

/** One connection to a server, reopened after its end. It carries one request at a time. */
class Line extends Client {
  readonly #at: { address: string | null };

  constructor(open: Open, at: { address: string | null } = { address: null }) {
    const dial = callbackify(async (): Promise<Socket> => {
      const socket = await open();
      at.address = socket.remoteAddress ?? null;
      return socket;
    });
    super(SERVER, {
      ...OPTIONS,
      connect: (_server, done) => dial((error, socket) => (error === null ? done(null, socket) : done(error, null))),
    });
    this.#at = at;
  }

  override dispatch(sent: Dispatcher.DispatchOptions, reader: AnswerReader): boolean {
    return super.dispatch(sent, {
      ...reader,
      onRequestStart: (controller) => reader.onStart(controller, this.#at.address),
    });
  }
}

/** The connections of one agent. Agents never share connections. */
class Outlet {
  readonly #pools = new Map<string, Pool>();
  readonly #open: (server: Server) => Promise<Socket>;

  constructor(open: (server: Server) => Promise<Socket>) {
    this.#open = open;
  }

  /** Sends a request on an idle or a new connection. `reader` also receives errors. */
  send(server: Server, sent: Sent, reader: AnswerReader): void {
    this.#poolOf(server).dispatch({ ...sent, origin: SERVER }, reader);
  }

  end(): void {
    for (const pool of this.#pools.values()) void pool.destroy().catch(() => undefined);
    this.#pools.clear();
  }

  #poolOf(server: Server): Pool {
    const key = `${server.isTls ? 'tls' : 'plain'} ${server.host} ${String(server.port)}`;
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const pool = new Pool(SERVER, { connections: MAX_SOCKETS, factory: () => new Line(() => this.#open(server)) });
    const dropUnused = (): void => {
      if (pool.stats.connected > 0 || pool.stats.size > 0 || this.#pools.get(key) !== pool) return;
      this.#pools.delete(key);
      void pool.close().catch(() => undefined);
    };
    pool.on('disconnect', dropUnused).on('connectionError', dropUnused);
    this.#pools.set(key, pool);
    return pool;
  }
}

/** The outlets of all agents, by life and version of the rules: a connection does not outlive its rules. */
export class Outlets {
  readonly #outlets = new Map<string, Outlet>();
  readonly #connections: Connections;
  readonly #network: Network;
  readonly #trusted: string[] | undefined;

  /**
   * @param limits of the connections to servers, also idle ones
   * @param roots further root certificates (PEM) for servers, besides those of the system.
   */
  constructor(network: Network, limits: ConnectionLimits, roots?: string) {
    this.#network = network;
    this.#connections = new Connections(limits);
    this.#trusted = roots === undefined ? undefined : [...getCACertificates(), roots];
  }

  of(admission: Admission): Pick<Outlet, 'send'> {
    const key = `${admission.uid} ${admission.policy.version}`;
    const known = this.#outlets.get(key);
    if (known !== undefined) return known;
    const outlet = new Outlet((server) => this.#connect(admission, server));
    this.#outlets.set(key, outlet);
    const oldest = this.#outlets.keys().next().value;
    if (this.#outlets.size > MAX_OUTLETS && oldest !== undefined) this.#drop(oldest);
    return outlet;
  }

  end(uid: string): void {
    for (const key of this.#outlets.keys()) if (key.startsWith(`${uid} `)) this.#drop(key);
  }

  endAll(): void {
    for (const key of this.#outlets.keys()) this.#drop(key);
  }

  async #connect({ uid, policy }: Admission, { host, port, isTls }: Server): Promise<Socket> {
    const socket = await reach(this.#network, policy, { host: normalHost(host), port });
    if ('verdict' in socket) throw new NotReached(socket);
    if (!this.#connections.add(uid, socket)) {
      socket.destroy();
      throw new NotReached(TOO_MANY);
    }
    return isTls ? secured(socket, host, this.#trusted) : socket;
  }

  #drop(key: string): void {
    this.#outlets.get(key)?.end();
    this.#outlets.delete(key);
  }
}

/** Starts TLS on a connection to a server. Rejects with {@link NotReached}. */
async function secured(socket: Socket, host: string, trusted: string[] | undefined): Promise<TLSSocket> {
  const name = isIP(host) === 0 ? { servername: host } : { host };
  const ca = trusted === undefined ? {} : { ca: trusted };
  const tls = connectTls({ ...name, ...ca, socket, ALPNProtocols: ['http/1.1'] });
  const timer = setTimeout(() => tls.destroy(new Error('timeout')), HANDSHAKE_MS);
  try {
    await once(tls, 'secureConnect');
    return tls;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'timeout';
    throw new NotReached(
      deny('egress_unreachable', `the TLS handshake with ${host} failed (${code}); check its certificate`),
    );
  } finally {
    clearTimeout(timer);
  }
}
