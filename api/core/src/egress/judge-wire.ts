import type { EgressBan, EgressPolicy, EgressRule, EgressWriteKind } from '@hamlet/contract';
import { USUAL_REGISTRIES } from './egress-policy.ts';
import { concerns, deny, fitsHost, type Destination, type EgressDenial } from './judge-egress.ts';
import { canonicalPath, fitsDeniedPath, fitsPath } from './path.ts';
import type { WireHeaders } from './wire-headers.ts';

/** A request exactly as the broker will send it. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The headers from `outgoingHeaders`. */
  readonly headers: WireHeaders;
  readonly hasBody: boolean;
  /** True for git's own endpoint, which carries only clone, fetch and push. */
  readonly isOfGit: boolean;
}

/**
 * The effect of a request: `read`, a git `fetch` or `probe`, or a kind of write. The caller must verify all of a fetch,
 * and a push from the start of its body.
 */
export type WireEffect = 'read' | 'fetch' | 'probe' | EgressWriteKind;

export type WireVerdict =
  | { readonly verdict: 'allow'; readonly rule: EgressRule; readonly effect: WireEffect }
  | EgressDenial;

/** Methods that change nothing (RFC 9110 9.2.1). Methods are case-sensitive. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Query parameters (reduced to their letters) with which frameworks override the method. */
const OVERRIDING = /^x?(http)?method(override)?$/;

/** The name `method` alone is common, for example `?method=flickr.photos.search`. */
const HTTP_METHOD = /^\W*[a-z]+(-[a-z]+)?\W*$/i;

const PAYING_PATH = /^(checkouts?|pay|payments?|purchases?|buy|buy-now|place-order|one-click-order)(\.[a-z]{2,5})?$/;
const PAYING_HOST = /^(checkout|pay|payments?|buy|billing)\./;

/** Servers that accept packages, besides the enabled registries. */
const UPLOADS = ['upload.pypi.org', 'test.pypi.org', 'npm.pkg.github.com', 'uploads.github.com'];

const PUSH_TYPE = 'application/x-git-receive-pack-request';
const FETCH_TYPE = 'application/x-git-upload-pack-request';
/** git's probe before a large push is one flush packet. */
const PROBE_LENGTH = '4';

const NO_GIT = deny(
  'egress_git_refused',
  'this endpoint supports only clone, fetch and push over smart HTTP; do not use Git LFS or the dumb protocol',
);

const textOf = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? value.join(', ') : (value ?? '');

