import { createServer, request as requestHttp, type RequestListener } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { connect } from 'node:net';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';

/** Hosts of a test on loopback, behind a proxy that refuses as the broker does. */
export interface Net {
  /** Variables by which programs find the proxy, with this user. */
  environmentOf(place: { readonly run: string; readonly call: string }): Record<string, string>;
  /** Serves a host without TLS, and with TLS if `startNet` received a key. */
  serve(host: string, listener: RequestListener): void;
  /** Port of a server on loopback without a host name. */
  readonly ownPort: number;
  /** User and target of each request that reached the proxy. */
  readonly asked: string[];
  close(): void;
}

const refusal = (code: string, message: string) => ({ code, body: `${JSON.stringify({ reason: code, message })}\n` });

function verdictOf(hostname: string): ReturnType<typeof refusal> {
  return /^(10|192\.168|169\.254)\./.test(hostname)
    ? refusal('egress_address_refused', 'the address is private')
    : refusal('egress_not_allowed', `no rule lets ${hostname} out: ask for it`);
}

const userIn = (header: string | undefined): string =>
  Buffer.from((header ?? '').replace('Basic ', ''), 'base64')
    .toString()
    .replace(/:x$/, '');

const byHost =
  (hosts: ReadonlyMap<string, RequestListener>): RequestListener =>
  (request, response) => {
    const listener = hosts.get((request.headers.host ?? '').replace(/:\d+$/, ''));
    if (listener === undefined) response.writeHead(404).end();
    else listener(request, response);
  };

/** With a key and certificate (PEM), tunnels to port 443 reach the hosts over TLS. */
export async function startNet(pair?: { readonly key: string; readonly cert: string }): Promise<Net> {
  const hosts = new Map<string, RequestListener>();
  const asked: string[] = [];
  const web = createServer(byHost(hosts));
  const webPort = await listenOnLoopback(web);
  const secure = pair === undefined ? null : createSecure(pair, byHost(hosts));
  const securePort = secure === null ? webPort : await listenOnLoopback(secure);
  const proxy = createServer((request, response) => {
    const target = new URL(request.url ?? '');
    asked.push(`${userIn(request.headers['proxy-authorization'])} ${target.href}`);
    if (!hosts.has(target.hostname)) {
      const { code, body } = verdictOf(target.hostname);
      response.writeHead(403, { 'hamlet-egress-code': code, 'content-type': 'application/json' }).end(body);
      return;
    }
    const headers = { ...request.headers, host: target.host };
    const path = `${target.pathname}${target.search}`;
    const upstream = requestHttp({ port: webPort, path, method: request.method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  });
  proxy.on('connect', (request, socket) => {
    const host = (request.url ?? '').replace(/:\d+$/, '');
    asked.push(`${userIn(request.headers['proxy-authorization'])} ${request.url}`);
    socket.on('error', () => {});
    if (hosts.has(host)) {
      const port = request.url?.endsWith(':443') === true ? securePort : webPort;
      const upstream = connect(port, '127.0.0.1').on('error', () => socket.destroy());
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
      return;
    }
    const { code, body } = verdictOf(host);
    socket.end(
      `HTTP/1.1 403 Forbidden\r\nhamlet-egress-code: ${code}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
  const proxyPort = await listenOnLoopback(proxy);
  return {
    asked,
    ownPort: webPort,
    serve: (host, listener) => void hosts.set(host, listener),
    environmentOf: ({ run, call }) => ({
      HTTP_PROXY: `http://${encodeURIComponent(`${run}/${call}`)}:x@127.0.0.1:${proxyPort}`,
    }),
    close: () => {
      for (const server of [web, proxy, ...(secure === null ? [] : [secure])]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
