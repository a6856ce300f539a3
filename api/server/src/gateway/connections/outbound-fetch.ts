import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { createHttpFetch, type ModelPorts } from '@hamlet/models';
import { forbiddenUrl, isForbiddenAddress } from './address-rule.ts';

export type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Resolves a name for one connection, and refuses it if any of its addresses is forbidden. */
function guardedLookup(resolve: Resolve): LookupFunction {
  return (host, options, done) =>
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      const bad = (addresses ?? []).find(({ address }) => isForbiddenAddress(address));
      if (error !== null || first === undefined) done(error ?? new Error(`${host} has no address: check the name`), []);
      else if (bad !== undefined)
        done(
          new Error(
            `${host} has the metadata or link-local address ${bad.address}: enter the address of a model server`,
          ),
          [],
        );
      else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
}

/**
 * A fetch for providers that admins name. Each connection checks the address that it uses, so that a name cannot change
 * between check and use. No other part of the API shares these connections.
 *
 * @param resolve resolves names; by default as the system does.
 */
export function createOutboundFetch(resolve: Resolve = lookup): ModelPorts['fetch'] {
  const send = createHttpFetch({ lookup: guardedLookup(resolve) });
  return async (url, request) => {
    // Only names are looked up.
    const refusal = forbiddenUrl(url);
    if (refusal !== null) throw new TypeError(refusal);
    return send(url, request);
  };
}
