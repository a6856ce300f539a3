import ipaddr from 'ipaddr.js';

/**
 * Classes of addresses. `metadata`: where a cloud serves credentials to its machines. Only `public` addresses are
 * reachable without an opening; metadata and loopback never are.
 */
export type AddressClass = 'public' | 'private' | 'loopback' | 'link_local' | 'metadata' | 'multicast' | 'reserved';

/** Metadata services, also those outside of link-local: AWS and Google over IPv6, Azure, Alibaba, Oracle. */
const METADATA = new Set([
  '169.254.169.254',
  'fd00:ec2::254',
  'fd20:ce::254',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
]);

/** The ranges of RFC 6890 and the registries of IANA, as ipaddr.js names them. Every other range is `reserved`. */
const CLASSES: Readonly<Record<string, AddressClass>> = {
  unicast: 'public',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private',
  loopback: 'loopback',
  linkLocal: 'link_local',
  multicast: 'multicast',
};

/** NAT64 (RFC 6052) carries an IPv4 address in its last four bytes, and so does an IPv4-compatible address (RFC 4291 2.5.5.1). */
const NAT64 = 'rfc6052';
const IPV4_COMPATIBLE = ipaddr.parseCIDR('::/96') as [ipaddr.IPv6, number];

function inner(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  const isNamed = address.range() === 'unspecified' || address.range() === 'loopback';
  if (address.range() === NAT64 || (!isNamed && address.match(IPV4_COMPATIBLE)))
    return new ipaddr.IPv4(address.toByteArray().slice(12));
  return null;
}

/** The class of a textual address; `reserved` for any other text. */
export function classifyAddress(text: string): AddressClass {
  if (!ipaddr.isValid(text)) return 'reserved';
  const parsed = ipaddr.parse(text);
  const address = parsed instanceof ipaddr.IPv6 ? (inner(parsed) ?? parsed) : parsed;
  if (METADATA.has(address.toString())) return 'metadata';
  return CLASSES[address.range()] ?? 'reserved';
}

/** True if an address is in a network such as 10.1.2.0/24. An IPv4-mapped address counts as IPv4. */
export function isInNetwork(text: string, cidr: string): boolean {
  if (!ipaddr.isValid(text) || !ipaddr.isValidCIDR(cidr)) return false;
  const parsed = ipaddr.parse(text);
  const address = parsed instanceof ipaddr.IPv6 ? (inner(parsed) ?? parsed) : parsed;
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return address.kind() === network.kind() && address.match(network, bits);
}
