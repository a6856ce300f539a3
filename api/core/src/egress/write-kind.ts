import type { EgressPolicy, EgressWriteKind } from '@hamlet/contract';
import { USUAL_REGISTRIES } from './egress-policy.ts';
import { fitsHost, type Destination } from './judge-egress.ts';

/** Methods that change nothing (RFC 9110 9.2.1). */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Headers by which many servers take another method than that of the request. */
export const METHOD_OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override'] as const;

const PAYING_PATH = /^(checkouts?|pay|payments?|purchases?|buy|buy-now|place-order|one-click-order)(\.[a-z]{2,5})?$/;
const PAYING_HOST = /^(checkout|pay|payments?|buy|billing)\./;

/** Servers that take packages, beside those of the registries that the village has switched on. */
const UPLOADS = ['upload.pypi.org', 'test.pypi.org', 'npm.pkg.github.com', 'uploads.github.com'];

/** The parts of a request that decide its kind. `isPush`: a server may read it as a push of git. */
export interface WrittenRequest {
  readonly destination: Destination;
  readonly method: string;
  readonly path: string;
  /** Methods that headers of the request name. */
  readonly overrides: readonly string[];
  readonly isPush: boolean;
}

function isPaying({ destination, path }: WrittenRequest): boolean {
  if (PAYING_HOST.test(destination.host)) return true;
  return path.split('/').some((segment) => PAYING_PATH.test(segment.toLowerCase()));
}

function takesPackages(host: string, registries: EgressPolicy['registries']): boolean {
  const usual = Object.values(USUAL_REGISTRIES).flatMap(({ url, hosts }) => [new URL(url).hostname, ...hosts]);
  const own = Object.values(registries).map(({ url }) => new URL(url).hostname);
  return [...UPLOADS, ...usual, ...own].some((each) => fitsHost(each, host));
}

/** The kind of a write, or null for a request that only reads. A checkout page is one, however it is asked for. Pure. */
export function writeKindOf(
  request: WrittenRequest,
  { registries }: Pick<EgressPolicy, 'registries'>,
): EgressWriteKind | null {
  const { destination, method, overrides, isPush } = request;
  if (isPush) return 'push';
  if (isPaying(request)) return 'checkout';
  if ([method, ...overrides.map((each) => each.toUpperCase())].every((each) => READING.has(each))) return null;
  return takesPackages(destination.host, registries) ? 'publish' : 'write';
}
