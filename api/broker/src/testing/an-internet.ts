import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type Server as TcpServer } from 'node:net';
import { callbackify } from 'node:util';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { tcpDial, type Network } from '../connect/reach.ts';
import { Authority } from '../tls/authority.ts';
import { createAuthority } from '../tls/issuer.ts';

/** The public address of the servers. */
export const PUBLIC = '93.184.215.14';

/** Longer than the broker keeps an idle connection, so that the broker ends it also on a busy machine. */
const KEPT_MS = 60_000;

export type Internet = Awaited<ReturnType<typeof startInternet>>;

/**
 * Names, addresses and servers as a broker sees them: real sockets on loopback behind public addresses. It records each dialled address.
 */
export async function startInternet() {
  const files = await createAuthority('the internet of a test', Date.now());
  const authority = new Authority(files, Date.now);
  const SNICallback = callbackify((name: string) => authority.context(name));
  const ports = new Map<number, number>();
  const names = new Map<string, readonly string[]>();
  const dialled: string[] = [];
  const servers: (Server | TcpServer)[] = [];
  const add = async <S extends Server | TcpServer>(server: S, port: number, host?: string): Promise<S> => {
    ports.set(port, await listenOnLoopback(server));
    if (host !== undefined) names.set(host, [PUBLIC]);
    servers.push(server);
    return server;
  };
  const network: Network = {
    resolve: async (host) => names.get(host) ?? [],
    dial: async (address, port) => {
      dialled.push(`${address}:${String(port)}`);
      const local = ports.get(port);
      return local === undefined ? null : tcpDial('127.0.0.1', local);
    },
  };
  return {
    network,
    roots: files.certificate,
    dialled,
    /** Addresses of names; changed by tests. */
    names,
    serveHttps: (host: string, listener: RequestListener) => add(createHttps({ SNICallback }, listener), 443, host),
    serveHttp: (host: string, listener: RequestListener) =>
      add(createHttp({ keepAliveTimeout: KEPT_MS }, listener), 80, host),
    serveTcp: (port: number) => add(createTcp(), port),
    close: () => {
      for (const server of servers) {
        server.close();
        if ('closeAllConnections' in server) server.closeAllConnections();
      }
    },
  };
}
