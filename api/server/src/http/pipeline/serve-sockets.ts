import { roleMay, type Audience, type RoutePermission } from '@hamlet/contract';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Log } from '../../service/log.ts';
import type { Actor, Authenticate, Credentials, WatchConnections } from '../actor.ts';
import { isSameOrigin } from '../origin.ts';
import { refused, type Refused } from '../outcome.ts';
import { refusalOfVerdict } from '../rate-limit.ts';
import { problemOf, refusalOfError } from '../respond.ts';
import type { AddressGate } from './address-gate.ts';
import { refuseUnpermitted } from './authorize.ts';
import { binaryFrame } from './binary-frame.ts';

const MESSAGE_MAX_BYTES = 16_384;
/**
 * Limit of messages and pings of one socket in ten seconds. While a user drags the map, the page sends a few a second.
 */
const MESSAGES_MAX = 300;
const MESSAGES_WINDOW_MS = 10_000;
const RETRY_S = 10;
/** Time for a caller to read the refusal before its socket ends. */
const FAREWELL_MS = 2_000;
const GOING_AWAY = 1001;
const LET_IN_NO_MORE = 4_401;
const SAYS_TOO_MUCH = 1_008;

export interface Attached {
  readonly webSocket: WebSocket;
  /** {@link WebSocket.send} writes head and body separately, which doubles the cost of a short message. */
  readonly sendBinary: (message: Uint8Array) => void;
  readonly query: URLSearchParams;
  readonly actor: Actor;
}

export interface SocketRoute {
  readonly permission: RoutePermission;
  attach(attached: Attached): void;
}

export interface SocketsPorts {
  readonly routes: Readonly<Record<string, SocketRoute>>;
  readonly authenticate: Authenticate;
  readonly gate: AddressGate;
  readonly guard: WatchConnections;
  readonly log: Log;
}

const urlOf = (request: IncomingMessage): URL | null => URL.parse(request.url ?? '', 'http://village');

export function serveSockets(server: Server, listener: readonly Audience[], ports: SocketsPorts): () => void {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MESSAGE_MAX_BYTES });
  const pings = new Pings(ports.log);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    void admit({ request, socket, listener }, ports).then((admitted) => {
      if (!admitted.ok) return refuse(socket, admitted);
      const { route, query, actor, credentials } = admitted;
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        pings.keepAlive(webSocket);
        limitMessages(webSocket, () => ports.gate.takeMessage(credentials.address).allowed);
        const close = (refusal: Refused): void => webSocket.close(LET_IN_NO_MORE, refusal.reason);
        webSocket.on('close', ports.guard.watch({ actor, recheck: () => ports.authenticate(credentials), close }));
        // Without compression `ws` writes each message in one piece, so this frame cannot land inside another one.
        const sendBinary = (message: Uint8Array): void => {
          if (webSocket.readyState === webSocket.OPEN) socket.write(binaryFrame(message));
        };
        route.attach({ webSocket, sendBinary, query, actor });
      });
    });
  });
  return () => {
    pings.stop();
    for (const client of sockets.clients) client.close(GOING_AWAY, 'the api is stopping');
    sockets.close();
  };
}

/** A browser sends cookies with a socket from any page, so the server must check the origin. */
function ridesOnCookie({ authorization, cookie }: IncomingHttpHeaders): boolean {
  return authorization === undefined && cookie !== undefined;
}

type Admitted = { readonly ok: true; readonly route: SocketRoute; readonly credentials: Credentials } & Pick<
  Attached,
  'query' | 'actor'
>;

function refuseEarly({ headers }: IncomingMessage, address: string, gate: AddressGate): Refused | null {
  const verdict = gate.takeRequest(address);
  if (!verdict.allowed) return refusalOfVerdict(verdict);
  return ridesOnCookie(headers) && !isSameOrigin(headers) ? refused('origin_not_allowed') : null;
}

