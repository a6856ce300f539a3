import { deny } from '@hamlet/core/egress';
import { PKT_FLUSH, pktLine } from '../../git/pkt-line.ts';
import { until } from '@hamlet/test/env/until';
import type { Pod } from './pod.ts';
import { during, inClear, inTls, type Way } from './way.ts';

const GIT = 'http://hamlet/git/git.home/acme/app.git';
const push = (ref: string): string =>
  Buffer.concat([pktLine(`${'0'.repeat(40)} ${'b'.repeat(40)} ${ref}\0report-status`), PKT_FLUSH]).toString('latin1');
const pushWithOption = (ref: string): string =>
  Buffer.concat([
    pktLine(`${'0'.repeat(40)} ${'b'.repeat(40)} ${ref}\0report-status push-options`),
    PKT_FLUSH,
    pktLine('repo.private=false'),
    PKT_FLUSH,
  ]).toString('latin1');
const PUSHED = { method: 'POST', headers: { 'content-type': 'application/x-git-receive-pack-request' } };
const NPM = {
  allow: [{ host: 'files.home', methods: ['GET'] }],
  registries: { npm: { url: 'https://files.home/npm/' } },
};

const off = (registry: string, path: string): Way => ({
  code: 'egress_registry_off',
  says: 'is switched off in this village',
  tries: (pod) => pod.plain(`http://hamlet/${registry}${path}?q`),
  line: inClear(registry, path),
});

export const endpoints: Readonly<Record<string, Way>> = {
  'apt switched off': off('apt', '/debian/dists/trixie/InRelease'),
  'pip switched off': off('pip', '/toy-wheel/'),
  'npm switched off': off('npm', '/@toys%2ftop'),
  'crates switched off': off('crates', '/config.json'),
  'go switched off': off('go', '/toys.home/top/@v/list'),
  'publishing a package to a registry that is switched off': {
    code: 'egress_not_allowed',
    says: 'this endpoint of a registry is read-only',
    tries: (pod) => pod.plain('http://hamlet/npm/left-pad', { method: 'PUT', body: '{}' }),
    line: inClear('npm', '/left-pad', { method: 'PUT' }),
  },
  'publishing a package': {
    code: 'egress_not_allowed',
    says: 'this endpoint of a registry is read-only',
    policy: NPM,
    tries: (pod) => pod.plain('http://hamlet/npm/left-pad', { method: 'PUT', body: '{}' }),
    line: inTls('files.home', '/npm/left-pad', 'PUT'),
  },
  'a link of an index to another host': {
    code: 'egress_not_allowed',
    says: 'no rule of this agent allows',
    policy: NPM,
    tries: (pod) => pod.plain('http://hamlet/npm/at/https/other.home/x.tgz'),
    line: inTls('other.home', '/x.tgz'),
  },
  'another repository': {
    code: 'egress_not_allowed',
    says: 'no rule of this agent allows',
    tries: (pod) => pod.plain('http://hamlet/git/other.home/x.git/info/refs?service=git-upload-pack'),
    line: inTls('other.home', '/x.git/info/refs'),
  },
  'a git request outside smart HTTP': {
    code: 'egress_git_refused',
    says: 'only clone, fetch and push over smart HTTP',
    tries: (pod) => pod.plain(`${GIT}/objects/info/packs?x`),
    line: inTls('git.home', '/acme/app.git/objects/info/packs'),
  },
  'a push to another branch outside of a run': {
    code: 'egress_push_ref',
    says: 'may push to branches below',
    tries: (pod) =>
      pod.plain(`${GIT}/git-receive-pack`, {
        ...PUSHED,
        headers: { ...PUSHED.headers, 'proxy-authorization': `Basic ${btoa(`/:${pod.agent}`)}` },
        body: push('refs/heads/main'),
      }),
    line: { ...inTls('git.home', '/acme/app.git/git-receive-pack', 'POST'), run: null, call: null },
  },
  'a push that is unclear': {
    code: 'egress_push_unclear',
    says: 'the broker cannot read this push',
    tries: (pod) => pod.plain(`${GIT}/git-receive-pack`, { ...PUSHED, body: 'nonsense' }),
    line: inTls('git.home', '/acme/app.git/git-receive-pack', 'POST'),
  },
  'a push with an option that no rule names': {
    code: 'egress_push_option',
    says: 'no rule of this agent allows the push option',
    tries: (pod) =>
      pod.plain(`${GIT}/git-receive-pack`, { ...PUSHED, body: pushWithOption(`refs/heads/hamlet/${pod.agent}/fix`) }),
    line: inTls('git.home', '/acme/app.git/git-receive-pack', 'POST'),
  },
  'a body that is not a git fetch': {
    code: 'egress_git_refused',
    says: 'this body is not a clone or fetch of git',
    tries: (pod) =>
      pod.plain(`${GIT}/git-upload-pack`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-git-upload-pack-request' },
        body: 'title=Main_Page&action=delete',
      }),
    line: inTls('git.home', '/acme/app.git/git-upload-pack', 'POST'),
  },
  'a fetch that is too long': {
    code: 'egress_git_refused',
    says: 'this fetch is longer than 4 MiB',
    tries: (pod) =>
      pod.plain(`${GIT}/git-upload-pack`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-git-upload-pack-request' },
        body: '0032have '.padEnd(4 * 1024 * 1024 + 1, 'a'),
      }),
    line: inTls('git.home', '/acme/app.git/git-upload-pack', 'POST'),
  },
  'a push whose permission has expired': {
    code: 'egress_permission_expired',
    says: 'no person answered in time',
    tries: (pod) =>
      during(pod, { answer: deny('egress_permission_expired', 'no person answered in time') }, () =>
        pod.plain(`${GIT}/git-receive-pack`, {
          ...PUSHED,
          body: push(`refs/heads/hamlet/${pod.agent}/fix`),
        }),
      ),
    line: inTls('git.home', '/acme/app.git/git-receive-pack', 'POST'),
  },
};

