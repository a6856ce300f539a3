import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EgressPolicy, Registry } from '@hamlet/contract';
import { deny, type EgressDenial } from '@hamlet/core/egress';
import { pathOf } from '../proxy/asked.ts';
import type { AttemptFacts, Caller, Known } from '../proxy/caller.ts';
import { forward, type ForwardParts, type Passage } from '../proxy/forward.ts';
import { refuseRequest } from '../proxy/refuse.ts';
import { authorityOf } from '../proxy/destination.ts';
import { Links } from './links.ts';
import { isSumsQuestion, upstreamOfIndex } from './registries.ts';
import { originFor, type ReverseTarget, type Upstream } from './reverse-target.ts';

const READ_ONLY = deny(
  'egress_not_allowed',
  'this endpoint of a registry is read-only; to publish, ask an admin for a rule for its host',
);

interface ReverseRequest {
  readonly caller: Caller;
  readonly target: ReverseTarget;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Replaces run and call of the proxy user by those of the path. Both are claims of the pod. */
export function named<K extends Known>(known: K, { as }: ReverseTarget): K {
  return as === null ? known : { ...known, identity: { ...known.identity, ...as } };
}

/** Port of the endpoints in the addresses that programs use: `http://hamlet/…`. */
const ENDPOINT_PORT = 80;

const formOf = ({ scheme }: Upstream): 'plain' | 'inspect' => (scheme === 'http' ? 'plain' : 'inspect');

/**
 * Describes a refused request. If a registry is off, or the agent's rules are unknown, no index server is known, and
 * the registry's name is recorded as the host.
 */
export function factsOfReverse(
  target: ReverseTarget,
  request: Pick<IncomingMessage, 'method'>,
  policy: EgressPolicy | null,
): AttemptFacts {
  const { method = null } = request;
  if (target.kind !== 'index') return factsAt(target.upstream, method);
  const upstream = policy === null ? null : upstreamOfIndex(policy, target.registry, target.rest);
  if (upstream !== null && !('verdict' in upstream)) return factsAt(upstream, method);
  const destination = { host: target.registry, port: ENDPOINT_PORT };
  return { form: 'plain', destination, method, path: pathOf(target.rest) };
}

const factsAt = (upstream: Upstream, method: string | null): AttemptFacts => ({
  form: formOf(upstream),
  destination: upstream.destination,
  method,
  path: pathOf(upstream.target),
});

const linksOf = ({ request }: ReverseRequest, registry: Registry, upstream: Upstream): Links =>
  new Links(registry, upstream, originFor(request.headers.host));

function passageOf(reverse: ReverseRequest, upstream: Upstream, more: Pick<Passage, 'isOfGit' | 'links'>): Passage {
  const { request, response } = reverse;
  const { destination, scheme, target } = upstream;
  request.url = target;
  request.headers.host = authorityOf(destination, scheme);
  return {
    caller: named(reverse.caller, reverse.target),
    destination,
    form: formOf(upstream),
    request,
    response,
    ...more,
  };
}

function refuse({ recorder }: ForwardParts, reverse: ReverseRequest, denial: EgressDenial): void {
  const { caller, target, request, response } = reverse;
  recorder.refused(named(caller, target), factsOfReverse(target, request, caller.admission.policy), denial);
  request.resume();
  refuseRequest(response, denial);
}

/**
 * Serves the reverse endpoints, through which git and package managers reach their servers without a proxy. The rules
 * judge each request as if it came through the proxy.
 */
export async function serveReverse(parts: ForwardParts, reverse: ReverseRequest): Promise<void> {
  const { target } = reverse;
  if (target.kind === 'git') return forward(parts, passageOf(reverse, target.upstream, { isOfGit: true }));
  const { method } = reverse.request;
  if (method !== 'GET' && method !== 'HEAD') return refuse(parts, reverse, READ_ONLY);
  if (target.kind === 'index') return serveIndex(parts, reverse, target);
  const { registry, upstream } = target;
  return forward(parts, passageOf(reverse, upstream, { links: linksOf(reverse, registry, upstream) }));
}

async function serveIndex(
  parts: ForwardParts,
  reverse: ReverseRequest,
  { registry, rest }: Extract<ReverseTarget, { kind: 'index' }>,
): Promise<void> {
  const { caller, response } = reverse;
  const upstream = upstreamOfIndex(caller.admission.policy, registry, rest);
  if ('verdict' in upstream) return refuse(parts, reverse, upstream);
  if (isSumsQuestion(registry, rest)) {
    response.writeHead(200).end();
    return;
  }
  const links = linksOf(reverse, registry, upstream);
  // Relative links in a Python index may lead to other paths of its server.
  if (registry === 'pip') response.writeHead(307, { location: links.address(), 'content-length': 0 }).end();
  else await forward(parts, passageOf(reverse, upstream, { links }));
}
