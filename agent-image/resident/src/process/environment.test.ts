import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helpText, parseEnvironment } from './environment.ts';

const NEEDED = { HAMLET_API_URL: 'http://hamlet-api-agents:8081', HAMLET_AGENT_ID: 'ada', HAMLET_AGENT_TOKEN: 'token' };

test('the required variables suffice; the defaults of the others are the folders of the image', () => {
  const parsed = parseEnvironment(NEEDED);
  assert.ok(parsed.ok);
  assert.equal(parsed.env.HAMLET_STATE_DIR, '/var/lib/hamlet');
  assert.equal(parsed.env.HAMLET_MEMORY_DIR, '/root/.mcp-memory');
  assert.equal(parsed.env.HAMLET_CYCLE, undefined);
});

const WRONG: readonly (readonly [string, NodeJS.ProcessEnv, RegExp])[] = [
  ['no api', { ...NEEDED, HAMLET_API_URL: undefined }, /HAMLET_API_URL/],
  ['an API that is not a URL', { ...NEEDED, HAMLET_API_URL: 'hamlet' }, /HAMLET_API_URL/],
  ['a cycle that is not a number', { ...NEEDED, HAMLET_CYCLE: 'two' }, /HAMLET_CYCLE/],
  ['no token', { ...NEEDED, HAMLET_AGENT_TOKEN: undefined }, /HAMLET_TOKEN_FILE or HAMLET_AGENT_TOKEN/],
  ['two tokens', { ...NEEDED, HAMLET_TOKEN_FILE: '/token' }, /HAMLET_TOKEN_FILE or HAMLET_AGENT_TOKEN/],
];
for (const [name, variables, message] of WRONG) {
  test(`refused: ${name}`, () => {
    const parsed = parseEnvironment(variables);
    assert.ok(!parsed.ok);
    assert.match(parsed.message, message);
  });
}

test('the help lists every variable', () => {
  for (const name of ['HAMLET_API_URL', 'HAMLET_AGENT_ID', 'HAMLET_CYCLE', 'HAMLET_TOKEN_FILE', 'HAMLET_STATE_DIR'])
    assert.match(helpText(), new RegExp(`  ${name} .*\\w`));
});
