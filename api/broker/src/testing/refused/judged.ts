import { deny } from '@hamlet/core/egress';
import { notForHost } from '../../secrets/put-secret.ts';
import { during, inClear, inTls, tunnel, type Way } from './way.ts';

const GET = 'GET /ok HTTP/1.1\r\nHost: read.org\r\n\r\n';
const SECRET = 's3cr3t-v4lue';
const ASKING = { headers: { authorization: 'Bearer hamlet-placeholder-gone' } };
const PUSH_TYPE = { 'content-type': 'application/x-git-receive-pack-request' };
const CURL_TRUST = /certificate|SSL/i;

export const judged: Readonly<Record<string, Way>> = {
  'a host without a rule': {
    code: 'egress_not_allowed',
    says: 'no rule of this agent allows',
    tries: (pod) => pod.connect('other.org:443'),
    line: tunnel('other.org'),
  },
  'a host without a rule, without TLS': {
    code: 'egress_not_allowed',
    says: 'no rule of this agent allows',
    tries: (pod) => pod.plain('http://other.org/a?token=x'),
    line: inClear('other.org', '/a'),
  },
  'a host about which the API cannot be asked': {
    code: 'egress_log_unavailable',
    says: 'the broker cannot ask the API about this host',
    tries: (pod) => during(pod, { hostAnswer: null }, () => pod.connect('other.org:443')),
    line: tunnel('other.org'),
  },
  'a host that an admin does not open': {
    code: 'egress_person_denied',
    says: 'not that one',
    tries: (pod) =>
      during(pod, { hostAnswer: deny('egress_person_denied', 'not that one') }, () => pod.plain('http://other.org/a')),
    line: inClear('other.org', '/a'),
  },
  'a denied host': {
    code: 'egress_denied',
    says: 'a deny rule of the village',
    tries: (pod) => pod.connect('denied.org:443'),
    line: tunnel('denied.org'),
  },
  'another Host header': {
    code: 'egress_name_differs',
    says: 'the Host header names another host',
    tries: (pod) => pod.plain('http://plain.org/a', { headers: { host: 'open.org' } }),
    line: inClear('plain.org', '/a'),
  },
  'no Host header': {
    code: 'egress_name_differs',
    says: 'the Host header names another host',
    tries: (pod) => pod.raw('GET http://plain.org/a HTTP/1.1', pod.identity, 'Connection: close'),
    line: inClear('plain.org', '/a'),
  },
  'another Host header within TLS': {
    code: 'egress_name_differs',
    says: 'the Host header names another host',
    tries: (pod) => pod.inspected('https://read.org/ok', { headers: { host: 'open.org' } }),
    line: inTls('read.org', '/ok'),
  },
  'another name in a tunnel': {
    code: 'egress_name_differs',
    says: 'the TLS name',
    silent: true,
    tries: (pod) => pod.tls('open.org', '', { servername: 'evil.org', ca: pod.roots }),
    line: tunnel('open.org'),
  },
  'another name in TLS that the broker reads': {
    code: 'egress_name_differs',
    says: 'the TLS name',
    silent: true,
    tries: (pod) => pod.tls('read.org', '', { servername: 'evil.org' }),
    line: inTls('read.org', null),
  },
  'no TLS in a tunnel': {
    code: 'egress_not_tls',
    says: 'this tunnel carries only TLS',
    silent: true,
    tries: (pod) => pod.connect('open.org:443', 'SSH-2.0-OpenSSH\r\n'),
    line: tunnel('open.org'),
  },
  'no TLS where the broker reads': {
    code: 'egress_not_tls',
    says: 'this tunnel carries only TLS',
    silent: true,
    tries: (pod) => pod.connect('read.org:443', GET),
    line: inTls('read.org', null),
  },
  'a program that does not trust the village': {
    code: 'egress_not_tls',
    says: 'make the program trust the certificate',
    silent: true,
    tries: async (pod) => {
      const said = await pod.curl('https://read.org/ok');
      return CURL_TRUST.test(said) ? '' : said;
    },
    line: inTls('read.org', null),
  },
  'a host for which there is no certificate': {
    code: 'egress_unreachable',
    says: 'cannot make a certificate',
    silent: true,
    tries: (pod) => pod.tls('uncertain.org'),
    line: inTls('uncertain.org', null),
  },
  'a method without a rule': {
    code: 'egress_not_allowed',
    says: 'no rule of this agent allows',
    tries: (pod) => pod.inspected('https://read.org/ok', { method: 'PUT', body: 'x' }),
    line: inTls('read.org', '/ok', 'PUT'),
  },
  'a denied path': {
    code: 'egress_denied',
    says: 'a deny rule of the village',
    tries: (pod) => pod.inspected('https://read.org/closed/x'),
    line: inTls('read.org', '/closed/x'),
  },
  'a path that climbs': {
    code: 'egress_path_unclear',
    says: 'is ambiguous',
    tries: (pod) => pod.plain('http://plain.org/a/%2e%2e/b'),
    line: inClear('plain.org', '/a/%2e%2e/b'),
  },
  'a secret that is gone': {
    code: 'egress_not_allowed',
    says: 'of this rule does not exist',
    tries: (pod) => pod.inspected('https://bound.org/x', ASKING),
    line: inTls('bound.org', '/x'),
  },
  'a secret that is not for the host': {
    code: 'egress_secret_refused',
    says: 'is not for',
    tries: (pod) =>
      during(pod, { secret: async (_admission, use) => notForHost(use) }, () =>
        pod.inspected('https://bound.org/x', ASKING),
      ),
    line: inTls('bound.org', '/x'),
  },
  'a secret without TLS': {
    code: 'egress_secret_refused',
    says: 'a secret is sent only over TLS',
    tries: (pod) => pod.plain('http://bound.org:443/x', ASKING),
    line: inClear('bound.org', '/x', { port: 443 }),
  },
  'an answer with the secret': {
    code: 'egress_secret_returned',
    says: 'the server returned the secret',
    tries: (pod) => during(pod, { secret: async () => SECRET }, () => pod.inspected('https://bound.org/echo', ASKING)),
    line: inTls('bound.org', '/echo'),
  },
  'a part of an answer to a request with a secret': {
    code: 'egress_answer_unreadable',
    says: 'is partial or encoded',
    tries: (pod) => during(pod, { secret: async () => SECRET }, () => pod.inspected('https://bound.org/part', ASKING)),
    line: inTls('bound.org', '/part'),
  },
  'a header that names another method': {
    code: 'egress_request_unclear',
    says: 'overrides the request',
    tries: (pod) => pod.inspected('https://read.org/ok', { headers: { 'x-http-method-override': 'DELETE' } }),
    line: inTls('read.org', '/ok'),
  },
  'a request that only partly looks like a push': {
    code: 'egress_push_unclear',
    says: 'the broker reads a push only as git sends it',
    tries: (pod) => pod.inspected('https://git.home/merge', { method: 'POST', headers: PUSH_TYPE, body: '0000' }),
    line: inTls('git.home', '/merge', 'POST'),
  },
  'a name that does not exist': {
    code: 'egress_name_unknown',
    says: 'has no address; check the name',
    tries: (pod) => pod.connect('nowhere.org:443'),
    line: tunnel('nowhere.org'),
  },
  'a private address behind a name': {
    code: 'egress_address_refused',
    says: 'has an address inside the cluster',
    tries: (pod) => pod.connect('lan.org:443'),
    line: tunnel('lan.org'),
  },
  'a private address behind a name, without TLS': {
    code: 'egress_address_refused',
    says: 'has an address inside the cluster',
    tries: (pod) => pod.plain('http://lan.org/a'),
    line: inClear('lan.org', '/a'),
  },
  'the address of the metadata service': {
    code: 'egress_address_refused',
    says: 'has an address inside the cluster',
    tries: (pod) => pod.plain('http://169.254.169.254/latest'),
    line: inClear('169.254.169.254', '/latest'),
  },
  'a server that accepts no connection': {
    code: 'egress_unreachable',
    says: 'accepts no connection; try again later',
    tries: (pod) => pod.connect('shut.org:8443'),
    line: tunnel('shut.org', 8443),
  },
};