const post = (pod: Pod): Promise<string> => pod.plain('http://plain.org/notes', { method: 'POST', body: 'x' });
const JUNK = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`x-junk-${at}`, '1']));
const WRITE = inClear('plain.org', '/notes', { method: 'POST' });
const head = (pod: Pod, ...more: readonly string[]): string =>
  ['POST http://plain.org/notes HTTP/1.1', 'Host: plain.org', pod.identity, ...more, '', ''].join('\r\n');

export const writes: Readonly<Record<string, Way>> = {
  'a write that a person denies': {
    code: 'egress_person_denied',
    says: 'not today',
    tries: (pod) => during(pod, { answer: deny('egress_person_denied', 'not today') }, () => post(pod)),
    line: WRITE,
  },
  'a write with more headers than a person reads': {
    code: 'egress_request_unclear',
    says: 'which no person would read',
    tries: (pod) => pod.plain('http://plain.org/notes', { method: 'POST', body: 'x', headers: JUNK }),
    line: WRITE,
  },
  'a write about which the API cannot be asked': {
    code: 'egress_log_unavailable',
    says: 'cannot ask the API for a permission',
    tries: (pod) => during(pod, { permit: () => Promise.reject(new Error('gone')) }, () => post(pod)),
    line: WRITE,
  },
  'a write whose program does not wait': {
    code: 'egress_write_withdrawn',
    says: 'did not wait for the permission',
    silent: true,
    tries: (pod) =>
      during(pod, { answer: null }, async () => {
        const [socket] = await pod.hold(1);
        socket?.write(`${head(pod, 'Content-Length: 1')}x`);
        const { permissions } = pod.broker.village;
        await until('it waits', async () => permissions.some(({ admission }) => admission.agent === pod.agent));
        socket?.destroy();
        return '';
      }),
    line: WRITE,
  },
  'a write whose body breaks off': {
    code: 'egress_bad_request',
    says: 'the request ended before its body was complete; send it again',
    silent: true,
    tries: async (pod) => {
      const [socket] = await pod.hold(1);
      socket?.end(`${head(pod, 'Content-Length: 10')}x`);
      return '';
    },
    line: WRITE,
  },
};
