import type {
  EgressBan,
  EgressPolicy,
  EgressRefusalCode,
  EgressRule,
  PrivateOpening,
  Registry,
} from '@hamlet/contract';
import ipaddr from 'ipaddr.js';

/**
 * Classes of the addresses that a name may resolve to. `metadata` is an address at which a cloud gives its machines
 * credentials. Only `public` ones may be reached without an opening, and metadata and loopback never.
 */
export type AddressClass = 'public' | 'private' | 'loopback' | 'link_local' | 'metadata' | 'multicast' | 'reserved';

/** Metadata services, also those outside of link-local: AWS over IPv6, Azure, Alibaba, Oracle. */
const METADATA = new Set(['169.254.169.254', 'fd00:ec2::254', '168.63.129.16', '100.100.100.200', '192.0.0.192']);

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

/** NAT64 (RFC 6052) carries an IPv4 address in its last four bytes. */
const NAT64 = 'rfc6052';

function inner(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (address.range() === NAT64) return new ipaddr.IPv4(address.toByteArray().slice(12));
  return null;
}

/** The class of an address in its textual form; `reserved` for any other text. */
export function classifyAddress(text: string): AddressClass {
  if (!ipaddr.isValid(text)) return 'reserved';
  const parsed = ipaddr.parse(text);
  const address = parsed instanceof ipaddr.IPv6 ? (inner(parsed) ?? parsed) : parsed;
  if (METADATA.has(address.toString())) return 'metadata';
  return CLASSES[address.range()] ?? 'reserved';
}

/** Whether an address is in a network such as 10.1.2.0/24. A mapped IPv4 address counts as the IPv4 address. */
export function isInNetwork(text: string, cidr: string): boolean {
  if (!ipaddr.isValid(text) || !ipaddr.isValidCIDR(cidr)) return false;
  const address = ipaddr.process(text);
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return address.kind() === network.kind() && address.match(network, bits);
}

/** The longest path with query that is judged; a longer one is unclear. */
const MAX_TARGET_LENGTH = 8192;
/** Characters that servers read in two ways: an encoded slash, dot, backslash, percent or NUL, and a plain backslash. */
const AMBIGUOUS = /%(2f|2e|5c|25|00)|\\|\/\/|;/i;
const DOTS = /(^|\/)\.{1,2}(\/|$)/;

/**
 * The path of a request target without its query, or null where the server behind it could read another path than
 * the one that was judged.
 */
export function clearPath(target: string): string | null {
  if (target.length > MAX_TARGET_LENGTH || !target.startsWith('/')) return null;
  const path = target.split(/[?#]/, 1)[0] ?? '';
  return AMBIGUOUS.test(path) || DOTS.test(path) ? null : path;
}

/** Whether a clear path fits a pattern: `*` is one segment, a last `**` any number of them, none too. */
export function fitsPath(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const isOpen = wanted.at(-1) === '**';
  if (isOpen) wanted.pop();
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, at) => (segment === '*' ? given[at] !== '' : segment === given[at]));
}

/** A host and port that a program in a pod asks for. The host is in lower case, without a last dot. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

export interface EgressRequest {
  readonly method: string;
  readonly target: string;
}

export interface EgressDenial {
  readonly verdict: 'deny';
  readonly code: EgressRefusalCode;
  readonly message: string;
}

/** How the broker treats a connection: `tunnel` passes bytes on unread, `inspect` judges each request in it. */
export type ConnectionVerdict =
  | { readonly verdict: 'tunnel' | 'inspect'; readonly rules: readonly EgressRule[] }
  | EgressDenial;

export type RequestVerdict = { readonly verdict: 'allow'; readonly rule: EgressRule } | EgressDenial;

export function deny(code: EgressRefusalCode, message: string): EgressDenial {
  return { verdict: 'deny', code, message };
}

/** The denial of a registry that the village has not switched on; it names the switch, and who can add it. */
export const registryOff = (registry: Registry): EgressDenial =>
  deny(
    'egress_registry_off',
    `the registry ${registry} is switched off in this village; ask an admin to add ${registry} to egress.registries`,
  );

/** A host as rules compare it: lower case, no dot at the end, no brackets around an IPv6 address. */
export function normalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

