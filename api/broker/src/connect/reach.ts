import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { deny, mayConnect, type Destination, type EgressDenial } from '@hamlet/core/egress';
import type { EgressPolicy } from '@hamlet/contract';

const CONNECT_MS = 10_000;
const MAX_ADDRESSES = 8;

/** Resolves a host to its addresses, in the order of the attempts; empty for an unknown name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The system's resolver, the only one in the broker. */
const systemResolve: Resolve = async (host) => {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
};

/**
 * The addresses of a destination that this agent may reach. The broker connects only to these, which defeats DNS rebinding. One forbidden
 * address refuses the host: a name with a public and a private address is an attack or a mistake.
 */
async function reachable(
  policy: EgressPolicy,
  destination: Destination,
  resolve: Resolve,
): Promise<readonly string[] | EgressDenial> {
  const { host } = destination;
  const addresses = isIP(host) === 0 ? (await resolve(host)).slice(0, MAX_ADDRESSES) : [host];
  if (addresses.length === 0) return deny('egress_name_unknown', `${host} has no address; check the name`);
  if (addresses.every((address) => mayConnect(policy, destination, address))) return addresses;
  return deny(
    'egress_address_refused',
    `${host} has an address inside the cluster or its owner's network; ask an admin to open this host by name, network and port`,
  );
}

/** Opens a connection to an address, or resolves with null. */
export type Dial = (address: string, port: number) => Promise<Socket | null>;

export const tcpDial: Dial = (address, port) =>
  new Promise((settle) => {
    const socket = connect({ host: address, port, noDelay: true });
    const timer = setTimeout(() => socket.destroy(new Error('timeout')), CONNECT_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      settle(socket);
    });
    // This listener also catches errors before the caller listens.
    socket.on('error', () => {
      clearTimeout(timer);
      settle(null);
    });
  });

export interface Network {
  readonly resolve: Resolve;
  readonly dial: Dial;
}

export const systemNetwork: Network = { resolve: systemResolve, dial: tcpDial };

/** Connects to the first vetted address that accepts a connection. */
export async function reach(
  { resolve, dial }: Network,
  policy: EgressPolicy,
  destination: Destination,
): Promise<Socket | EgressDenial> {
  const addresses = await reachable(policy, destination, resolve);
  if ('verdict' in addresses) return addresses;
  for (const address of addresses) {
    const socket = await dial(address, destination.port);
    if (socket !== null) return socket;
  }
  return deny(
    'egress_unreachable',
    `${destination.host}:${String(destination.port)} accepts no connection; try again later`,
  );
}