function looksLikePush({ method, headers }: WireRequest, path: string): boolean {
  if (SAFE.has(method)) return false;
  return /\/git-receive-pack\/*$/i.test(path) || /git-receive-pack/i.test(textOf(headers['content-type']));
}

/** True if a target without a query ends with `end`: the end of a query says nothing about the path. */
const endsWith = (target: string, end: string): boolean => !target.includes('?') && target.endsWith(end);

/** True if every part of a request looks like a push, so that a git server can read it only as one. */
function isPush({ method, target, headers, hasBody }: WireRequest): boolean {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers;
  return (
    method === 'POST' &&
    endsWith(target, '/git-receive-pack') &&
    type === PUSH_TYPE &&
    encoding === 'identity' &&
    hasBody
  );
}

const NOT_A_PUSH = deny(
  'egress_push_unclear',
  `the broker reads a push only as git sends it: POST to …/git-receive-pack with the type ${PUSH_TYPE}, uncompressed`,
);

function isPaying({ host }: Destination, path: string): boolean {
  return PAYING_HOST.test(host) || path.split('/').some((segment) => PAYING_PATH.test(segment.toLowerCase()));
}

function takesPackages(host: string, registries: EgressPolicy['registries']): boolean {
  const usual = Object.values(USUAL_REGISTRIES).flatMap(({ url, hosts }) => [new URL(url).hostname, ...hosts]);
  const own = Object.values(registries).map(({ url }) => new URL(url).hostname);
  return [...UPLOADS, ...usual, ...own].some((each) => fitsHost(each, host));
}

/** True if a query overrides the method, as in `?_method=DELETE`. */
function overridesMethod(target: string): boolean {
  const query = new URLSearchParams(target.split('?').slice(1).join('?').replaceAll(';', '&'));
  return [...query].some(
    ([name, value]) =>
      OVERRIDING.test(name.toLowerCase().replaceAll(/[^a-z]/g, '')) &&
      (name !== 'method' || HTTP_METHOD.test(value)) &&
      !SAFE.has(value.toUpperCase()),
  );
}

/** True if a server that follows RFC 9110 changes nothing: a safe method, no body, no parameter that overrides the method. */
const onlyReads = ({ method, target, hasBody }: WireRequest): boolean =>
  SAFE.has(method) && !hasBody && !overridesMethod(target);

function effectOf(
  wire: WireRequest,
  {
    destination,
    path,
    registries,
  }: { readonly destination: Destination; readonly path: string } & Pick<EgressPolicy, 'registries'>,
): WireEffect | EgressDenial {
  if (looksLikePush(wire, path)) {
    if (!isPush(wire)) return NOT_A_PUSH;
    return wire.headers['content-length'] === PROBE_LENGTH ? 'probe' : 'push';
  }
  if (isPaying(destination, path)) return 'checkout';
  if (onlyReads(wire)) return 'read';
  return takesPackages(destination.host, registries) ? 'publish' : 'write';
}

const REFS = /^(\/.+)\/info\/refs\?service=(git-upload-pack|git-receive-pack)$/;

/** Method and path by which the rules judge a git request: GET for a clone or fetch, POST for all requests of a push. */
interface Asked {
  readonly method: string;
  readonly path: string;
}

type AskedByGit = Asked & { readonly effect: WireEffect | null };

function gitRequest(wire: WireRequest, path: string): AskedByGit | EgressDenial {
  const { method, target, hasBody } = wire;
  const service = method === 'GET' && !hasBody ? REFS.exec(target)?.[2] : undefined;
  if (service === 'git-upload-pack') return { method: 'GET', path, effect: 'read' };
  if (service === 'git-receive-pack')
    return { method: 'POST', path: path.replace(/\/info\/refs$/, '/git-receive-pack'), effect: 'read' };
  if (isFetch(wire)) return { method: 'GET', path, effect: 'fetch' };
  return method === 'POST' && endsWith(target, '/git-receive-pack') ? { method, path, effect: null } : NO_GIT;
}

/** True if every part of a request except its body looks like a git fetch, which is a POST. */
function isFetch({ method, target, headers, hasBody }: WireRequest): boolean {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers;
  const isKnown = type === FETCH_TYPE && (encoding === 'identity' || encoding === 'gzip');
  return method === 'POST' && endsWith(target, '/git-upload-pack') && isKnown && hasBody;
}

function fitsRequest(rule: EgressRule, { method, path }: Asked): boolean {
  return (rule.methods?.includes(method) ?? true) && (rule.paths?.some((pattern) => fitsPath(pattern, path)) ?? true);
}

function fitsDenial(ban: EgressBan, { method, path }: Asked): boolean {
  return (
    (ban.methods?.includes(method.toUpperCase()) ?? true) &&
    (ban.paths?.some((pattern) => fitsDeniedPath(pattern, path)) ?? true)
  );
}

/** The rule that permits a request. Rules with a secret take precedence, then rules that allow writes. */
function ruleFor(policy: EgressPolicy, destination: Destination, asked: Asked): EgressRule | EgressDenial {
  const { host, port } = destination;
  const isHere = concerns(destination);
  if (policy.deny.some((ban) => isHere(ban) && fitsDenial(ban, asked)))
    return deny(
      'egress_denied',
      `a deny rule of the village, the tier or the agent closes ${asked.method} ${asked.path} at ${host}; ask an admin`,
    );
  const allowed = policy.allow.filter((rule) => isHere(rule) && fitsRequest(rule, asked));
  return (
    allowed.find(({ secret }) => secret !== undefined) ??
    allowed.find(({ writes }) => writes === 'Allow') ??
    allowed[0] ??
    deny(
      'egress_not_allowed',
      `no rule of this agent allows ${asked.method} ${asked.path} at ${host}:${port}; ask an admin to add it to spec.egress of the Agent`,
    )
  );
}

/**
 * Judges a request as it will be sent: whether it may leave, by which rule, and its effect. Content type, headers and query can only make
 * the verdict stricter, except that git's endpoint treats a POST in git's own form as a fetch. Pure.
 */
export function judgeWire(policy: EgressPolicy, destination: Destination, wire: WireRequest): WireVerdict {
  const path = canonicalPath(wire.target);
  if (path === null)
    return deny(
      'egress_path_unclear',
      `the path ${JSON.stringify(wire.target.slice(0, 200))} is ambiguous; send it without encoded slashes, dots, letters and digits, and without #`,
    );
  const git = wire.isOfGit ? gitRequest(wire, path) : null;
  if (git !== null && 'verdict' in git) return git;
  const rule = ruleFor(policy, destination, git ?? { method: wire.method, path });
  if ('verdict' in rule) return rule;
  const effect = git?.effect ?? effectOf(wire, { destination, path, registries: policy.registries });
  return typeof effect === 'string' ? { verdict: 'allow', rule, effect } : effect;
}
