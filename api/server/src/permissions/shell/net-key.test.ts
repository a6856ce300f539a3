import assert from 'node:assert/strict';
import { test } from 'node:test';
import { netKeyOf } from './net-key.ts';

const key = (tool: string, value: unknown): string | null | undefined => {
  const found = netKeyOf(tool, value);
  return found?.kind === 'key' ? found.key : found?.kind;
};

test('a rule for a reading call never covers a sending one; the key of a sending call has method and origin', () => {
  const url = 'https://api.test:8443/v1?x=1';
  assert.equal(key('http', { url }), 'reads');
  assert.equal(key('http', { url, method: 'POST', body: '{}' }), 'POST https://api.test:8443');
  assert.equal(key('http', { url, method: 'DELETE' }), 'DELETE https://api.test:8443');
  assert.equal(key('http', { url, method: 'BREW' }), 'none');
  assert.equal(key('http', { method: 'POST' }), 'none');
  assert.equal(key('call_agent', { agent: 'weather', message: 'Now?', url }), 'none', 'no valid call');
  assert.equal(key('call_agent', { agent: 'weather', message: 'Now?' }), 'calls weather');
  assert.equal(key('browser_open', { url }), 'reads');
  assert.equal(key('browser_open', { url, sends: true }), 'sends https://api.test:8443');
  assert.equal(key('browser_click', { ref: 'e1' }), 'reads');
  assert.equal(key('browser_click', { ref: 'e1', sends: true }), 'none', 'the page may be any');
});

test('tools that send nothing have no separate key', () => {
  for (const tool of ['web_fetch', 'web_search', 'browser_read', 'say', 'shell', 'unknown'])
    assert.equal(netKeyOf(tool, {}), null, tool);
});
