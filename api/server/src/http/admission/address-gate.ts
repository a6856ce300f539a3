import { clientAddress, countedAddress } from './client-address.ts';
import type { Addressed, ProxyTrust } from './client-address.ts';
import { OpenConnections } from './open-connections.ts';
import type { RateLimiter, RatePolicy, RateVerdict } from './rate-limit.ts';

/** Websockets of one path on one replica. */
const SOCKETS_PER_PATH = 5_000;
/** Plain connections that one address may hold, for each websocket that it may hold. */
const CONNECTIONS_PER_SOCKET = 4;
/** Connections of one replica; each is a file descriptor. */
const CONNECTIONS_MAX = 20_000;

export interface AddressGatePorts {
  readonly limiter: RateLimiter;
  readonly trust: ProxyTrust;
  /** Requests in a minute of one address, and messages on its websockets. */
  readonly requestsPerMinute: number;
  /** Websockets that one address may have open on this replica. */
  readonly socketsPerAddress: number;
  /** Clock that does not go back, in ms. */
  readonly monotonicMs: () => number;
}

/** Limits what one address asks and holds open, whoever it says it is. Requests and websockets name addresses in the same way. */
export interface AddressGate {
  addressOf(request: Addressed): string;
  /** Counts one request. */
  takeRequest(address: string): RateVerdict;
  /** Counts one message on a websocket. */
  takeMessage(address: string): RateVerdict;
  /** Counts a websocket; returns what to call when it is closed, or what there are too many of. */
  openSocket(path: string, address: string): (() => void) | 'address' | 'path';
  /** Counts a connection of a peer that is no trusted proxy, likewise. */
  openConnection(peer: string): (() => void) | 'address' | 'all';
}

const WINDOW_S = 60;

export function createAddressGate({
  limiter,
  trust,
  requestsPerMinute,
  socketsPerAddress,
  monotonicMs,
}: AddressGatePorts): AddressGate {
  const requests: RatePolicy = { name: 'address', quota: requestsPerMinute, windowS: WINDOW_S };
  const messages: RatePolicy = { ...requests, name: 'messages' };
  const sockets = new OpenConnections({ perKey: socketsPerAddress, total: Number.POSITIVE_INFINITY });
  const paths = new OpenConnections({ perKey: SOCKETS_PER_PATH, total: Number.POSITIVE_INFINITY });
  const connections = new OpenConnections({
    perKey: socketsPerAddress * CONNECTIONS_PER_SOCKET,
    total: CONNECTIONS_MAX,
  });
  return {
    addressOf: (request) => clientAddress(request, trust),
    takeRequest: (address) => limiter.take(`address ${countedAddress(address)}`, requests, monotonicMs()),
    takeMessage: (address) => limiter.take(`messages ${countedAddress(address)}`, messages, monotonicMs()),
    openSocket: (path, address) => {
      const ofAddress = sockets.open(countedAddress(address));
      if (typeof ofAddress === 'string') return 'address';
      const ofPath = paths.open(path);
      if (typeof ofPath === 'string') {
        ofAddress();
        return 'path';
      }
      return () => {
        ofAddress();
        ofPath();
      };
    },
    openConnection: (peer) => {
      const address = peer.replace(/^::ffff:(?=\d+\.)/i, '');
      const opened = connections.open(trust.isProxy(address) ? null : countedAddress(address));
      return opened === 'key' ? 'address' : opened === 'total' ? 'all' : opened;
    },
  };
}
