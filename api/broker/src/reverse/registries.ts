import type { EgressPolicy, Registry } from '@hamlet/contract';
import { normalHost, registryOff, type EgressDenial } from '@hamlet/core/egress';
import type { Upstream } from './reverse-target.ts';

/** The database of checksums that `go` asks through its module proxy. */
const GO_SUMS = /^\/sumdb\/(sum\.golang\.org)(\/.*)$/s;

/** The text that precedes a link in the indexes of each registry. */
export const LINKS: Readonly<Record<Registry, RegExp | null>> = {
  npm: /"tarball"\s*:\s*"/,
  pip: /href\s*=\s*"|"url"\s*:\s*"/,
  crates: /"dl"\s*:\s*"/,
  apt: null,
  go: null,
};

function upstreamOf(base: URL, rest: string): Upstream {
  const scheme = base.protocol === 'http:' ? 'http' : 'https';
  const port = base.port === '' ? (scheme === 'http' ? 80 : 443) : Number(base.port);
  const target = `${base.pathname.replace(/\/+$/, '')}${rest}`;
  return { scheme, destination: { host: normalHost(base.hostname), port }, target };
}

/** The index server of a registry, or a denial that names the setting. */
export function upstreamOfIndex(policy: EgressPolicy, registry: Registry, rest: string): Upstream | EgressDenial {
  const open = policy.registries[registry];
  if (open === undefined) return registryOff(registry);
  const [, sums, path = ''] = registry === 'go' ? (GO_SUMS.exec(rest) ?? []) : [];
  if (sums !== undefined) return upstreamOf(new URL(`https://${sums}/`), path);
  // npm encodes the slash of a scope, which servers may interpret in two ways.
  return upstreamOf(new URL(open.url), registry === 'npm' ? rest.replace(/^\/(@[^/%?]+)%2f/i, '/$1/') : rest);
}

/** True for the request by which `go` asks whether its module proxy serves the checksum database: the broker itself answers. */
export const isSumsQuestion = (registry: Registry, rest: string): boolean =>
  registry === 'go' && GO_SUMS.exec(rest)?.[2] === '/supported';