/** Counts a socket from before its authentication until its close, because waiting attempts use memory too. */
function takePlace(socket: Duplex, place: ReturnType<AddressGate['openSocket']>): Refused | null {
  if (place === 'address')
    return refused('rate_limited', 'Your address has too many sockets open; close some', RETRY_S);
  if (place === 'path')
    return refused('unavailable', 'This replica has too many sockets open; try again later', RETRY_S);
  if (socket.destroyed) place();
  else socket.once('close', place);
  return null;
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly listener: readonly Audience[];
}

async function admit(
  { request, socket, listener }: Upgrade,
  { routes, authenticate, gate, log }: SocketsPorts,
): Promise<Admitted | Refused> {
  const address = gate.addressOf(request);
  const early = refuseEarly(request, address, gate);
  if (early !== null) return early;
  const url = urlOf(request);
  const route = url === null || !Object.hasOwn(routes, url.pathname) ? undefined : routes[url.pathname];
  if (url === null || route === undefined) return refused('route_not_found');
  const crowded = takePlace(socket, gate.openSocket(url.pathname, address));
  if (crowded !== null) return crowded;
  const credentials: Credentials = { headers: request.headers, address, listener, reads: true };
  try {
    const actor = await authenticate({ ...credentials, isPublic: roleMay('visitor', route.permission) });
    if ('ok' in actor) return actor;
    const denied = refuseUnpermitted(actor, route.permission, `open ${url.pathname}`);
    if (denied !== null) return denied;
    return { ok: true, route, query: url.searchParams, actor, credentials };
  } catch (error) {
    log('warn', 'a socket could not be admitted', { error });
    return refusalOfError(error);
  }
}

function refuse(socket: Duplex, refusal: Refused): void {
  const problem = problemOf(refusal, randomUUID());
  const body = JSON.stringify(problem);
  const retryAfter = refusal.retryAfterS === undefined ? '' : `retry-after: ${refusal.retryAfterS}\r\n`;
  socket.end(
    `HTTP/1.1 ${problem.status} Refused\r\ncontent-type: application/problem+json\r\n${retryAfter}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  // The HTTP server's timeouts do not apply to an upgraded socket.
  setTimeout(() => socket.destroy(), FAREWELL_MS);
}

/** A window begins with a message, so that a silent socket needs no timer. */
function limitMessages(webSocket: WebSocket, isAllowed: () => boolean): void {
  let [said, sinceMs] = [0, performance.now()];
  const count = (): void => {
    const nowMs = performance.now();
    if (nowMs - sinceMs >= MESSAGES_WINDOW_MS) [said, sinceMs] = [0, nowMs];
    said += 1;
    if (said <= MESSAGES_MAX && isAllowed()) return;
    webSocket.removeAllListeners('message').removeAllListeners('ping');
    webSocket.close(SAYS_TOO_MUCH, 'too many messages');
    setTimeout(() => webSocket.terminate(), FAREWELL_MS);
  };
  webSocket.on('message', count).on('ping', count);
}

const PING_EVERY_MS = 20_000;
const ROUND_MS = 1_000;

interface Kept {
  dueMs: number;
  answered: boolean;
}

/** Pings every socket every 20 s, and ends a socket that did not answer the previous ping. */
class Pings {
  readonly #kept = new Map<WebSocket, Kept>();
  readonly #timer: NodeJS.Timeout;
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
    this.#timer = setInterval(() => this.#round(performance.now()), ROUND_MS);
  }

  keepAlive(webSocket: WebSocket): void {
    const kept: Kept = { dueMs: performance.now() + PING_EVERY_MS, answered: true };
    this.#kept.set(webSocket, kept);
    webSocket.on('pong', () => {
      kept.answered = true;
    });
    webSocket.on('error', (error) => this.#log('debug', 'a socket broke', { error }));
    webSocket.on('close', () => this.#kept.delete(webSocket));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #round(nowMs: number): void {
    for (const [webSocket, kept] of this.#kept) {
      if (nowMs < kept.dueMs) continue;
      kept.dueMs = nowMs + PING_EVERY_MS;
      if (!kept.answered) webSocket.terminate();
      kept.answered = false;
      webSocket.ping();
    }
  }
}
