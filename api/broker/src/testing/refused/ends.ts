import { setTimeout as delay } from 'node:timers/promises';
import type { Pod } from './pod.ts';
import { during, inClear, inTls, tunnel, type Way } from './way.ts';

/** Milliseconds, longer than the API needs in these tests. */
const PAUSE_MS = 100;

/** The API stores an attempt only after this delay. */
function slowly(pod: Pod, tries: () => Promise<string>): Promise<string> {
  const { village } = pod.broker;
  const begin = village.begin.bind(village);
  return during(
    pod,
    {
      begin: async (attempts) => {
        await delay(PAUSE_MS);
        await begin(attempts);
      },
    },
    tries,
  );
}

/** Permitted attempts that ended early. */
export const ends: Readonly<Record<string, Way>> = {
  'an API that stores no attempts': {
    code: 'egress_log_unavailable',
    says: 'so it refuses the attempt',
    tries: async (pod) => {
      await pod.hold(1);
      return during(pod, { isDown: true }, () => pod.plain('http://plain.org/late'));
    },
    line: inClear('plain.org', '/late'),
  },
  'a program that hangs up before the attempt is stored': {
    code: 'egress_write_withdrawn',
    says: 'did not wait for the permission',
    silent: true,
    tries: async (pod) => {
      const [socket] = await pod.hold(1);
      return slowly(pod, async () => {
        socket?.write(`GET http://plain.org/gone HTTP/1.1\r\nHost: plain.org\r\n${pod.identity}\r\n\r\n`);
        await delay(PAUSE_MS / 2);
        socket?.destroy();
        await delay(PAUSE_MS);
        return '';
      });
    },
    line: inClear('plain.org', '/gone'),
  },
  'a server that resets the connection': {
    code: 'egress_unreachable',
    says: 'did not answer; try again later',
    tries: (pod) => pod.inspected('https://read.org/reset'),
    line: inTls('read.org', '/reset'),
  },
  'a server without TLS': {
    code: 'egress_unreachable',
    says: 'the TLS handshake with',
    tries: (pod) => pod.plain('http://hamlet/git/liar.org:9443/x.git/info/refs?service=git-upload-pack'),
    line: { ...inTls('liar.org', '/x.git/info/refs'), port: 9443 },
  },
  'bytes of the hour that are used up, in a tunnel': {
    code: 'egress_bytes_spent',
    says: 'has no bytes left',
    silent: true,
    tries: (pod) => pod.tls('spent.org', '', { ca: pod.roots }),
    line: tunnel('spent.org'),
  },
  'bytes of the hour that the head of a request would use up': {
    code: 'egress_bytes_spent',
    says: 'has no bytes left',
    tries: (pod) => pod.inspected('https://counted.org/x'),
    line: inTls('counted.org', '/x'),
  },
  'bytes of the hour that are used up': {
    code: 'egress_bytes_spent',
    says: 'has no bytes left',
    policy: { allow: [{ host: 'counted.org', methods: ['POST'], bytesPerHour: 1000 }] },
    tries: (pod) => pod.inspected('https://counted.org/x', { method: 'POST', body: 'x'.repeat(2000) }),
    line: inTls('counted.org', '/x', 'POST'),
  },
};
