import { REGISTRIES, type Registry } from '@hamlet/contract/broker';
import type { Destination } from '@hamlet/core/egress';
import { claimedRun } from '../identity.ts';
import { readHostPort } from '../proxy/destination.ts';

/** The pod's proxy for programs that use no proxy for loopback addresses. */
const LOOPBACK_ORIGIN = 'http://127.0.0.1:3128';
/** The endpoints for programs that use the proxy: the proxy user names run and call. */
const PROXIED_ORIGIN = 'http://hamlet';

/** The origin of links in an answer: the one that the program used. */
export const originFor = (host: string | undefined): string => (host === 'hamlet' ? PROXIED_ORIGIN : LOOPBACK_ORIGIN);

type Scheme = 'http' | 'https';

/** A server behind a reverse endpoint, and the target of the request to it. */
export interface Upstream {
  readonly scheme: Scheme;
  readonly destination: Destination;
  readonly target: string;
}

interface Named {
  /** The run and call of a path below `/as/RUN/CALL`, for programs that use no proxy for loopback addresses. */
  readonly as: { readonly run: string | null; readonly call: string | null } | null;
}

/** A request to a reverse endpoint. `link` is the address of a file that an index names. */
export type ReverseTarget = Named &
  (
    | { readonly kind: 'git'; readonly upstream: Upstream }
    | { readonly kind: 'link'; readonly registry: Registry; readonly upstream: Upstream }
    | { readonly kind: 'index'; readonly registry: Registry; readonly rest: string }
  );

const AS = /^\/as\/([0-9a-f-]{36})\/([A-Za-z0-9_.:-]{1,200})?(?=\/)/;
const GIT = /^\/(git|git\+http)\/([^/?#]+)(\/.*)$/s;
const INDEX = new RegExp(`^/(${REGISTRIES.join('|')})(/.*)$`, 's');
const LINK = /^\/at\/(https?)\/([^/?#]+)(\/.*)$/s;
const PORTS: Readonly<Record<Scheme, number>> = { http: 80, https: 443 };

/** pip encodes the colon of the host. */
function upstreamOf(scheme: Scheme, written: string, target: string): Upstream | null {
  const host = written.replace(/%3A/i, ':');
  const destination = readHostPort(/:[0-9]+$/.test(host) ? host : `${host}:${String(PORTS[scheme])}`);
  return destination === null ? null : { scheme, destination, target };
}

function readGit(path: string): { readonly kind: 'git'; readonly upstream: Upstream } | null {
  const [, prefix, host = '', target = ''] = GIT.exec(path) ?? [];
  // The address may name a user before the host. The credentials of the rule replace it.
  const scheme = prefix === 'git' ? 'https' : 'http';
  const upstream = prefix === undefined ? null : upstreamOf(scheme, host.replace(/^[^@]*@/, ''), target);
  return upstream === null ? null : { kind: 'git', upstream };
}

function readIndex(path: string) {
  const [, name, rest = ''] = INDEX.exec(path) ?? [];
  const registry = REGISTRIES.find((one) => one === name);
  if (registry === undefined) return null;
  const [, scheme, host = '', target = ''] = LINK.exec(rest) ?? [];
  if (scheme === undefined) return { kind: 'index', registry, rest } as const;
  const upstream = upstreamOf(scheme === 'http' ? 'http' : 'https', host, target);
  return upstream === null ? null : ({ kind: 'link', registry, upstream } as const);
}

/** Reads the path of a request to a reverse endpoint; null for any other path. */
export function readReverse(path: string): ReverseTarget | null {
  const named = AS.exec(path);
  const as = named === null ? null : { run: claimedRun(named[1]), call: named[2] ?? null };
  const rest = named === null ? path : path.slice(named[0].length);
  const read = readGit(rest) ?? readIndex(rest);
  return read === null ? null : { ...read, as };
}

/** The path of a reverse endpoint in a request to a proxy: of the proxy itself, of a loopback address or of `hamlet`. */
export function reversePath(url: string): string | null {
  if (url.startsWith('/')) return url;
  return /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]|hamlet)(?::[0-9]{1,5})?(\/.*)$/is.exec(url)?.[1] ?? null;
}
