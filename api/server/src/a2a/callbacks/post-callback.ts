import { mayConnect } from '@hamlet/core/egress';
import { lookup } from 'node:dns';
import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Callback } from './judge-callback.ts';

const ANSWER_MS = 10_000;

export interface CallbackBody {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a body to a callback. Resolves with the status of the answer; rejects if there is none. */
export type PostCallback = (to: Callback, sent: CallbackBody) => Promise<number>;

/** Resolves a name for one connection. One forbidden address refuses the host, so that a name cannot lead inside. */
const vetted =
  ({ policy, destination }: Callback): LookupFunction =>
  (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) done(error ?? new Error(`${host} has no address`), []);
      else if (!addresses.every(({ address }) => mayConnect(policy, destination, address)))
        done(new Error(`${host} has an address inside the cluster or its owner's network`), []);
      else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });

/** Sends a callback over HTTPS. Follows no redirect, and reads no body of the answer. */
export const postCallback: PostCallback = (to, { body, headers }) =>
  new Promise((resolve, reject) => {
    const { host } = to.destination;
    // Only names are looked up.
    if (isIP(host) !== 0 && !mayConnect(to.policy, to.destination, host)) {
      reject(new Error(`${host} is an address inside the cluster or its owner's network`));
      return;
    }
    const outgoing = request(
      to.url,
      { method: 'POST', headers, agent: false, lookup: vetted(to), signal: AbortSignal.timeout(ANSWER_MS) },
      (answer) => {
        resolve(answer.statusCode ?? 0);
        answer.destroy();
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
