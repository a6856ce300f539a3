import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  hostsInCommand,
  hostsInMessage,
  hostsInWords,
  isAskableHost,
  isInternational,
  opensWith,
  ruleOfOpenedHost,
} from './ask-host.ts';
import { judgeConnection } from './judge-egress.ts';

test('only a public name of a readable length may be asked about', () => {
  for (const host of ['example.org', 'api.example.org', 'a-b.example.test', 'xn--bcher-kva.example', 'a.xn--p1ai'])
    assert.ok(isAskableHost({ host }), host);
  const never = [
    'localhost',
    'kubernetes',
    'hamlet-api-agents',
    'kubernetes.default.svc',
    'x.svc.cluster.local',
    'metadata.google.internal',
    '169.254.169.254',
    '2852039166',
    '0x7f.1',
    '::1',
    '::ffff:a59:1',
    '1.1.168.192.in-addr.arpa',
    '*.example.org',
    'example.org.',
    '-a.example.org',
    'a..example.org',
    'exam ple.org',
    'EXAMPLE.org',
    'exämple.org',
    '',
    `${'a.'.repeat(50)}example.org`,
  ];
  for (const host of never) assert.ok(!isAskableHost({ host }), host);
});

test('an opened host is one name and one port, of which the broker reads each request', () => {
  const rule = ruleOfOpenedHost({ host: 'example.org', port: 443 });
  const policy = { version: '1', allow: [rule], deny: [], openings: [], closedCidrs: [], registries: {} };
  const verdict = (host: string, port: number): string => judgeConnection(policy, { host, port }).verdict;
  assert.equal(verdict('example.org', 443), 'inspect');
  assert.equal(verdict('example.org', 80), 'deny');
  assert.equal(verdict('sub.example.org', 443), 'deny');
  assert.equal(isInternational({ host: 'a.xn--p1ai' }), true);
  assert.equal(isInternational({ host: 'axn--p.org' }), false);
});

test('an answer about one port of the web is about both; every other port stands alone', () => {
  const words = (port: number): string => hostsInWords(opensWith({ host: 'example.org', port }));
  assert.deepEqual([80, 443].map(words), Array(2).fill('example.org (ports 80 and 443)'));
  assert.equal(words(8443), 'example.org:8443');
  const two = [...opensWith({ host: 'a.org', port: 80 }), { host: 'b.org', port: 22 }];
  assert.equal(hostsInWords(two), 'a.org (ports 80 and 443), b.org:22');
});

test('the hosts of a command are those that it writes out, as a program would reach them', () => {
  const named = (command: string) => hostsInCommand(command).map(({ host, port }) => `${host}:${port}`);
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['curl -sS https://API.example.org/v1?x=1', ['api.example.org:443']],
    ["curl 'http://example.org' && curl http://example.org:80/again", ['example.org:80']],
    ['curl https://good.example.org@evil.example.org/', ['evil.example.org:443']],
    ['wget "https://example.org:8443/a";rm a', ['example.org:8443']],
    ['curl https://$HOST/ https:///x ftp://example.org example.org', []],
    [
      'curl https://a.example https://b.example https://c.example https://d.example',
      ['a', 'b', 'c'].map((x) => `${x}.example:443`),
    ],
    ['curl example.org', ['example.org:80']],
    ["cd /tmp && curl -sSL 'EXAMPLE.org:8080/a?b' | head", ['example.org:8080']],
    ['wget -q -O page.html example.org/page.html\nwget --tries=2 \\\n b.example', ['example.org:80', 'b.example:80']],
    ['curl -o out.html -H "Host: a.example" -d @data.json https://example.org', ['example.org:443']],
    ['curl -XPOST a.example; curl $FLAGS b.example; curl ./c.example user@d.example; echo curl e.example', []],
    ['curl localhost:3000 10.0.0.1 api.default.svc && cat example.org', []],
  ];
  for (const [command, hosts] of cases) assert.deepEqual(named(command), hosts, command);
});

test('the hosts of a message are those of its addresses, without the punctuation of its sentences', () => {
  const named = (text: string) => hostsInMessage(text).map(({ host, port }) => `${host}:${port}`);
  assert.deepEqual(named('Read https://a.example, (https://b.example/x) and **https://c.example:8443/y**.'), [
    'a.example:443',
    'b.example:443',
    'c.example:8443',
  ]);
  assert.deepEqual(named('Is https://d.example? Or https://d.example.'), ['d.example:443']);
  assert.deepEqual(named('Ask a.example or mia@b.example'), []);
  assert.deepEqual(named('https://good.example,x@evil.example/'), ['evil.example:443'], 'as a program reaches it');
  // This would take minutes if each sign were read to the end of the text.
  assert.deepEqual(named(`${'.'.repeat(300_000)}x https://e.example.`), ['e.example:443']);
});

test('a command of empty lines is read in no time', () => {
  const begun = performance.now();
  assert.deepEqual(hostsInCommand(`${'\n'.repeat(32_000)}x\n\n  curl example.org`), [
    { host: 'example.org', port: 80 },
  ]);
  assert.ok(performance.now() - begun < 1_000);
});
