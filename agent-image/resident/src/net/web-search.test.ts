/** web_search with stand-ins of both services; in the hands, the village's key is a placeholder. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startNet } from './testing/a-net.ts';
import { startNetHands } from './testing/net-hands.ts';
import { resultsIn, searchRequest } from './web-search.ts';

const asked: { url: string; key: string | undefined }[] = [];

const RESULTS = [
  { title: 'How to <strong>prune</strong>\n apples', url: 'https://garden.test/prune', words: 'In <b>winter</b>.' },
  { title: 'A script', url: 'javascript:alert(1)', words: 'no address of the web' },
  { title: null, url: 'https://bare.test/', words: null },
];

const net = untilEnd(await startNet());
net.serve('search.test', (request, response) => {
  const key = request.headers['x-subscription-token'];
  asked.push({ url: request.url ?? '', key: typeof key === 'string' ? key : undefined });
  const query = new URL(request.url ?? '', 'http://search.test').searchParams.get('q');
  if (query === 'forbidden') return void response.writeHead(403).end('{}');
  if (query === 'busy') return void response.writeHead(429).end('{}');
  if (query === 'broken') return void response.end('<html>not json</html>');
  const results = RESULTS.map(({ title, url, words }) => ({ title, url, content: words, description: words }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(request.url?.startsWith('/brave') === true ? { web: { results } } : { results }));
});
const searxng = untilEnd(
  await startNetHands(net, { search: { kind: 'searxng', url: 'http://search.test/search', secret: null } }),
);
const brave = untilEnd(
  await startNetHands(net, { search: { kind: 'brave', url: 'http://search.test/brave', secret: 'brave-key' } }),
);

const SHOWN =
  /^\[1\] How to prune apples\nhttps:\/\/garden\.test\/prune\nIn winter\.\n\n\[2\] https:\/\/bare\.test\/\nhttps:\/\/bare\.test\/\n$/;

test('SearxNG is asked for JSON, and its results are web addresses with their excerpts', async () => {
  assert.match(await searxng.textOf('web_search', { query: 'prune apples' }), SHOWN);
  assert.deepEqual(asked.at(-1), { url: '/search?q=prune+apples&format=json', key: undefined });
  assert.deepEqual(searxng.lastEnd()?.report.opened, undefined, 'a result does not count as an opened page');
});

test('the request to Brave carries a placeholder that the broker replaces with the key', async () => {
  assert.match(await brave.textOf('web_search', { query: 'prune apples', count: 5 }), SHOWN);
  assert.deepEqual(asked.at(-1), { url: '/brave?q=prune+apples&count=5', key: 'hamlet-placeholder-brave-key' });
});

test('a village without a service offers no search', async () => {
  const bare = await startNetHands(net);
  try {
    await assert.rejects(bare.use('web_search', { query: 'apples' }), assert.AssertionError);
  } finally {
    await bare.remove();
  }
});

test('an answer of a refusing, busy or broken service names the cause', async () => {
  assert.equal(await searxng.codeOf('web_search', { query: 'forbidden' }), 'search_refused');
  assert.equal(await searxng.codeOf('web_search', { query: 'busy' }), 'search_busy');
  assert.equal(await searxng.codeOf('web_search', { query: 'broken' }), 'search_failed');
});

test('answers of any form give results within the limits, or none', () => {
  for (const answer of ['', 'null', '[]', '{}', '{"results":{}}', '{"results":[1]}'])
    assert.equal(resultsIn('searxng', answer, 3), null, answer);
  assert.deepEqual(resultsIn('brave', '{}', 3), []);
  const many = Array.from({ length: 50 }, (_, at) => ({ url: `https://a.test/${at}`, title: 'x'.repeat(9_999) }));
  const found = resultsIn('searxng', JSON.stringify({ results: many }), 3) ?? [];
  assert.deepEqual([found.length, found[0]?.title.length], [3, 300]);
  const { url } = searchRequest(
    { kind: 'searxng', url: 'http://s.test/search?safe=1', secret: null },
    { query: 'a&b=c', count: 1 },
  );
  assert.equal(url, 'http://s.test/search?safe=1&q=a%26b%3Dc&format=json');
});
