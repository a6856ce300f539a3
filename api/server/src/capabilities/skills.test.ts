/** Skills across the whole village: a ConfigMap, an image, a resident's process, the API, and a scripted model that uses them. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { reportCapabilities, type SkillSet } from '@hamlet/contract';
import { mindIn } from '@hamlet/core';
import { KubeError } from '@hamlet/kube';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { untilEnd, setVariables } from '@hamlet/test/env/at-end';
import { pluck } from '@hamlet/test/env/pluck';
import { refused } from '../http/outcome.ts';
import { wireModels } from '../gateway/testing/wire-models.ts';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { testResidents } from '../testing/resident-process.ts';
import { eventually, testVillage } from '../testing/test-village.ts';
import { summaryOf } from './capability-handlers.ts';
import { IMAGE_SKILLS, offeredSkill, offeredSkillHandlers } from './offered-skills.ts';
import { filesOfMap } from './skill-maps.ts';
import { called, said, startMind } from '../runs/testing/call-mind.ts';
import { payForModels } from '../testing/hands-village.ts';

const ADA = `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: ada }
spec:
  entitlement: { policy: Pinned, name: tier-1 }
  skills:
    - { name: write-a-patch }
    - { name: house-style, from: ConfigMap, configMapName: house }
    - { name: lost, from: ConfigMap, configMapName: nowhere }
`;
const map = (words: string, label = 'true'): string => `apiVersion: v1
kind: ConfigMap
metadata: { name: house, labels: { hamlet.village/skill: '${label}' } }
data:
  SKILL.md: |
    ---
    name: house-style
    description: How texts of this house are written.
    ---
    ${words}
  words.md: Say walnut.
`;

/** The newest system prompt of a run with tools. */
let system = '';

/** Reads the skill, then its second file, and answers with the text of both. */
const reader = startMind((request) => {
  system = request.system;
  const why = 'The person asks for a text with the key sk-ant-secret0123456789abcdef.';
  if (request.results.length === 0) return called(['load_skill', { name: 'house-style', why }]);
  if (request.results.length === 1) return called(['read_skill_file', { name: 'house-style', path: 'words.md' }]);
  return said(`Read: ${request.results.join(' + ')}`);
});

const say = (words: string, label?: string) => writeFile(join(samples, 'skill-house.yaml'), map(words, label));

setVariables({ HAMLET_SKILLS_DIR: resolve(import.meta.dirname, '../../../../agent-image/skills') });
const mind = untilEnd(await reader);
const village = await testVillage({ villageSpeed: 20 });
const samples = village.samples;
await village.writeSample('good-agent-ada.yaml', ADA);
await say('Write short sentences.');
const runs = new RunPlay((await village.startReplica({}, { models: wireModels(mind.url) })).peopleUrl);
const residents = testResidents(runs.play, ['ada']);
await payForModels(runs.play, ['ada']);

const params = { agent_id: 'ada' };
async function read(): Promise<{ readonly summary: string; readonly set: SkillSet }> {
  const { run_id } = await runs.give('ada', 'Write a text in the style of the house.');
  const run = await runs.ended(run_id);
  assert.equal(run.state, 'done', JSON.stringify(run.error));
  const { runs: sets } = await runs.play.admin.listSkills({ ...params, run_id });
  assert.ok(sets[0]);
  return { summary: run.summary ?? '', set: sets[0] };
}

