import assert from 'node:assert/strict';
import { restOf } from './pod.ts';
import { inClear, inTls, ONE, tunnel, type Way } from './way.ts';

const LONG = `X-Long: ${'x'.repeat(70_000)}\r\n`;
const MALFORMED = 'CONNECT HOST:PORT, and requests with an absolute http:// URL';

/** Requests that the broker never serves. */
export const unserved: Readonly<Record<string, Way>> = {
  'a CONNECT without a port': {
    code: 'egress_bad_request',
    says: MALFORMED,
    tries: (pod) => pod.connect('Open.org'),
    line: tunnel('open.org'),
  },
  'a CONNECT to an IPv4-mapped IPv6 address': {
    code: 'egress_bad_request',
    says: MALFORMED,
    tries: (pod) => pod.connect('[::ffff:10.0.0.1]:8443'),
    line: tunnel('[::ffff:10.0.0.1]', 8443),
  },
  'a path without an endpoint': {
    code: 'egress_bad_request',
    says: MALFORMED,
    tries: (pod) => pod.raw('GET /metrics?x=1 HTTP/1.1', 'Host: a', pod.identity, 'Connection: close'),
    line: inClear('hamlet', '/metrics'),
  },
  'an https address without CONNECT, with credentials': {
    code: 'egress_bad_request',
    says: MALFORMED,
    tries: (pod) => pod.raw('GET https://me:word@open.org/a?b HTTP/1.1', 'Host: a', pod.identity, 'Connection: close'),
    line: inClear('open.org', '/a', { port: 443 }),
  },
  'another protocol': {
    code: 'egress_bad_request',
    says: 'cannot read another protocol',
    tries: (pod) => pod.plain('http://plain.org/ws', { headers: { connection: 'upgrade', upgrade: 'websocket' } }),
    line: inClear('plain.org', '/ws'),
  },
  'another protocol within TLS': {
    code: 'egress_bad_request',
    says: 'cannot read another protocol',
    tries: (pod) => pod.tls('read.org', `GET /ws ${ONE}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n`),
    line: inTls('read.org', '/ws'),
  },
  'a CONNECT within TLS': {
    code: 'egress_bad_request',
    says: 'cannot read another protocol',
    tries: (pod) => pod.tls('read.org', `CONNECT evil.org:443 ${ONE}\r\n`),
    line: inTls('read.org', 'evil.org:443', 'CONNECT'),
  },
  'an expectation': {
    code: 'egress_bad_request',
    says: 'supports only Expect: 100-continue',
    tries: (pod) => pod.plain('http://plain.org/x', { headers: { expect: 'wonders' } }),
    line: inClear('plain.org', '/x'),
  },
  'an expectation within TLS': {
    code: 'egress_bad_request',
    says: 'supports only Expect: 100-continue',
    tries: (pod) => pod.inspected('https://read.org/ok', { headers: { expect: 'wonders' } }),
    line: inTls('read.org', '/ok'),
  },
  'bytes that are not a request, within TLS': {
    code: 'egress_bad_request',
    says: 'cannot read this request',
    tries: (pod) => pod.tls('read.org', 'SSH-2.0-OpenSSH\r\n\r\n'),
    line: inTls('read.org', null),
  },
  'a head that is too long, within TLS': {
    code: 'egress_bad_request',
    says: 'cannot read this request',
    tries: (pod) => pod.tls('read.org', `GET /ok ${ONE}${LONG}\r\n`),
    line: inTls('read.org', null),
  },
  'a head that is too long, on a connection of the agent': {
    code: 'egress_bad_request',
    says: 'cannot read this request',
    tries: async (pod) => {
      const [socket] = await pod.hold(1);
      assert.ok(socket !== undefined);
      socket.write(`GET http://plain.org/ok HTTP/1.1\r\n${LONG}\r\n`);
      return restOf(socket);
    },
    line: inClear('hamlet', null),
  },
  'bytes that are not a request, before an agent is known': {
    code: 'egress_bad_request',
    says: 'cannot read this request',
    tries: (pod) => pod.raw('nonsense'),
    line: null,
  },
};
