/** Attempts to leave a pod, as a program in its hands makes them. */
import { until } from '../until.ts';
import type { Village } from '../village.ts';

/** The mark of every answer of the servers outside: an attempt that reads it has reached one. */
export const MARK = 'witness-of-the-outside';

export type Attempt =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'udp'; readonly host: string; readonly port: number; readonly hex: string }
  | { readonly kind: 'lookup'; readonly host: string }
  | { readonly kind: 'run'; readonly argv: readonly string[] }
  | {
      readonly kind: 'proxy';
      /** The proxy; the resident's if left out. */
      readonly via?: { readonly host: string; readonly port: number };
      /** Bytes to send first. */
      readonly head: string;
      /** Server name of the TLS connection that follows an answer of 200; undefined for plain bytes. */
      readonly servername?: string;
      readonly inside?: string;
    };

/** Runs as a program of Node in the hands: prints the outcome of each attempt. */
const PROGRAM = `
  const net = require('node:net'), tls = require('node:tls'), dgram = require('node:dgram'), dns = require('node:dns');
  const { spawnSync } = require('node:child_process');
  const { mark, patience, attempts } = JSON.parse(process.argv[1]);
  const within = (work) => Promise.race([work, new Promise((end) => setTimeout(end, patience, 'silent'))]);
  const read = (socket, until) => new Promise((end) => {
    let text = '';
    const done = () => { socket.off('data', more); end(text); };
    const more = (data) => { text += data.toString('latin1'); if (until(text)) done(); };
    socket.on('data', more).once('end', done).once('close', done).once('error', done);
    setTimeout(done, patience).unref();
  });
  const outcome = (text) => {
    if (text.includes(mark)) return 'reached';
    const code = /hamlet-egress-code: (\\w+)/i.exec(text) || /"reason":"(\\w+)"/.exec(text);
    const status = /^HTTP\\/1.1 (\\d+)/.exec(text);
    return code ? code[1] : status ? 'status ' + status[1] : text === '' ? 'closed' : 'answered';
  };
  const kinds = {
    tcp: ({ host, port }) => new Promise((end) => net.connect({ host, port }).on('connect', function () { end('connected'); this.destroy(); }).on('error', (e) => end(e.code))),
    udp: ({ host, port, hex }) => new Promise((end) => {
      const socket = dgram.createSocket(host.includes(':') ? 'udp6' : 'udp4');
      socket.on('message', () => end('answered')).on('error', (e) => end(e.code));
      socket.send(Buffer.from(hex, 'hex'), port, host, (e) => e && end(e.code));
      setTimeout(() => socket.close(), patience + 500);
    }),
    lookup: ({ host }) => new Promise((end) => dns.lookup(host, (e, address) => end(e ? e.code : 'resolved ' + address))),
    run: async ({ argv }) => { const { status, error } = spawnSync(argv[0], argv.slice(1), { timeout: patience * 2 }); return error ? error.code : status === 0 ? 'succeeded' : 'failed'; },
    proxy: async ({ via = { host: '127.0.0.1', port: 3128 }, head, servername, inside }) => {
      const socket = net.connect(via);
      await new Promise((end) => socket.once('connect', end).once('error', end));
      const first = read(socket, (text) => /\\r\\n\\r\\n/.test(text));
      socket.write(head);
      const opening = await first;
      if (inside === undefined || !/^HTTP\\/1.1 200/.test(opening)) { const all = opening + (outcome(opening) === 'reached' || !/^HTTP\\/1.1 [23]/.test(opening) ? '' : await read(socket, (t) => t.includes(mark))); socket.destroy(); return outcome(all); }
      const inner = servername === undefined ? socket : tls.connect({ socket, servername, rejectUnauthorized: false });
      inner.on('error', () => undefined);
      const answer = read(inner, (text) => text.includes(mark) || /\\r\\n\\r\\n[^]*[}\\n]/.test(text));
      inner.write(inside);
      const text = await answer;
      inner.destroy();
      return outcome(text);
    },
  };
  (async () => {
    const found = [];
    for (const attempt of attempts) found.push(await within(kinds[attempt.kind](attempt).catch((e) => e.code || String(e))));
    process.stdout.write(JSON.stringify(found), () => process.exit(0));
  })();`;

