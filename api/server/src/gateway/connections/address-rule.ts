import { BlockList, isIP } from 'node:net';

/** IPv4 networks to which the API never connects for a provider that an admin names. */
const FORBIDDEN_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  // Link-local addresses, on which clouds serve the metadata and credentials of a machine.
  ['169.254.0.0', 16],
  // Metadata services and agents of Alibaba, Oracle and Azure outside the link-local network.
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const FORBIDDEN_IPV6: readonly (readonly [string, number])[] = [
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  // Metadata of Amazon and Google.
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  // Forms of 169.254.0.0/16 that a gateway translates: NAT64 and 6to4.
  ['64:ff9b::a9fe:0', 112],
  ['2002:a9fe::', 32],
];
/** Names of metadata servers. Their addresses are refused too, but a name gives a clear error before any connection. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

function forbiddenList(): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of FORBIDDEN_IPV4) list.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of FORBIDDEN_IPV6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

const FORBIDDEN = forbiddenList();

/**
 * True for an IP address that a provider may not have. An IPv6 form of an IPv4 address counts as that address. Pure.
 */
export function isForbiddenAddress(address: string): boolean {
  const family = isIP(address);
  return family === 0 || FORBIDDEN.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * A sentence if a provider may not have this base URL; null if its text is allowed. Private networks and loopback are
 * allowed, because admins run their own servers there. Each connection checks the addresses behind a name. Pure.
 */
export function forbiddenUrl(url: string): string | null {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isForbidden = isIP(host) === 0 ? FORBIDDEN_NAMES.has(host.toLowerCase()) : isForbiddenAddress(host);
  return isForbidden ? `${host} is a metadata or link-local address: enter the address of a model server` : null;
}
