import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Audience } from '@hamlet/contract';
import type { Registry } from 'prom-client';
import type { Authenticate } from '../http/actor.ts';
import type { Config, HostPort } from './config.ts';
import type { AddressGate } from '../http/pipeline/address-gate.ts';
import { createApp } from '../http/pipeline/create-app.ts';
import type { MountPorts } from '../http/pipeline/exchange.ts';
import type { Handlers } from '../http/handler.ts';
import { serveSockets, type SocketsPorts } from '../http/pipeline/serve-sockets.ts';

const REQUEST_LIMIT_MS = 30_000;
const HEADERS_LIMIT_MS = 10_000;
const CHECK_EVERY_MS = 2_000;
/** Streams send heartbeats, so this also ends a stream whose reader has stopped. */
const IDLE_LIMIT_MS = 300_000;
const ANSWER_MARGIN_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;

interface ListenerPorts {
  readonly config: Config;
  readonly handlers: Handlers;
  readonly mount: MountPorts;
  readonly sockets: SocketsPorts['routes'];
  readonly authenticate: Authenticate;
  readonly registry: Registry;
  /** Longest time that a model may take for an answer, in milliseconds. */
  readonly answerMs: number;
}

/** Milliseconds without a byte after which a connection ends. A whole answer of a model sends no byte until it is complete. */
export const idleLimitMs = (answerMs: number): number => Math.max(IDLE_LIMIT_MS, answerMs + ANSWER_MARGIN_MS);

async function listen(server: Server, at: HostPort, idleMs = IDLE_LIMIT_MS): Promise<string> {
  server.requestTimeout = REQUEST_LIMIT_MS;
  server.headersTimeout = HEADERS_LIMIT_MS;
  server.timeout = idleMs;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(at.port, at.host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : at.port;
  const host = at.host.includes(':') ? `[${at.host}]` : at.host;
  return `http://${host}:${port}`;
}

/** Closes each new connection of an address that has reached its limit, so that other addresses have room. */
function limitConnections(server: Server, gate: AddressGate): void {
  server.on('connection', (socket) => {
    const opened = gate.openConnection(socket.remoteAddress ?? '');
    if (typeof opened === 'string') socket.destroy();
    else socket.once('close', opened);
  });
}

export async function openListeners(ports: ListenerPorts) {
  const { config, handlers, mount, registry } = ports;
  const closers: (() => void)[] = [];
  const servers: Server[] = [];

  async function open(audiences: readonly Audience[], at: HostPort, webDir?: string): Promise<string> {
    const server = createServer(
      { connectionsCheckingInterval: CHECK_EVERY_MS },
      createApp({ audiences, handlers, ports: mount, webDir }),
    );
    limitConnections(server, mount.gate);
    closers.push(
      serveSockets(server, audiences, {
        routes: ports.sockets,
        authenticate: ports.authenticate,
        gate: mount.gate,
        guard: mount.guard,
        log: mount.log,
      }),
    );
    servers.push(server);
    return listen(server, at, idleLimitMs(ports.answerMs));
  }

  const together = config.agentsListen === undefined;
  const peopleUrl = await open(together ? ['people', 'agents'] : ['people'], config.peopleListen, config.webDir);
  const agentsUrl = config.agentsListen === undefined ? peopleUrl : await open(['agents'], config.agentsListen);
  const service = createApp({ audiences: ['people'], handlers, ports: mount, only: 'service' });
  const metrics = createServer((request, response) => {
    if (request.url !== '/metrics') return service(request, response);
    void registry.metrics().then((text) => response.setHeader('content-type', registry.contentType).end(text));
  });
  servers.push(metrics);
  return {
    peopleUrl,
    agentsUrl,
    metricsUrl: await listen(metrics, config.metricsListen),
    /** Refuses new requests, ends sockets and streams, and waits for requests in progress. */
    stop: async () => {
      for (const close of closers) close();
      const closed = servers.map((server) => once(server, 'close'));
      for (const server of servers) {
        server.close();
        server.closeIdleConnections();
      }
      const patience = setTimeout(() => {
        for (const server of servers) server.closeAllConnections();
      }, 2_000);
      await Promise.all(closed);
      clearTimeout(patience);
    },
  };
}

export type Listeners = Awaited<ReturnType<typeof openListeners>>;
