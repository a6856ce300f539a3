/** The prompt lists what the hands have, and nothing else. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { KNOWN_PROGRAMS, surveyHands } from '../hands/survey-hands.ts';
import { aConfig } from '../testing/a-village.ts';
import { machineInWords, type Machine } from './machine.ts';
import { promptOf } from './prompt.ts';

const FULL: Machine = {
  hands: { programs: KNOWN_PROGRAMS, hasGuide: true },
  workspace: '/workspace',
  home: '/root',
  hasWayOut: true,
  tools: ['say', 'shell', 'read_file', 'mcp__files__read', 'mcp__files__write', 'mcp__web__open'],
};
const words = (changes: Partial<Machine>, config = aConfig()): string =>
  machineInWords({ ...FULL, ...changes }, config);

const hands = untilEnd(await startHands());

test('a full machine with a way out lists its tools, programs, servers, permissions and rules', () => {
  const said = words({});
  for (const part of [
    'shell, read_file.',
    'chromium',
    'files, web',
    '/workspace',
    'waits for a person',
    '/app/AGENTS.md',
  ])
    assert.ok(said.includes(part), part);
  assert.ok(!said.includes('lacks') && !said.includes('say,'), said);
});

test('a machine without a program, a way out or a guide does not promise them', () => {
  const slim = words({ hands: { programs: ['python3', 'curl'], hasGuide: false }, hasWayOut: false, tools: ['shell'] });
  assert.match(slim, /It has python3, curl\. It lacks .*chromium/);
  assert.match(slim, /no download, no clone/);
  for (const part of ['git pull', 'repository is', 'install', 'MCP', '/app/', 'waits for a person'])
    assert.ok(!slim.includes(part), part);
});

test('an agent reads which network tools are missing: a search service, a browser', () => {
  const tools = ['shell', 'web_fetch', 'browser_open'];
  assert.match(words({ tools }), /needs a tier with 2Gi[^]*You cannot search the web[^]*admin can connect/);
  assert.match(words({ tools: [...tools, 'web_search'] }), /Find pages with web_search\./);
  const slim = words({ tools, hands: { programs: ['curl'], hasGuide: true } });
  assert.match(slim, /This image has no browser/);
  assert.ok(!words({}).includes('web_fetch'), 'missing tools are not listed');
});

test('an agent reads the placeholders of its secrets and how to use one with gh; without a way out there are none', () => {
  const secrets = [
    { host: 'api.github.com', name: 'team' },
    { host: 'api.example.org', name: 'ada-key' },
  ];
  const config = { ...aConfig(), secrets };
  assert.match(
    words({}, config),
    /hamlet-placeholder-team at api\.github\.com \(gh: GH_TOKEN=hamlet-placeholder-team\); hamlet-placeholder-ada-key at api\.example\.org\./,
  );
  assert.ok(!words({ hasWayOut: false }, config).includes('placeholder'));
  assert.ok(!words({}).includes('placeholder'));
});

test('an agent reads that it has no hands, or that its hands do not answer', () => {
  const none = words({ hands: null, tools: ['say', 'mcp__web__open'] });
  assert.match(none, /no machine: no shell/);
  assert.match(none, /web\.$/);
  assert.ok(!none.includes('/workspace'));
  const silent = words({ hands: 'silent' });
  assert.match(silent, /does not answer now/);
  assert.ok(!silent.includes('It has'));
});

test('the description of the machine is in the cacheable half of the prompt', () => {
  const circumstances = { config: aConfig(), standing: null, world: null, people: ['Bob'], asker: 'Bob', offer: null };
  const { stable, situation } = promptOf({ ...circumstances, machine: words({}) });
  assert.match(stable, /# Instructions[\s\S]*# Machine\nYou have a machine/);
  assert.ok(!situation.includes('machine'));
  assert.ok(!promptOf(circumstances).stable.includes('# Machine'));
});

test('the prompt and the image have the same rules', () => {
  const image = readFileSync(join(import.meta.dirname, '../../../AGENTS.md'), 'utf8').replaceAll(/\s+/g, ' ');
  for (const part of [
    'git pull',
    'git stash',
    'After three tries, stop',
    'disk is full',
    'timed out three times in a row',
  ])
    assert.ok(image.includes(part) && words({}).includes(part), part);
});

test('only requested programs in the output of the hands count', async () => {
  const folder = join(hands.workspace, 'bin');
  mkdirSync(folder);
  for (const name of ['gh', 'jq', 'rm']) writeFileSync(join(folder, name), '', { mode: 0o755 });
  assert.deepEqual(await surveyHands(hands.socket, () => ({ PATH: folder })), {
    programs: ['gh', 'jq'],
    hasGuide: false,
  });
  const found = await surveyHands(hands.socket, () => ({}));
  assert.ok(found.programs.includes('node') && found.programs.length > 2);
});
