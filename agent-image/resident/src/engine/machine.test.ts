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
import type { RunTools } from '../toolset/tool-rules.ts';
import { workInWords } from './work-rules.ts';

const FULL: Machine = {
  hands: { programs: KNOWN_PROGRAMS, hasGuide: true },
  workspace: '/workspace',
  home: '/root',
  hasWayOut: true,
  tools: ['shell', 'web_search'],
};
const words = (changes: Partial<Machine>, config = aConfig()): string =>
  machineInWords({ ...FULL, ...changes }, config);

const TOOLS: RunTools = {
  shown: ['shell', 'edit_file', 'todo', 'ask_human', 'deliver', 'find_tools'],
  more: ['village'],
  asking: ['git'],
  asksToSend: true,
};

const hands = untilEnd(await startHands());

test('a full machine with a way out lists its programs, its folders and the rules of the way out', () => {
  const said = words({});
  for (const part of ['playwright', 'chromium', 'lacks', 'cannot search']) assert.ok(!said.includes(part), part);
  for (const part of ['git, gh, rg', '/workspace', 'only the hosts', '/app/AGENTS.md'])
    assert.ok(said.includes(part), part);
});

test('a machine without a program, a way out or a guide does not promise them', () => {
  const slim = words({ hands: { programs: ['python3', 'curl'], hasGuide: false }, hasWayOut: false, tools: ['shell'] });
  assert.match(slim, /It has curl, python3\. It lacks git, /);
  assert.match(slim, /no download, no clone/);
  for (const part of ['git pull', 'repository is', 'only the hosts', '/app/', 'cannot search'])
    assert.ok(!slim.includes(part), part);
});

test('an agent reads that the village has no search service', () => {
  assert.match(words({ tools: ['shell'] }), /no search service, which an admin can connect/);
});

test('the rules of work name only tools that the run has', () => {
  const all = workInWords(TOOLS);
  for (const name of TOOLS.shown) assert.ok(all.includes(name), name);
  assert.match(all, /A person must allow: git, what sends something out of the village/);
  assert.match(all, /find_tools has more tools: village\./);
  const few = workInWords({ shown: ['read_file'], more: [], asking: [], asksToSend: false });
  for (const name of [...TOOLS.shown, 'must allow']) assert.ok(!few.includes(name), few);
  assert.match(few, /An answer without a call ends this run[^]*A refusal is final[^]*To finish, answer/);
});

test('an agent reads the placeholders of its secrets and how to use one with gh; without a way out it has no placeholders', () => {
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
  const none = words({ hands: null, tools: ['say'] });
  assert.match(none, /no machine: no shell/);
  assert.ok(!none.includes('/workspace'));
  const silent = words({ hands: 'silent' });
  assert.match(silent, /does not answer now/);
  assert.ok(!silent.includes('It has'));
});

test('work and machine are in the cacheable half of the prompt, and speech has neither', () => {
  const circumstances = { config: aConfig(), standing: null, world: null, people: ['Bob'], asker: 'Bob', offer: null };
  const { stable, situation } = promptOf({ ...circumstances, work: workInWords(TOOLS), machine: words({}) });
  assert.match(stable, /# Work\nWork with your tools[\s\S]*# Machine\nYour machine/);
  assert.ok(!situation.includes('machine'));
  const speech = promptOf(circumstances).stable;
  assert.ok(!/# Machine|your tools/.test(speech), speech);
});

test('the prompt, the image and its skills have the same rules', () => {
  const folder = join(import.meta.dirname, '../../..');
  const image = readFileSync(join(folder, 'AGENTS.md'), 'utf8').replaceAll(/\s+/g, ' ');
  const prompt = [words({}), workInWords(TOOLS)].join('\n');
  for (const part of [
    'what you understood, and what you will hand over',
    'git pull',
    'git stash',
    'An answer without a call ends',
    'what can be undone and concerns only',
    'three attempts bring nothing new',
    'A refusal is final',
    'before you say that it works',
    'wait_for',
    'deliver',
    'todo',
  ])
    assert.ok(image.includes(part) && prompt.includes(part), part);
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
