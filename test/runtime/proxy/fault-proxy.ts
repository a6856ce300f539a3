/** A proxy between a client and a real API server. It speaks HTTP to the client and TLS to the server, and injects faults. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { freePort } from '@hamlet/dev';
import type { Connection } from '@hamlet/kube';

/** A request as it arrived. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** Plural of the kind, with its subresource: `pods`, `agents/status`. */
  readonly resource: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly isWatch: boolean;
  /** Status of the answer; 0 until it arrives. */
  status: number;
}

/** A watch that is open now. */
export interface OpenWatch {
  readonly exchange: Exchange;
  /** From now on no data reaches the client, and no error either. */
  freeze(): void;
  /** The connection breaks as if a router had forgotten it. */
  reset(): void;
}

/** The effects of a fault on a request. */
export interface FaultPorts {
  readonly exchange: Exchange;
  readonly response: ServerResponse;
  /** Forwards the request, and the answer's body through `pump`. */
  forward(pump: Pump): void;
  reset(): void;
}

export type Pump = (upstream: IncomingMessage, response: ServerResponse) => void;

export interface Fault {
  readonly matches: (exchange: Exchange) => boolean;
  /** Number of requests that the fault affects. */
  times: number;
  readonly act: (ports: FaultPorts) => void;
}

/** Forwards data as it arrives. */
export const plainly: Pump = (upstream, response) => void upstream.pipe(response);

function resourceOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const inside = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  const [plural = '', , subresource] = inside;
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}

function exchangeOf({ method = 'GET', url = '/', headers }: IncomingMessage): Exchange {
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  return {
    method,
    path: pathname,
    resource: resourceOf(pathname),
    query: searchParams,
    authorization: headers.authorization,
    isWatch: searchParams.get('watch') === 'true',
    status: 0,
  };
}

/** One proxy in front of one API server. */
export class FaultProxy {
  /** Every request that arrived, oldest first, up to `logLimit`. */
  readonly log: Exchange[] = [];
  readonly #connection: Connection;
  readonly #logLimit: number;
  readonly #agent: Agent;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<OpenWatch>();
  #faults: Fault[] = [];
  #port = 0;

  /** @param connection to the API server; the proxy does not use its certificate, so each client must have a token */
  constructor(connection: Connection, logLimit = 100_000) {
    this.#connection = connection;
    this.#logLimit = logLimit;
    const { ca } = connection.tls;
    this.#agent = new Agent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) });
    this.#server = createServer((request, response) => this.#take(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get watches(): readonly OpenWatch[] {
    return [...this.#watches];
  }

  /** Number of watches that are open at present, by kind. */
  get watchCounts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { exchange } of this.#watches) counts[exchange.resource] = (counts[exchange.resource] ?? 0) + 1;
    return counts;
  }

  /** Applies the fault to matching requests, as many times as it says. */
  inject(fault: Fault): void {
    this.#faults.push(fault);
  }

  heal(): void {
    this.#faults = [];
  }

  /** Listens; after `refuse` again on the same port. */
  async start(): Promise<void> {
    // A port outside the range of outgoing connections, so that none takes it between `refuse` and `start`.
    if (this.#port === 0) this.#port = await freePort();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Breaks every connection and accepts no new one: "connection refused" until `start`. */
  refuse(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.resetAndDestroy();
    return closed;
  }

  async stop(): Promise<void> {
    await this.refuse();
    this.#agent.destroy();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const exchange = exchangeOf(request);
    this.log.push(exchange);
    if (this.log.length > this.#logLimit) this.log.shift();
    const ports: FaultPorts = {
      exchange,
      response,
      forward: (pump) => this.#forward(request, { exchange, response, pump }),
      reset: () => request.socket.resetAndDestroy(),
    };
    const fault = this.#faults.find((each) => each.times > 0 && each.matches(exchange));
    if (fault === undefined) return ports.forward(plainly);
    fault.times -= 1;
    fault.act(ports);
  }

  #forward(
    request: IncomingMessage,
    {
      exchange,
      response,
      pump,
    }: { readonly exchange: Exchange; readonly response: ServerResponse; readonly pump: Pump },
  ): void {
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const onward = httpsRequest(
      new URL(request.url ?? '/', this.#connection.server),
      { method: request.method, headers, agent: this.#agent },
      (upstream) => {
        exchange.status = upstream.statusCode ?? 0;
        const { 'transfer-encoding': _encoding, connection: _close, ...answered } = upstream.headers;
        response.writeHead(exchange.status, answered);
        response.flushHeaders();
        const watch =
          exchange.isWatch && exchange.status === 200 ? this.#open(exchange, { upstream, response }) : undefined;
        upstream.once('close', () => watch !== undefined && this.#watches.delete(watch));
        upstream.once('error', () => response.destroy());
        pump(upstream, response);
      },
    );
    onward.once('error', () => response.destroy());
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  }

  #open(
    exchange: Exchange,
    { upstream, response }: { readonly upstream: IncomingMessage; readonly response: ServerResponse },
  ): OpenWatch {
    const watch: OpenWatch = {
      exchange,
      freeze: () => {
        upstream.unpipe(response);
        upstream.removeAllListeners('data');
        upstream.removeAllListeners('end');
        upstream.resume();
      },
      reset: () => response.socket?.resetAndDestroy(),
    };
    this.#watches.add(watch);
    return watch;
  }
}
