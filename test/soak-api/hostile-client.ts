import { request } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';

const HOSTILE = '127.0.0.66';
const EVERY_MS = 20;
const LEAVE_AFTER_MS = 5_000;

/** A caller at one address that makes, in turn, requests that are cheap for it and expensive for the api. */
export interface HostileClient {
  readonly deeds: number;
  stop(): Promise<void>;
}

/** Sends requests over its own connection and ignores the answers. */
function ask(url: string, body?: string): void {
  const headers = { 'content-type': 'application/json' };
  const method = body === undefined ? 'GET' : 'POST';
  const sent = request(url, { method, headers, localAddress: HOSTILE, agent: false }, (response) => response.resume());
  sent.on('error', () => undefined).end(body);
}

/** Requests cells that no map has, and fifty views of the whole map at once. */
function wantViews(url: string): void {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/world?format=json`, { localAddress: HOSTILE });
  socket
    .on('error', () => undefined)
    .on('open', () => {
      const cells = { x: 0, y: 0, width: Number.MAX_SAFE_INTEGER, height: 1 };
      socket.send(JSON.stringify({ type: 'resume', epoch: 1, seq: 1, cells }));
      for (let number = 0; number < 50; number += 1)
        socket.send(JSON.stringify({ type: 'view', x: number % 2, y: 0, width: 4_000, height: 4_000, zoom: 'near' }));
    });
  setTimeout(() => socket.terminate(), LEAVE_AFTER_MS);
}

/** Begins a request and never ends its headers. */
function beginSlowly(url: string): void {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: HOSTILE });
  socket.on('error', () => undefined).once('connect', () => socket.write('GET / HTTP/1.1\r\nx-slow: '));
  setTimeout(() => socket.destroy(), LEAVE_AFTER_MS);
}

/** Starts the caller, which runs until the test stops it. */
export function startHostileClient(url: string): HostileClient {
  const acts = [
    () => ask(`${url}/nowhere`),
    () => ask(`${url}/api/v1/login`, JSON.stringify({ name: 'Grace', password: 'a wrong guess' })),
    () => ask(`${url}/api/v1/login`, 'x'.repeat(1 << 18)),
    () => ask(`${url}/api/v1/world`),
    () => wantViews(url),
    () => beginSlowly(url),
  ];
  let deeds = 0;
  const timer = setInterval(() => {
    acts[deeds % acts.length]?.();
    deeds += 1;
  }, EVERY_MS);
  return {
    get deeds() {
      return deeds;
    },
    stop: async () => {
      clearInterval(timer);
      await new Promise((resolve) => setTimeout(resolve, LEAVE_AFTER_MS));
    },
  };
}