test('a model reads a skill step by step; people see version, time and reason; equal files have equal set hashes', async () => {
  await residents.start('ada');
  const first = await read();
  assert.match(
    first.summary,
    /Skill house-style, version [0-9a-f]{12}:\s+Write short sentences\..*words\.md.*Say walnut/s,
  );
  assert.match(system, /# Skills\n## house-style\nHow texts of this house[^]*## write-a-patch\nTurn a change/);
  assert.ok(!system.includes('Write short sentences') && !system.includes('lost'), 'the prompt has no instructions');
  const [house, patch, ...others] = first.set.skills;
  assert.deepEqual(
    [house?.name, house?.from, patch?.name, patch?.loaded_at, others.length],
    ['house-style', 'config_map', 'write-a-patch', null, 0],
  );
  assert.ok(house?.loaded_at !== null && house?.call_id !== null);
  assert.match(house?.why ?? '', /The person asks/);
  assert.ok(!house?.why?.includes('secret0123'), 'a secret in a reason is not stored');
  const starts = (await runs.events(first.set.run_id)).filter(({ event }) => event === 'started');
  assert.deepEqual(
    starts.map(({ detail }) => mindIn(detail)?.runtime),
    ['engine'],
  );
  assert.equal((await read()).set.sha256, first.set.sha256);
  await say('Write long sentences.');
  const third = await read();
  assert.match(third.summary, /Write long sentences/);
  assert.notEqual(third.set.sha256, first.set.sha256);
  const { skills, runs: sets } = await runs.play.admin.listSkills(params);
  assert.equal(sets.length, 3);
  assert.deepEqual(pluck(skills, 'name', 'state'), [
    ['house-style', 'ready'],
    ['lost', 'broken'],
    ['write-a-patch', 'ready'],
  ]);
  assert.match(skills[1]?.problem ?? '', /There is no ConfigMap nowhere/);
  await say('Write short sentences.');
});

test("a model's reason belongs to the texts of its run: other members do not see it", async () => {
  const grace = await firstAdmin(runs.play.url);
  const noah = await invite(grace, runs.play.url, { name: 'Noah', role: 'member' });
  const { skills, runs: sets } = await noah.client.listSkills(params);
  assert.equal(skills.length, 3);
  for (const { skills: used } of sets)
    for (const { name, why, loaded_at } of used)
      assert.deepEqual([why, loaded_at === null], [null, name === 'write-a-patch'], name);
});

test('people see which capabilities the resident found, and how to fix a broken skill', async () => {
  await residents.start('ada');
  const found = await eventually('the report', async () => {
    const report = await runs.play.admin.getCapabilities(params);
    return report.capabilities.length > 0 && report;
  });
  const states = found.capabilities.map(({ kind, name, ok }) => `${kind} ${name} ${ok}`);
  for (const state of ['model', 'workspace', 'memory'].map((kind) => `${kind} ${kind} true`))
    assert.ok(states.includes(state), states.join(', '));
  assert.ok(states.includes('skill write-a-patch true') && states.includes('skill lost false'), states.join(', '));
  assert.equal(
    (await runs.play.agent('ada')).mind?.runtime,
    'engine',
    'the agent names the mind that its pod reported',
  );
});

test("all attempts of a run use the skill versions of the first; only the run's agent sets and reads them", async () => {
  const ada = runs.play.as('ada');
  const { run_id } = await runs.give('ada', 'Wait.');
  const { run } = dataOf(await runs.start('ada', run_id));
  const claim = { cycle: run.cycle ?? 0, attempt: run.attempt };
  const skill = { name: 'b', from: 'image' as const, sha256: 'a'.repeat(64) };
  const pin = async (skills: readonly (typeof skill)[], as = ada) =>
    as.pinSkills({ run_id, ...claim, skills: [...skills] });
  const load = (name: string) => ada.loadSkill({ run_id, skill: name, ...claim, call_id: '1.0', why: 'x' });
  await refuses(load('b'), 'no_such_skill');
  const pinned = (await pin([skill, { ...skill, name: 'a' }])).skills;
  assert.deepEqual(pluck(pinned, 'name'), ['a', 'b']);
  assert.deepEqual((await pin([{ ...skill, sha256: 'b'.repeat(64) }])).skills, pinned);
  assert.deepEqual(await load('b'), { sha256: 'a'.repeat(64) });
  await refuses(load('c'), 'no_such_skill');
  await refuses(pin([skill], runs.play.as('bob')), 'not_own_agent');
  await runs.settle('ada', run_id, { state: 'failed', summary: 'x' });
});

test('the API serves files only of labelled ConfigMaps that the Agent names', async () => {
  const ada = runs.play.as('ada');
  const files = (skill: string) => ada.readSkillFiles({ ...params, skill });
  assert.deepEqual(pluck((await files('house-style')).files, 'path'), ['SKILL.md', 'words.md']);
  await refuses(files('write-a-patch'), 'no_such_skill');
  await refuses(files('lost'), 'skill_unusable');
  await say('x', 'false');
  await refuses(files('house-style'), 'skill_unusable');
  const { skills } = await ada.getAgentConfig(params);
  assert.deepEqual(skills[0], { name: 'write-a-patch', from: 'image', sha256: null });
});

test('an admin sees which skills an agent can have, page by page, with the fix of a broken one', async () => {
  await say('Write short sentences.');
  const broken = { metadata: { name: 'long', labels: { 'hamlet.village/skill': 'true' } }, data: { a: 'x' } };
  await writeFile(join(samples, 'skill-long.yaml'), JSON.stringify(broken));
  const first = await runs.play.admin.listOfferedSkills({ limit: 1 });
  assert.deepEqual(pluck(first.skills, 'name', 'from'), [
    ...Object.keys(IMAGE_SKILLS).map((name) => [name, 'image']),
    ['house-style', 'config_map'],
  ]);
  assert.equal(first.skills.at(-1)?.description, 'How texts of this house are written.');
  const second = await runs.play.admin.listOfferedSkills({ limit: 1, cursor: first.next_cursor ?? '' });
  assert.deepEqual(pluck(second.skills, 'name', 'problem'), [['long', 'ConfigMap long has no SKILL.md: add one']]);
  await refuses(runs.play.admin.raw.listOfferedSkills({ cursor: 'x' }), 'cursor_invalid');
});

test('a page that Kubernetes has forgotten, or has not given, is refused as a wrong cursor', async () => {
  for (const status of [400, 410]) {
    const list = (): Promise<never> => Promise.reject(new KubeError({ status, reason: 'Expired', message: 'x' }));
    const skillMaps = { read: async () => ({ ok: false, problem: 'x' }) as const, list };
    const { run } = offeredSkillHandlers({ skillMaps }).listOfferedSkills;
    assert.deepEqual(await run({ query: { limit: 1 } } as never), refused('cursor_invalid'));
  }
});

test("the offered skills of the image are those in the image's folder, with their descriptions", async () => {
  const folder = resolve(import.meta.dirname, '../../../../agent-image/skills');
  const files = await Promise.all(
    (await readdir(folder)).toSorted().map(async (name) => {
      const metadata = { name, uid: 'u', resourceVersion: '1', labels: { 'hamlet.village/skill': 'true' } };
      return offeredSkill({ metadata, data: { 'SKILL.md': await readFile(join(folder, name, 'SKILL.md'), 'utf8') } });
    }),
  );
  assert.deepEqual(Object.fromEntries(files.map(({ name, description }) => [name, description])), IMAGE_SKILLS);
});

test('front matter with thousands of keys, or of nested collections, is not parsed: it would keep the API busy for minutes', async () => {
  const metadata = { name: 'm', uid: 'u', resourceVersion: '1', labels: { 'hamlet.village/skill': 'true' } };
  const keys = Array.from({ length: 8_000 }, (_, at) => `k${at}:`).join('\n');
  const text = (more: string) => `---\nname: m\ndescription: Words.\n${more}\n---\nWrite.`;
  const problem = async (more: string) => (await offeredSkill({ metadata, data: { 'SKILL.md': text(more) } })).problem;
  assert.equal(await problem('license: MIT'), null);
  for (const more of [keys, '? '.repeat(500), `x: ${'{'.repeat(3_000)}`])
    assert.match((await problem(more)) ?? '', /write name and a description/);
});

test('a ConfigMap with binary files, hidden names or too much text is not a valid skill', () => {
  const metadata = { name: 'm', uid: 'u', labels: { 'hamlet.village/skill': 'true' } };
  const problem = (data: Record<string, string>, binaryData: Record<string, string> = {}) => {
    const read = filesOfMap({ metadata: { ...metadata, resourceVersion: '1' }, data, binaryData });
    return read.ok ? 'whole' : read.problem;
  };
  assert.equal(problem({ 'SKILL.md': 'x' }), 'whole');
  assert.match(problem({}, { a: 'AA==' }), /binary/);
  assert.match(problem({ '.hidden': 'x' }), /rename \.hidden/);
  assert.match(problem({ a: 'x'.repeat(65_537) }), /to 65536/);
  assert.match(problem(Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`f${at}`, 'x']))), /more than 32/);
  assert.match(
    problem(Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`f${at}`, 'x'.repeat(60_000)]))),
    /to 262144/,
  );
});