/** An attempt without an answer counts as refused after this time, because a packet filter may drop packets. */
const DROPPED_MS = 4_000;
/** Timeout for the broker, which answers every attempt, but late on a busy machine. */
const ANSWERED_MS = 60_000;
/** The broker's code if the API has not recorded an attempt. */
const UNKEPT = 'egress_log_unavailable';
/** Number of attempts in one run of the program, because command lines have a limit. */
const GROUP = 25;

/** The outcome of each attempt past the broker, from inside the hands of an agent, as root. */
export function attemptPast(place: Village, pod: string, attempts: readonly Attempt[]): Promise<readonly string[]> {
  return attemptAll(place, pod, { attempts, patience: DROPPED_MS });
}

/**
 * The outcome of each attempt through the broker. On a busy machine the API may record an attempt too late, and the
 * broker asks for a retry.
 */
export async function attemptThrough(
  place: Village,
  pod: string,
  attempts: readonly Attempt[],
): Promise<readonly string[]> {
  const found = new Map<Attempt, string>();
  const open = (): readonly Attempt[] => attempts.filter((attempt) => (found.get(attempt) ?? UNKEPT) === UNKEPT);
  await until('the API keeps each attempt', async () => {
    const left = open();
    const outcomes = await attemptAll(place, pod, { attempts: left, patience: ANSWERED_MS });
    for (const [index, attempt] of left.entries()) found.set(attempt, outcomes[index] ?? '');
    return open().length === 0;
  });
  return attempts.map((attempt) => found.get(attempt) ?? '');
}

async function attemptAll(
  { kubectl }: Village,
  pod: string,
  { attempts, patience }: { readonly attempts: readonly Attempt[]; readonly patience: number },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let begin = 0; begin < attempts.length; begin += GROUP) {
    const input = { mark: MARK, patience, attempts: attempts.slice(begin, begin + GROUP) };
    const args = ['exec', pod, '-c', 'hands', '--', 'node', '-e', PROGRAM, JSON.stringify(input)];
    found.push(...(JSON.parse(await kubectl(args)) as string[]));
  }
  return found;
}

const authorization = (user: string | undefined): string =>
  user === undefined ? '' : `Proxy-Authorization: Basic ${Buffer.from(user).toString('base64')}\r\n`;

/** CONNECT to a host and port, and a request in its TLS. */
export function connectTo(
  target: string,
  inside: {
    readonly servername?: string;
    readonly host?: string;
    readonly path?: string;
    readonly method?: string;
    readonly raw?: string;
  } = {},
  user?: string,
): Extract<Attempt, { kind: 'proxy' }> {
  const [host = ''] = target.split(/:[0-9]+$/);
  const { servername = host, path = '/allowed/connect', method = 'GET', raw } = inside;
  const request = `${method} ${path} HTTP/1.1\r\nHost: ${inside.host ?? target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
  return {
    kind: 'proxy',
    head: `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization(user)}\r\n`,
    ...(raw === undefined ? { servername, inside: request } : { inside: raw }),
  };
}

/** A request without TLS, by its whole address or the path of an endpoint of the broker. */
export function request(
  address: string,
  {
    method = 'GET',
    host,
    more = '',
    user,
  }: { readonly method?: string; readonly host?: string; readonly more?: string; readonly user?: string } = {},
): Extract<Attempt, { kind: 'proxy' }> {
  const named = host ?? /^https?:\/\/([^/]+)/.exec(address)?.[1] ?? '127.0.0.1:3128';
  return {
    kind: 'proxy',
    head: `${method} ${address} HTTP/1.1\r\nHost: ${named}\r\n${authorization(user)}${more}Connection: close\r\n\r\n`,
  };
}
