import type {
  EgressBan,
  EgressPolicy,
  EgressRefusalCode,
  EgressRule,
  PrivateOpening,
  Registry,
} from '@hamlet/contract';
import { classifyAddress, isInNetwork } from './address.ts';

/** The destination of a program in a pod. The host is in lower case, without a trailing dot. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

export interface EgressDenial {
  readonly verdict: 'deny';
  readonly code: EgressRefusalCode;
  readonly message: string;
}

/** How the broker treats a connection: `tunnel` passes bytes unread, `inspect` judges each request. */
export type ConnectionVerdict =
  | { readonly verdict: 'tunnel' | 'inspect'; readonly rules: readonly EgressRule[] }
  | EgressDenial;

export const deny = (code: EgressRefusalCode, message: string): EgressDenial => ({ verdict: 'deny', code, message });

/** The denial of a registry that the village has not switched on; it names the setting. */
export const registryOff = (registry: Registry): EgressDenial =>
  deny(
    'egress_registry_off',
    `the registry ${registry} is switched off in this village; ask an admin to add ${registry} to egress.registries`,
  );

/** The normal form of a host: lower case, no trailing dot, no brackets around an IPv6 address. */
export function normalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

/** True if a host in normal form matches a pattern. `*.` stands for at least one label. */
export function fitsHost(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : host === pattern;
}

const isBare = (rule: EgressBan): boolean => rule.methods === undefined && rule.paths === undefined;
const mustRead = (rule: EgressRule): boolean => rule.secret !== undefined || rule.writes === 'Ask';
const isOpaque = (rule: EgressRule): boolean => isBare(rule) && !mustRead(rule);

export const concerns =
  ({ host, port }: Destination) =>
  (rule: EgressBan): boolean =>
    fitsHost(rule.host, host) && (rule.ports === undefined || rule.ports.includes(port));

/**
 * True if the broker reads everything that the agent sends and asks a person about each write: no rule is a tunnel or
 * allows plain writes. Pods reach the network only through the broker. Pure.
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
 * Judges a connection before name resolution. A denial of the whole host ends it. The broker reads each request if a
 * denial covers some of them, or if a rule has methods, paths, a secret or `writes: Ask`.
 */
export function judgeConnection(policy: EgressPolicy, destination: Destination): ConnectionVerdict {
  const denials = policy.deny.filter(concerns(destination));
  if (denials.some(isBare))
    return deny(
      'egress_denied',
      `a deny rule of the village, the tier or the agent closes ${destination.host}:${destination.port}; ask an admin`,
    );
  const rules = policy.allow.filter(concerns(destination));
  if (rules.length === 0) return notAllowed(destination);
  const isTunnel = denials.length === 0 && rules.some(isOpaque) && !rules.some(mustRead);
  return { verdict: isTunnel ? 'tunnel' : 'inspect', rules };
}

const opens = (opening: PrivateOpening, destination: Destination, address: string): boolean =>
  fitsHost(opening.host, destination.host) &&
  opening.ports.includes(destination.port) &&
  isInNetwork(address, opening.cidr);

/**
 * True if the broker may connect to an address that the host has resolved to. An opening lets it reach an address
 * of the owner's network, also of one with public addresses, and never loopback, link-local, metadata or multicast.
 */
export function mayConnect(policy: EgressPolicy, destination: Destination, address: string): boolean {
  const kind = classifyAddress(address);
  const isClosed = policy.closedCidrs.some((cidr) => isInNetwork(address, cidr));
  if (kind === 'public' && !isClosed) return true;
  return (
    (kind === 'private' || kind === 'public') && policy.openings.some((opening) => opens(opening, destination, address))
  );
}