test('a report of an earlier cycle is refused, an equal report changes nothing, and the summary fits in a condition', async () => {
  const ada = runs.play.as('ada');
  const { cycle } = await runs.play.agent('ada');
  const report = (at: number) => ({
    params,
    body: {
      cycle: at,
      capabilities: [{ kind: 'git' as const, name: 'git', ok: true, why: 'there', fix: null }],
      skills: [],
    },
  });
  await refuses(ada.call(reportCapabilities, report(cycle + 1)), 'stale_cycle');
  assert.deepEqual(dataOf(await ada.call(reportCapabilities, report(cycle))), { stored: true });
  assert.deepEqual(dataOf(await ada.call(reportCapabilities, report(cycle))), { stored: false });
  const changed = { ...report(cycle), body: { ...report(cycle).body, capabilities: [] } };
  assert.deepEqual(dataOf(await ada.call(reportCapabilities, changed)), { stored: false }, 'no flood of changes');
  const lost = { kind: 'mcp' as const, name: 'files', ok: false, why: 'w'.repeat(300), fix: 'f'.repeat(300) };
  const { broken, message } = summaryOf({
    agentId: 'ada',
    uid: 'u',
    cycle,
    capabilities: Array.from({ length: 48 }, () => lost),
  });
  assert.deepEqual([broken, message.length], [48, 400]);
  const two = summaryOf({
    agentId: 'ada',
    uid: 'u',
    cycle,
    capabilities: [
      { ...lost, why: 'died', fix: null },
      { ...lost, why: 'w'.repeat(250), fix: 'f'.repeat(200) },
    ],
  });
  assert.equal(two.message, 'mcp files: died (and 1 more)');
});
