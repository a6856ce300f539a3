import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { NetFault, refusalIn } from './net-fault.ts';

export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export interface WayOut {
  readonly host: string;
  readonly port: number;
  readonly authorization: string;
}

const REFUSAL_BYTES = 8_192;
const REFUSAL_HEADER = 'hamlet-egress-code';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for a server in the same pod, which is reached without a proxy. */
export const isOwn = ({ hostname }: Pick<URL, 'hostname'>): boolean => LOOPBACK.test(hostname);

export function wayOutOf(environment: NodeJS.ProcessEnv): WayOut | null {
  const { HTTP_PROXY: address } = environment;
  if (address === undefined || address === '') return null;
  const { hostname, port, username, password } = new URL(address);
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { host: hostname, port: Number(port), authorization: `Basic ${Buffer.from(user).toString('base64')}` };
}

/**
 * Sends a request through the proxy, with TLS in a tunnel, or directly to a server of the same pod. Follows no redirect. Rejects
 * with `NetFault` if the proxy refuses, otherwise with the error of the connection.
 */
export async function send(out: Outgoing, way: WayOut | null): Promise<IncomingMessage> {
  const { url } = out;
  const isSecure = url.protocol === 'https:';
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  const place = { host: url.hostname.replace(/^\[|\]$/g, ''), port };
  const path = `${url.pathname}${url.search}`;
  if (way === null || isOwn(url))
    return ask(out, isSecure ? { ...(await secured(place, null)), path } : { ...place, path });
  if (isSecure) return ask(out, { ...(await secured(place, await tunnel(place, way, out.signal))), path });
  const plain = new URL(url);
  plain.hash = '';
  const answer = await ask(
    out,
    { host: way.host, port: way.port, path: plain.href },
    { 'proxy-authorization': way.authorization },
  );
  if (answer.headers[REFUSAL_HEADER] === undefined) return answer;
  throw refusalIn(answer.statusCode ?? 502, await textUpTo(answer, REFUSAL_BYTES));
}

interface Place {
  readonly host: string;
  readonly port: number;
}

export async function tunnel({ host, port }: Place, way: WayOut, signal: AbortSignal): Promise<Socket> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const asked = requestHttp({
    host: way.host,
    port: way.port,
    method: 'CONNECT',
    path: target,
    headers: { host: target, 'proxy-authorization': way.authorization },
    agent: false,
    signal,
  });
  asked.end();
  // Node emits this event for every answer to CONNECT, also for a refusal, whose body is in the socket.
  const [answer, socket, head] = (await once(asked, 'connect', { signal })) as [IncomingMessage, Socket, Buffer];
  if (answer.statusCode === 200) return socket;
  let body = head.toString();
  socket.setTimeout(1_000, () => socket.destroy());
  for await (const part of socket) {
    body += String(part);
    if (body.length > REFUSAL_BYTES) break;
  }
  throw refusalIn(answer.statusCode ?? 502, body);
}

async function secured({ host, port }: Place, socket: Socket | null): Promise<RequestOptions> {
  const secure = connectTls({
    ...(socket === null ? { host, port } : { socket }),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
  });
  await once(secure, 'secureConnect');
  return { createConnection: () => secure, host, port, defaultPort: 443 };
}

async function ask(
  { method, headers, url, body, signal }: Outgoing,
  options: RequestOptions,
  own: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const asked = requestHttp({
    ...options,
    method,
    headers: { ...headers, host: url.host, ...length, ...own },
    // Any http.Agent, even a new one, makes its own connection and ignores `createConnection`.
    ...(options.createConnection === undefined ? { agent: false } : {}),
    signal,
  });
  asked.end(body);
  const [answer] = (await once(asked, 'response', { signal })) as [IncomingMessage];
  asked.on('error', () => {});
  return answer;
}

/** The first bytes of a stream as text; the rest is not read. */
async function textUpTo(stream: IncomingMessage, most: number): Promise<string> {
  let text = '';
  for await (const part of stream) {
    text += String(part);
    if (text.length > most) break;
  }
  return text;
}

/** The fault of an address through which a web page would reach servers of the pod itself. */
export const privateAddress = (): NetFault =>
  new NetFault('private_address', 'A web page led to an address inside your own machine, so no request was sent');

/** The address of a redirect. A redirect from the web never leads into the pod. */
export function nextAddress(location: string, from: URL): URL {
  const next = webAddress(location, from);
  if (isOwn(next) && !isOwn(from)) throw privateAddress();
  return next;
}

export function webAddress(text: string, base?: URL): URL {
  if (!URL.canParse(text, base))
    throw new NetFault('bad_address', `${text.slice(0, 200)} is not a web address: write it in full, with https://`);
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new NetFault('bad_address', `${url.protocol} is not a web protocol: use http or https`);
  if (url.username !== '' || url.password !== '')
    throw new NetFault('bad_address', 'Addresses with a user name or password are not supported: use a header');
  return url;
}
