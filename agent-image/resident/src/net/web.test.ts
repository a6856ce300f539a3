/** http and web_fetch in real hands, through a proxy that refuses as the broker does. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { selfSigned } from '../testing/self-signed.ts';
import { startNet, type Net } from './testing/a-net.ts';
import { startNetHands } from './testing/net-hands.ts';

const HOST = 'pages.test';
const at = (path: string): string => `http://${HOST}${path}`;
const PAGE = `<!doctype html><html><head><title>Apples &amp; pears</title><script>document.title = 'changed'</script></head>
<body><nav><a href="/menu">Menu</a></nav><main><h1>Fruit</h1><p>Read <a href="more?x=1">more</a> or <a href="https://other.test/">elsewhere</a>,
and <a href="more?x=1">more</a> again.</p><a href="javascript:alert(1)">bad</a><style>p { color: red }</style></main></body></html>`;

const [key, certificate] = selfSigned(testFolder('web'), [`DNS:${HOST}`]);
const own = untilEnd(await startNet({ key: readFileSync(key, 'utf8'), cert: readFileSync(certificate, 'utf8') }));
const net: Net = {
  ...own,
  environmentOf: (place) => ({
    ...own.environmentOf(place),
    NODE_EXTRA_CA_CERTS: certificate,
    NODE_USE_ENV_PROXY: '1',
  }),
};
const hands = untilEnd(await startNetHands(net));
net.serve(HOST, (request, response) => {
  const { url = '', method } = request;
  const html = (body: string): void => void response.setHeader('content-type', 'text/html; charset=utf-8').end(body);
  if (url === '/page') html(PAGE);
  else if (url === '/to-page') response.writeHead(302, { location: '/page' }).end();
  else if (url === '/to-private') response.writeHead(302, { location: 'http://10.0.0.7/admin' }).end();
  else if (url === '/to-own') response.writeHead(302, { location: `http://127.0.0.1:${net.ownPort}/` }).end();
  else if (url === '/circle') response.writeHead(302, { location: '/circle' }).end();
  else if (url === '/file') response.setHeader('content-type', 'application/octet-stream').end(Buffer.alloc(9));
  else if (url === '/latin')
    response.setHeader('content-type', 'text/plain; charset=iso-8859-1').end(Buffer.from([0xe9]));
  else if (url === '/bomb')
    response
      .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(200 << 20, 'a'), { level: 1 }));
  else if (url === '/long') html(`<p>${Array.from({ length: 9_000 }, (_, line) => `line ${line}`).join('<br>')}</p>`);
  else if (url === '/deep') html(`${'<div>'.repeat(100_000)}deep`);
  else if (url === '/stream') {
    response.setHeader('content-type', 'text/html');
    const timer = setInterval(() => response.write('x'.repeat(1 << 20)), 1);
    response.on('close', () => clearInterval(timer));
  } else if (url === '/hang') return;
  else
    void request.toArray().then((parts) => {
      response.setHeader('content-type', 'application/json').setHeader('set-cookie', 'a=1');
      response.end(
        JSON.stringify({ method, agent: request.headers['x-agent'], body: Buffer.concat(parts).toString() }),
      );
    });
});

test('a page is returned as text with its title and numbered links; it is reported as opened, and its scripts do not run', async () => {
  const text = await hands.textOf('web_fetch', { url: at('/to-page') }, { call: '7.0' });
  assert.match(text, /^Apples & pears\nhttp:\/\/pages\.test\/page\n/);
  assert.match(text, /Read more \[1\] or elsewhere \[2\],\s+and more \[1\] again\./);
  assert.match(text, /Links:\n\[1\] http:\/\/pages\.test\/more\?x=1\n\[2\] https:\/\/other\.test\/$/);
  assert.doesNotMatch(text, /Menu|changed|color|javascript/);
  const [opened] = hands.lastEnd()?.report.opened ?? [];
  assert.deepEqual([opened?.url, opened?.title], [at('/page'), 'Apples & pears']);
  assert.ok(net.asked.includes(`r1/7.0 ${at('/page')}`), 'the proxy knows run and call of each request');
});

test('a page and an API over TLS are reached through a tunnel of the proxy', async () => {
  const url = `https://${HOST}`;
  assert.match(await hands.textOf('web_fetch', { url: `${url}/page` }, { call: '7.1' }), /Read more \[1\]/);
  assert.ok(net.asked.includes(`r1/7.1 ${HOST}:443`), 'the proxy knows run and call of the tunnel');
  assert.match(await hands.textOf('http', { url: `${url}/api`, method: 'POST', body: 'x' }), /"method":"POST"/);
});

test('a redirect to a private address, to the pod itself, in a circle or to a closed host is refused with its reason', async () => {
  assert.equal(await hands.codeOf('web_fetch', { url: at('/to-private') }), 'egress_address_refused');
  assert.equal(await hands.codeOf('web_fetch', { url: at('/to-own') }), 'private_address');
  assert.equal(await hands.codeOf('web_fetch', { url: at('/circle') }), 'too_many_redirects');
  assert.equal(await hands.codeOf('web_fetch', { url: 'http://closed.test/' }), 'egress_not_allowed');
  assert.equal(await hands.codeOf('web_fetch', { url: 'https://closed.test/' }), 'egress_not_allowed', 'in a tunnel');
});

test('binary content is reported, other encodings are read, and a server in the pod is reached directly', async () => {
  assert.equal(await hands.codeOf('web_fetch', { url: at('/file') }), 'not_text');
  assert.match(await hands.textOf('web_fetch', { url: at('/latin') }), /é$/);
  assert.match(await hands.textOf('http', { url: `http://127.0.0.1:${net.ownPort}/` }), /^HTTP status 404/);
});

test('a long page loses its middle, which read_output returns; an endless, compressed or deep one is truncated', async () => {
  const text = await hands.textOf('web_fetch', { url: at('/long') }, { call: '8.0' });
  assert.match(text, /line 0\n[^]*read_output process 8\.0 stream stdout[^]*line 8999$/);
  assert.ok(text.length < 16_000);
  assert.match(await hands.textOf('read_output', { process: '8.0', offset: 50_000, bytes: 60 }), /line \d+\n/);
  assert.match(
    await hands.textOf('web_fetch', { url: at('/stream') }),
    /Only a part was read: the answer has 10485760 bytes or more/,
  );
  assert.match(
    await hands.textOf('web_fetch', { url: at('/bomb') }),
    /Only a part was read: the answer has 10485760 bytes or more/,
  );
  await hands.use('web_fetch', { url: at('/deep') });
});

test('http sends method, headers and body, shows status and headers, and follows no redirect', async () => {
  const sent = { method: 'PUT', url: at('/api'), headers: { 'X-Agent': 'ada' }, body: '{"a":1}' };
  const text = await hands.textOf('http', sent);
  assert.match(
    text,
    /^HTTP status 200\n[^]*set-cookie: a=1[^]*\n\n\{"method":"PUT","agent":"ada","body":"\{\\"a\\":1\}"\}$/,
  );
  assert.match(await hands.textOf('http', { url: at('/to-page') }), /^HTTP status 302\n[^]*location: \/page/);
  assert.equal(await hands.codeOf('http', { url: at('/hang'), timeout_s: 1 }), 'timed_out');
  assert.equal(await hands.codeOf('http', { url: 'http://a:b@pages.test/' }), 'bad_address');
});

test('a cancel ends a hanging request, and its outcome is unknown', async () => {
  const cancel = new AbortController();
  const ended = hands.use('web_fetch', { url: at('/hang') }, { signal: cancel.signal });
  while (!net.asked.some((line) => line.endsWith('/hang') && line.startsWith('r1/1.')))
    await new Promise((r) => setTimeout(r, 20));
  cancel.abort();
  assert.equal((await ended).kind, 'unknown');
});
