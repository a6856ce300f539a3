import { mayConnect } from '@hamlet/core/egress';
import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { Agent, request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Callback } from './judge-callback.ts';

const ANSWER_MS = 10_000;

export interface CallbackBody {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a body to a callback. Resolves with the status of the answer; rejects if there is none. */
export type PostCallback = (to: Callback, sent: CallbackBody, stopping: AbortSignal) => Promise<number>;

/** The way to receivers; tests lead it to servers on loopback. */
export interface CallbackRoute {
  readonly lookup: (
    host: string,
    options: LookupAllOptions,
    done: (error: Error | null, addresses: LookupAddress[]) => void,
  ) => void;
  /** Opens the connection, with the addresses that the option `lookup` permits. By default that of Node. */
  readonly connect?: (options: { readonly host: string; readonly lookup: LookupFunction }) => TLSSocket;
}

/** Resolves a name for one connection. One forbidden address refuses the host, so that a name cannot lead inside. */
const vetted =
  ({ policy, destination }: Callback, lookup: CallbackRoute['lookup']): LookupFunction =>
  (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) done(error ?? new Error(`${host} has no address`), []);
      else if (!addresses.every(({ address }) => mayConnect(policy, destination, address)))
        done(new Error(`${host} has an address inside the cluster or its owner's network`), []);
      else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });

/** Sends callbacks over HTTPS. Follows no redirect, and reads no body of the answer. */
export function createPostCallback({ lookup, connect }: CallbackRoute = { lookup: systemLookup }): PostCallback {
  return (to, { body, headers }, stopping) =>
    new Promise((resolve, reject) => {
      const { host } = to.destination;
      // Only names are looked up.
      if (isIP(host) !== 0 && !mayConnect(to.policy, to.destination, host)) {
        reject(new Error(`${host} is an address inside the cluster or its owner's network`));
        return;
      }
      const vet = vetted(to, lookup);
      const agent = new Agent({ maxCachedSessions: 0 });
      if (connect !== undefined) agent.createConnection = () => connect({ host, lookup: vet });
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)]);
      const outgoing = request(to.url, { method: 'POST', headers, agent, lookup: vet, signal }, (answer) => {
        resolve(answer.statusCode ?? 0);
        answer.destroy();
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
}
