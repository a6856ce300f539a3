/**
 * The agent image in a real pod: every tool that it names, the browser, each MCP server, and runtimes, which the
 * Agent's configuration selects.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT } from '../../local/village/paths.ts';
import { ownTier } from '../env/cluster/own-tier.ts';
import { until } from '../env/until.ts';
import { agentOf, applyAgent, deleteAgents, untilReady, village, type Village } from '../env/village.ts';

const NAME = `tess-${process.pid}`;
/** The browser needs 2Gi. No balance opens this tier, and it costs nothing. */
const TIER = `browser-${process.pid}`;
const TIER_MANIFEST = ownTier(TIER, { models: ['small'], cpu: '250m', memory: '2Gi' });

let place: Village;

const apply = (runtime: object): Promise<void> =>
  applyAgent(place, NAME, { entitlement: { policy: 'Pinned', name: TIER }, runtime });

before(async () => {
  place = await village();
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(TIER_MANIFEST));
  await apply({ name: 'stub' });
  await untilReady(place, NAME);
});
after(async () => {
  await deleteAgents(place, [NAME]);
  await place.tryKubectl(['delete', 'entitlement', TIER, '--ignore-not-found']);
});

async function exec(container: 'resident' | 'hands', ...command: string[]): Promise<string> {
  const pod = (await agentOf(place, NAME))?.pod ?? '';
  return place.kubectl(['exec', pod, '-c', container, '--', ...command]);
}

/** The agent's answer to a message in a new conversation. */
async function answerTo(text: string): Promise<string> {
  const { session } = await place.admin.createSession({ agent_id: NAME, title: text.slice(0, 40) });
  const { session_id } = session;
  await place.admin.sendMessage({ session_id, text });
  return until('the agent answers', async () => {
    const { messages } = await place.admin.listMessages({ session_id });
    return messages.find(({ author }) => author.role === 'agent')?.text;
  });
}

test('without a model, the stub runtime echoes the prompt, and the pod can write its memory', async () => {
  const answer = await answerTo('Echo: hello from the village');
  assert.match(answer, /^\[STUB RESPONSE\]/);
  assert.match(answer, /Echo: hello from the village/);
  await exec('resident', 'sh', '-c', 'touch /root/.mcp-memory/probe && rm /root/.mcp-memory/probe');
  await exec('hands', 'sh', '-c', 'touch /workspace/probe && rm /workspace/probe');
});

test('the image has each tool that it names, and the files that an agent reads first', async () => {
  const tools = readFileSync(join(ROOT, 'agent-image/base/full.md'), 'utf8');
  const rows = tools.split('\n').filter((line) => /^\| [A-Z a-z+.0-9]+ \|/.test(line));
  const names = rows.flatMap((row) => [...row.matchAll(/`([a-z][a-z0-9+-]*)`/g)].map(([, name = '']) => name));
  assert.ok(names.length > 25, `${names.length} tools`);
  const missing = await exec(
    'hands',
    'sh',
    '-c',
    `for t in ${names.join(' ')}; do command -v $t >/dev/null || echo $t; done`,
  );
  assert.equal(missing, '');
  await exec(
    'hands',
    'test',
    '-s',
    '/app/AGENTS.md',
    '-a',
    '-s',
    '/app/memory-seed.json',
    '-a',
    '-s',
    '/app/docs/ai/README.md',
    '-a',
    '-s',
    '/app/skills/write-a-patch/SKILL.md',
  );
  const [node = '', python = ''] = (await exec('hands', 'sh', '-c', 'node --version; python --version')).split('\n');
  assert.ok(Number(/^v(\d+)/.exec(node)?.[1]) >= 22, node);
  assert.match(python, /^Python 3\.11\./);
});

test('the image compiles C and creates a Python environment with pip', async () => {
  const C =
    'printf \'#include <stdio.h>\\nint main(void){puts("compiled");}\\n\' >/tmp/a.c && cc -o /tmp/a /tmp/a.c && /tmp/a';
  assert.equal(await exec('hands', 'sh', '-c', C), 'compiled');
  const pip = await exec('hands', 'sh', '-c', 'python3 -m venv /tmp/env && /tmp/env/bin/pip --version');
  assert.match(pip, /python 3\.11/);
});

const FILL_IN = `
  const { chromium } = require('playwright');
  (async () => {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
    const page = await browser.newPage();
    await page.setContent('<form onsubmit="event.preventDefault(); document.title = this.word.value"><input name="word"><button>Send</button></form>');
    await page.fill('input', 'filled in');
    await page.click('button');
    console.log(await page.title());
    await browser.close();
  })();`;

test('the browser opens a page and fills in a form', async () => {
  assert.equal(await exec('hands', 'node', '-e', FILL_IN), 'filled in');
});

/** Starts an MCP server of /app/mcp-servers.json, initializes it, and prints the number of its tools. */
const LIST_TOOLS = `
  const { command, args, env } = require('/app/mcp-servers.json')[process.argv[1]];
  const server = require('node:child_process').spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  let text = '';
  server.stdout.on('data', (data) => {
    text += data;
    const lines = text.split('\\n');
    text = lines.pop();
    for (const message of lines.filter((line) => line !== '').map((line) => JSON.parse(line))) {
      if (message.id === 1) {
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/list', params: {} });
      }
      if (message.id === 2) {
        console.log(message.result.tools.length);
        server.kill();
        process.exit(0);
      }
    }
  });
  send({ id: 1, method: 'initialize', params });`;

for (const server of Object.keys(
  JSON.parse(readFileSync(join(ROOT, 'agent-image/base/mcp-servers.json'), 'utf8')) as object,
))
  test(`the MCP server ${server} lists its tools`, async () => {
    assert.ok(Number(await exec('hands', 'timeout', '60', 'node', '-e', LIST_TOOLS, server)) > 1);
  });

test('the configuration of the Agent selects its runtime: stub, engine or command', async () => {
  await apply({ name: 'engine' });
  await until('the engine answers', async () => {
    const answer = await answerTo('Who are you?');
    return answer.includes('[STUB RESPONSE]') ? undefined : answer;
  });
  await apply({ name: 'command', config: { command: 'sh', args: '-c\ncat; echo from a program' } });
  const answer = await until('the program answers', async () => {
    const said = await answerTo('Words');
    return said.includes('from a program') ? said : undefined;
  });
  assert.match(answer, /Words/);
});
