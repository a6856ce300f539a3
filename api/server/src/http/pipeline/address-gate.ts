import { clientAddress, countedAddress, type Addressed, type ProxyTrust } from '../client-address.ts';
import type { RateLimiter, RatePolicy } from '../rate-limit.ts';

const SOCKETS_PER_PATH = 5_000;
/** Limit of connections of one address, as a multiple of the address's limit of websockets. */
const CONNECTIONS_PER_SOCKET = 4;
/** Limit of open connections to one replica. Each connection needs a file descriptor. */
const CONNECTIONS_MAX = 20_000;

interface AddressGatePorts {
  readonly limiter: RateLimiter;
  readonly trust: ProxyTrust;
  readonly requestsPerMinute: number;
  readonly socketsPerAddress: number;
  readonly monotonicMs: () => number;
}

const WINDOW_S = 60;

export function createAddressGate({
  limiter,
  trust,
  requestsPerMinute,
  socketsPerAddress,
  monotonicMs,
}: AddressGatePorts) {
  const requests: RatePolicy = { name: 'address', quota: requestsPerMinute, windowS: WINDOW_S };
  const messages: RatePolicy = { ...requests, name: 'messages' };
  const sockets = new OpenConnections({ perKey: socketsPerAddress, total: Number.POSITIVE_INFINITY });
  const paths = new OpenConnections({ perKey: SOCKETS_PER_PATH, total: Number.POSITIVE_INFINITY });
  const connections = new OpenConnections({
    perKey: socketsPerAddress * CONNECTIONS_PER_SOCKET,
    total: CONNECTIONS_MAX,
  });
  return {
    addressOf: (request: Addressed) => clientAddress(request, trust),
    takeRequest: (address: string) => limiter.take(`address ${countedAddress(address)}`, requests, monotonicMs()),
    /** Takes a request of a village program out of the count, because these programs have their own quota. */
    giveBackRequest: (address: string) => limiter.giveBack(`address ${countedAddress(address)}`),
    takeMessage: (address: string) => limiter.take(`messages ${countedAddress(address)}`, messages, monotonicMs()),
    openSocket: (path: string, address: string) => {
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
    /** A trusted proxy counts only towards the total. Returns a function for the close, or the exceeded limit. */
    openConnection: (peer: string) => {
      const address = peer.replace(/^::ffff:(?=\d+\.)/i, '');
      const opened = connections.open(trust.isProxy(address) ? null : countedAddress(address));
      return opened === 'key' ? 'address' : opened === 'total' ? 'all' : opened;
    },
  };
}

export type AddressGate = ReturnType<typeof createAddressGate>;

class OpenConnections {
  readonly #perKey: number;
  readonly #total: number;
  readonly #byKey = new Map<string, number>();
  #open = 0;

  constructor(limits: { readonly perKey: number; readonly total: number }) {
    this.#perKey = limits.perKey;
    this.#total = limits.total;
  }

  /** With a null key, counts only the total. Returns an idempotent function for the close, or the exceeded limit. */
  open(key: string | null): (() => void) | 'key' | 'total' {
    const before = key === null ? 0 : (this.#byKey.get(key) ?? 0);
    if (before >= this.#perKey) return 'key';
    if (this.#open >= this.#total) return 'total';
    this.#open += 1;
    if (key !== null) this.#byKey.set(key, before + 1);
    let closed = false;
    return () => {
      if (closed) return;
      closed = true;
      this.#open -= 1;
      if (key !== null) this.#close(key);
    };
  }

  #close(key: string): void {
    const left = (this.#byKey.get(key) ?? 0) - 1;
    if (left > 0) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }
}
