import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

export interface ProxyTrust {
  readonly isProxy: (address: string) => boolean;
  readonly hops: number;
}

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

function addNetwork(list: BlockList, text: string): void {
  const [address = '', bits] = text.split('/', 2);
  const width = isIPv4(address) ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (isIP(address) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > width)
    throw new Error(`${text} is not an address, a network or one of ${Object.keys(NAMED).join(', ')}`);
  list.addSubnet(address, prefix, familyOf(address));
}

/** Parses `loopback, 10.42.0.0/16`. Throws an Error that names the invalid part. */
export function proxyTrust(text: string, hops: number): ProxyTrust {
  const list = new BlockList();
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const network of parts.flatMap((part) => NAMED[part] ?? [part])) addNetwork(list, network);
  return { hops, isProxy: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)) };
}

export interface Addressed {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

function plainAddress(address: string): string {
  return address
    .trim()
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

/**
 * The client's address: the peer's, or, if the peer is a trusted proxy, the last address in X-Forwarded-For. A caller
 * can write the beginning of that header, so the API reads it from the end and trusts one entry for each trusted proxy.
 * Empty if the peer has gone.
 */
export function clientAddress({ headers, socket }: Addressed, trust: ProxyTrust): string {
  const named = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map(plainAddress);
  let address = plainAddress(socket.remoteAddress ?? '');
  for (let hop = 0; hop < trust.hops && trust.isProxy(address); hop += 1) {
    const before = named.pop() ?? '';
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

const GROUPS = 8;
/** A household or machine usually has an IPv6 network of 64 bits, and can use every address in it. */
const NETWORK_GROUPS = 4;

/** The key of an address in counters: an IPv4 address, or the 64-bit network of an IPv6 address. */
export function countedAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before = '', after] = address.split('::', 2);
  const left = before === '' ? [] : before.split(':');
  const right = after === undefined || after === '' ? [] : after.split(':');
  const filled =
    after === undefined
      ? left
      : [...left, ...Array.from({ length: GROUPS - left.length - right.length }, () => '0'), ...right];
  return `${filled
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
