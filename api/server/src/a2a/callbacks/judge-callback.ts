import type { AgentSpec, EgressPolicy } from '@hamlet/contract';
import { deny, judgeConnection, judgeWire, normalHost, type Destination, type EgressDenial } from '@hamlet/core/egress';
import { refuseShut } from '../../egress/egress-of.ts';

const HTTPS_PORT = 443;
const URL_MAX_CHARS = 2_048;

export interface Callback {
  readonly url: URL;
  readonly destination: Destination;
  /** The rules by which the addresses of the host are judged too. */
  readonly policy: EgressPolicy;
}

export const callbackHostsOf = ({ a2a }: Pick<AgentSpec, 'a2a'>): readonly string[] => a2a?.callbackHosts ?? [];

/** The rules of an agent, but with POST to its callback hosts as the only thing that they allow. */
function callbackPolicy(spec: Pick<AgentSpec, 'a2a'>, policy: EgressPolicy): EgressPolicy {
  const allow = callbackHostsOf(spec).map((host) => ({ host, ports: [HTTPS_PORT], methods: ['POST'] }));
  return { ...policy, allow };
}

function urlIn(text: string): URL | null {
  const url = text.length > URL_MAX_CHARS ? null : URL.parse(text);
  const isPlain = url?.protocol === 'https:' && `${url.port}${url.username}${url.password}${url.hash}` === '';
  return isPlain ? url : null;
}

/**
 * Judges the address of a callback as the broker judges a write of the agent, but by its callback hosts: HTTPS, a host
 * of the list, no host that a rule denies, no checkout, push or package, and nothing while the village closes every way out. Pure.
 */
export function judgeCallback(text: string, spec: Pick<AgentSpec, 'a2a'>, of: EgressPolicy): Callback | EgressDenial {
  const shut = refuseShut(of);
  if (shut !== null) return shut;
  const url = urlIn(text);
  if (url === null)
    return deny('egress_bad_request', 'the url of a callback is HTTPS at the usual port, without user and fragment');
  const destination = { host: normalHost(url.hostname), port: HTTPS_PORT };
  const policy = callbackPolicy(spec, of);
  const connection = judgeConnection(policy, destination);
  if (connection.verdict === 'deny')
    return connection.code === 'egress_not_allowed'
      ? deny('egress_not_allowed', `an admin adds ${destination.host} to spec.a2a.callbackHosts of the Agent`)
      : connection;
  const target = `${url.pathname}${url.search}`;
  const wire = judgeWire(policy, destination, { method: 'POST', target, headers: {}, hasBody: true, isOfGit: false });
  if (wire.verdict === 'deny') return wire;
  return wire.effect === 'write'
    ? { url, destination, policy }
    : deny('egress_denied', `a callback may not be a ${wire.effect}: use another address`);
}
