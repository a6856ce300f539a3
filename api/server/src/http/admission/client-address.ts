import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

/** Whose X-Forwarded-For the API believes, and how many proxies in a row. */
export interface ProxyTrust {
  readonly isProxy: (address: string) => boolean;
  readonly hops: number;
}

/** Networks by the names that operators know from other servers. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

function addNetwork(list: BlockList, text: string): void {
  const [address = '', bits] = text.split('/', 2);
  const width = isIPv4(address) ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (isIP(address) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > width)
    throw new Error(`${text} is no address, no network and none of ${Object.keys(NAMED).join(', ')}`);
  list.addSubnet(address, prefix, familyOf(address));
}

/** Reads `loopback, 10.42.0.0/16`. Throws an Error that names the part which is not right. */
export function proxyTrust(text: string, hops: number): ProxyTrust {
  const list = new BlockList();
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const network of parts.flatMap((part) => NAMED[part] ?? [part])) addNetwork(list, network);
  return { hops, isProxy: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)) };
}

/** What of a request says where it comes from. */
export interface Addressed {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** An address as it is compared: without its zone, and IPv4 as IPv4. */
function plainAddress(address: string): string {
  return address
    .trim()
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

/**
 * The address that a request comes from: the peer's, or, where the peer is a trusted proxy, the one that the proxy names last in X-Forwarded-For.
 * A caller can write the beginning of that header, so the API reads it from the end and believes one entry for each trusted proxy. Empty where the
 * peer is gone.
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
/** One household or machine usually has a network of 64 bits, and can use every address in it. */
const NETWORK_GROUPS = 4;

/** What an address is counted as: IPv4 by itself, IPv6 by its network of 64 bits. */
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
