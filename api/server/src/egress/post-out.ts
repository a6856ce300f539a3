import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { Agent, request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';

const ANSWER_MS = 10_000;

/** The way to servers outside; tests lead it to servers on loopback. */
export interface OutwardRoute {
  readonly lookup: (
    host: string,
    options: LookupAllOptions,
    done: (error: Error | null, addresses: LookupAddress[]) => void,
  ) => void;
  /** Opens the connection, with the addresses that the option `lookup` permits. By default that of Node. */
  readonly connect?: (options: { readonly host: string; readonly lookup: LookupFunction }) => TLSSocket;
}

/** A POST to a server outside. */
export interface OutwardPost {
  readonly url: URL;
  /** The name or address in the URL. */
  readonly host: string;
  readonly mayConnect: (address: string) => boolean;
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OutwardAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Sends a POST over HTTPS. Rejects if the server does not answer. */
export type PostOut = (post: OutwardPost, stopping: AbortSignal) => Promise<OutwardAnswer>;

/** Resolves a name for one connection. One forbidden address refuses the host, so that a name cannot lead inside. */
const vetted =
  (mayConnect: OutwardPost['mayConnect'], lookup: OutwardRoute['lookup']): LookupFunction =>
  (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) done(error ?? new Error(`${host} has no address`), []);
      else if (!addresses.every(({ address }) => mayConnect(address)))
        done(new Error(`${host} has an address inside the cluster or its owner's network`), []);
      else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });

/** Sends POSTs over HTTPS, only to permitted addresses. Follows no redirect, and reads no body of the answer. */
export function createPostOut({ lookup, connect }: OutwardRoute = { lookup: systemLookup }): PostOut {
  return ({ url, host, mayConnect, body, headers }, stopping) =>
    new Promise((resolve, reject) => {
      // Only names are looked up.
      if (isIP(host) !== 0 && !mayConnect(host)) {
        reject(new Error(`${host} is an address inside the cluster or its owner's network`));
        return;
      }
      const vet = vetted(mayConnect, lookup);
      const agent = new Agent({ maxCachedSessions: 0 });
      if (connect !== undefined) agent.createConnection = () => connect({ host, lookup: vet });
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)]);
      const outgoing = request(url, { method: 'POST', headers, agent, lookup: vet, signal }, (answer) => {
        resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] });
        answer.destroy();
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
}