/** Whether a host in its normal form fits a pattern. A `*.` stands for one name or more, and never for none. */
export function fitsHost(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : host === pattern;
}

const isBare = (rule: EgressBan): boolean => rule.methods === undefined && rule.paths === undefined;
const mustRead = (rule: EgressRule): boolean => rule.secret !== undefined || rule.writes === 'Ask';
const isOpaque = (rule: EgressRule): boolean => isBare(rule) && !mustRead(rule);

const concerns =
  ({ host, port }: Destination) =>
  (rule: EgressBan): boolean =>
    fitsHost(rule.host, host) && (rule.ports === undefined || rule.ports.includes(port));

function fitsRequest(rule: EgressBan, method: string, path: string): boolean {
  return (
    (rule.methods === undefined || rule.methods.includes(method)) &&
    (rule.paths === undefined || rule.paths.some((pattern) => fitsPath(pattern, path)))
  );
}

/**
 * True if the broker reads all that the agent can send, and asks a person about each write: no rule is a tunnel, and none lets plain
 * writes out. The pod has no way past the broker, so a write of a call that it does not ask about stays in the pod. Pure.
 */
export function asksAboutWrites({ allow }: Pick<EgressPolicy, 'allow'>): boolean {
  return allow.every((rule) => !isOpaque(rule) && rule.writes !== 'Allow');
}

function notAllowed({ host, port }: Destination): EgressDenial {
  return deny(
    'egress_not_allowed',
    `no rule of this agent allows ${host}:${port}; ask an admin to add it to spec.egress of the Agent`,
  );
}

/**
 * Judges a connection before anything is resolved. A denial of the whole host ends it; a denial of some of its
 * requests, a rule with methods, paths, a secret or `writes: Ask` means that each request is read.
 */
export function judgeConnection(policy: EgressPolicy, destination: Destination): ConnectionVerdict {
  const denials = policy.deny.filter(concerns(destination));
  if (denials.some(isBare))
    return deny(
      'egress_denied',
      `a denial in the rules of the village, the tier or the agent closes ${destination.host}:${destination.port}; ask an admin`,
    );
  const rules = policy.allow.filter(concerns(destination));
  if (rules.length === 0) return notAllowed(destination);
  const isTunnel = denials.length === 0 && rules.some(isOpaque) && !rules.some(mustRead);
  return { verdict: isTunnel ? 'tunnel' : 'inspect', rules };
}

/**
 * Judges one request that the broker can read. A rule with a secret goes first, so that its secret is used; then one that lets
 * writes out.
 */
export function judgeRequest(policy: EgressPolicy, destination: Destination, request: EgressRequest): RequestVerdict {
  const path = clearPath(request.target);
  if (path === null)
    return deny(
      'egress_path_unclear',
      `servers can read the path ${JSON.stringify(request.target.slice(0, 200))} in two ways; send it without encoded slashes and dots`,
    );
  const fits = (rule: EgressBan): boolean => concerns(destination)(rule) && fitsRequest(rule, request.method, path);
  if (policy.deny.some(fits))
    return deny(
      'egress_denied',
      `a denial in the rules of the village, the tier or the agent closes ${request.method} ${path} at ${destination.host}; ask an admin`,
    );
  const allowed = policy.allow.filter(fits);
  const rule =
    allowed.find(({ secret }) => secret !== undefined) ??
    allowed.find(({ writes }) => writes === 'Allow') ??
    allowed[0];
  if (rule !== undefined) return { verdict: 'allow', rule };
  return deny(
    'egress_not_allowed',
    `no rule of this agent allows ${request.method} ${path} at ${destination.host}:${destination.port}; ask an admin to add it to spec.egress of the Agent`,
  );
}

const opens = (opening: PrivateOpening, destination: Destination, address: string): boolean =>
  fitsHost(opening.host, destination.host) &&
  opening.ports.includes(destination.port) &&
  isInNetwork(address, opening.cidr);

/**
 * Whether the broker may connect to an address that the host has resolved to. An opening lets it reach an address
 * of the owner's network, and never loopback, link-local, metadata or multicast.
 */
export function mayConnect(policy: EgressPolicy, destination: Destination, address: string): boolean {
  const kind = classifyAddress(address);
  if (kind === 'public') return true;
  return kind === 'private' && policy.openings.some((opening) => opens(opening, destination, address));
}
