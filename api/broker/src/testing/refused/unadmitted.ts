import { deny } from '@hamlet/core/egress';
import { until } from '@hamlet/test/env/until';
import type { Pod } from './pod.ts';
import { during, inClear, inTls, ONE, tunnel, type Way } from './way.ts';

const MOST = 128;
const OTHER_RUN = '6f1c1d52-0000-4000-8000-000000000002';

export const unadmitted: Readonly<Record<string, Way>> = {
  'no token': {
    code: 'egress_identity_refused',
    says: 'needs the token of an agent',
    tries: (pod) => pod.raw('GET http://plain.org/ HTTP/1.1', 'Host: plain.org', 'Connection: close'),
    line: null,
  },
  'a token that the API does not know': {
    code: 'egress_identity_refused',
    says: 'no such token',
    tries: (pod) => pod.plain('http://plain.org/', { agent: 'nobody' }),
    line: null,
  },
  'an API that does not answer': {
    code: 'egress_log_unavailable',
    says: 'cannot ask the API about this agent',
    tries: (pod) => during(pod, { isDown: true }, () => pod.plain('http://plain.org/ok')),
    line: null,
  },
  'too many connections': {
    code: 'egress_too_many',
    says: 'too many open connections',
    tries: async (pod) => {
      await pod.hold(MOST);
      return pod.plain('http://plain.org/ok');
    },
    line: inClear('plain.org', '/ok'),
  },
  'too many connections, with that to the server': {
    code: 'egress_too_many',
    says: 'too many open connections',
    tries: async (pod) => {
      await pod.hold(MOST - 1);
      return pod.connect('open.org:443');
    },
    line: tunnel('open.org'),
  },
  'a stopped agent, by CONNECT': {
    code: 'egress_agent_stopped',
    says: 'odd posts',
    tries: (pod) => stopped(pod, () => pod.connect('open.org:443')),
    line: tunnel('open.org'),
  },
  'a stopped agent, without TLS': {
    code: 'egress_agent_stopped',
    says: 'odd posts',
    tries: (pod) => stopped(pod, () => pod.plain('http://plain.org/a?b')),
    line: inClear('plain.org', '/a'),
  },
  'a stopped agent, at a registry, with run and call in the path': {
    code: 'egress_agent_stopped',
    says: 'odd posts',
    tries: (pod) => stopped(pod, () => pod.plain(`http://hamlet/as/${OTHER_RUN}/call-9/npm/left-pad`)),
    line: { ...inClear('npm', '/left-pad'), run: OTHER_RUN, call: 'call-9' },
  },
  'a brake while the API answers about the agent, by CONNECT': {
    code: 'egress_agent_stopped',
    says: 'or the agent was deleted',
    tries: (pod) => brakedMeanwhile(pod, () => pod.connect('open.org:443')),
    line: tunnel('open.org'),
  },
  'a brake while the API answers about the agent, without TLS': {
    code: 'egress_agent_stopped',
    says: 'or the agent was deleted',
    tries: (pod) => brakedMeanwhile(pod, () => pod.plain('http://plain.org/ok')),
    line: inClear('plain.org', '/ok'),
  },
  'a brake while a tunnel is open': {
    code: 'egress_agent_stopped',
    says: 'or the agent was deleted',
    silent: true,
    tries: (pod) => braked(pod, pod.tls('open.org', 'GET /hang HTTP/1.1\r\n', { ca: pod.roots })),
    line: tunnel('open.org'),
  },
  'a brake while an answer is on its way': {
    code: 'egress_agent_stopped',
    says: 'or the agent was deleted',
    silent: true,
    tries: (pod) => braked(pod, pod.tls('read.org', `GET /hang ${ONE}\r\n`)),
    line: inTls('read.org', '/hang'),
  },
};

async function stopped({ broker, agent }: Pod, tries: () => Promise<string>): Promise<string> {
  const life = { agent, uid: `uid-${agent}`, cycle: 1 };
  broker.village.denied.set(agent, { ...deny('egress_agent_stopped', `${agent}: odd posts`), life });
  return tries();
}

/** The API decides before the brake, and its answer arrives after it. */
async function brakedMeanwhile(pod: Pod, tries: () => Promise<string>): Promise<string> {
  const { village } = pod.broker;
  const admit = village.admit.bind(village);
  return during(
    pod,
    {
      admit: async (token) => {
        const answer = await admit(token);
        village.stop(`uid-${pod.agent}`, true);
        return answer;
      },
    },
    tries,
  );
}

async function braked({ broker, agent }: Pod, tries: Promise<string>): Promise<string> {
  await until('it is out', async () => broker.village.attempts.some((attempt) => attempt.agent === agent));
  broker.village.stop(`uid-${agent}`, true);
  return tries;
}
