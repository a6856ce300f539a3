import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { hamlet, scriptedVillage } from './testing/scripted-village.ts';

const AGENTS = `models: [{ id: fast, provider: openai, name: gpt-5-mini, api_key_env: OPENAI_API_KEY }]
agents:
  - { id: critic, description: Judges a text., instructions: Score the text from 1 to 5., model: fast }
`;
const WORKFLOW = `workflow:
  id: review
  description: Judges a text.
  nodes:
    - { id: judge, role: agent, agent: critic, decides: true }
    - { id: ship, role: linear, output: "='ship it'" }
    - { id: fix, role: linear, output: "='fix it'" }
  edges:
    - { from: judge, to: ship, type: conditional, when: "output.score >= 4" }
    - { from: judge, to: fix, type: conditional, otherwise: true }
`;
const folder = testFolder('workflow');
let folders = 0;

function folderWith(files: Readonly<Record<string, string>>): string {
  const dir = join(folder, `${(folders += 1)}`);
  mkdirSync(dir);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

const valid = folderWith({ 'agents.yaml': AGENTS, 'workflow.yaml': WORKFLOW, 'notes.txt': 'no manifest' });
const broken = folderWith({
  'agents.yaml': AGENTS.replace('instructions', 'instruction'),
  'workflow.yaml': WORKFLOW.replace('agent: critic', 'agent: crtic'),
});

test('validate says what valid manifests describe', async () => {
  const words = 'workflow review is valid: 3 nodes, 2 edges, 1 agent, 0 tools; pipeline default\n';
  assert.deepEqual(await hamlet(['workflow', 'validate', valid]), { code: 0, out: words, notes: '' });
  const { code, out } = await hamlet(['workflow', 'validate', valid, '-o', 'json']);
  assert.deepEqual([code, (JSON.parse(out) as { nodes: number }).nodes], [0, 3]);
});

test('validate prints each fault of all files with its place, its line and a hint, and exits 2', async () => {
  const { code, out, notes } = await hamlet(['workflow', 'validate', broken]);
  assert.deepEqual([code, out], [2, '']);
  assert.ok(notes.includes(`${broken}/agents.yaml:3:48: there is no key 'instruction' here`), notes);
  assert.ok(notes.includes(`${broken}/workflow.yaml:5:40: there is no agent 'crtic'\n  5 |     - { id: judge`), notes);
  assert.match(notes, / \|\s+\^\n {2}hint: Did you mean 'critic'\?/);
  const json = await hamlet(['workflow', 'validate', broken, '-o', 'json']);
  const { ok, errors } = JSON.parse(json.out) as { ok: boolean; errors: { code: string }[] };
  const codes = errors.map(({ code: each }) => each);
  assert.deepEqual([json.code, ok], [2, false]);
  assert.deepEqual(codes, ['config_schema', 'config_unknown_key', 'config_reference']);
});

test('a missing folder, another suffix and a manifest that is too large are refused with the fix', async () => {
  for (const [dir, words] of [
    [join(folder, 'none'), /none\/workflow\.yaml:1:1: the file is missing/],
    [folderWith({ 'workflow.yml': WORKFLOW }), /workflow\.yml:1:1: [^]*Rename it to workflow\.yaml/],
    [folderWith({ 'workflow.yaml': `${WORKFLOW}#${'x'.repeat(1_048_576)}` }), /larger than 1024 KiB: shorten/],
  ] as const) {
    const { code, notes } = await hamlet(['workflow', 'validate', dir]);
    assert.equal(code, 2);
    assert.match(notes, words);
  }
});

test('graph is a list of stages on a terminal, SVG in a pipe or a file, and the plan as JSON', async () => {
  const list = await hamlet(['workflow', 'graph', valid], { isInteractive: true });
  const [head, , ...rows] = list.out.trimEnd().split('\n');
  assert.equal(head, 'workflow review, pipeline default');
  assert.deepEqual(
    rows.map((row) => row.split(/ {3,}/)),
    [
      ['judge', 'agent, decides', 'agent critic', 'ship (output.score >= 4), fix (otherwise)'],
      ['ship', 'linear', "'ship it'", 'end'],
      ['fix', 'linear', "'fix it'", 'end'],
    ],
  );
  const picture = await hamlet(['workflow', 'graph', valid]);
  assert.match(picture.out, /^<svg [^]*judge[^]*<\/svg>\n$/);
  const file = join(folder, 'review.svg');
  assert.equal((await hamlet(['workflow', 'graph', valid, '-o', file])).notes, `wrote ${file}`);
  assert.equal(readFileSync(file, 'utf8'), picture.out);
  const { out } = await hamlet(['workflow', 'graph', valid, '-o', 'json']);
  assert.equal((JSON.parse(out) as { workflow: string }).workflow, 'review');
});

test('graph refuses faults, unknown pipelines and other kinds of files', async () => {
  for (const [words, message] of [
    [[broken], /workflow\.yaml:5:40/],
    [[valid, '--pipeline=fast'], /there is no pipeline 'fast'[^]*The pipelines are default/],
    [[valid, '-o', 'review.png'], /ends with \.svg/],
  ] as const) {
    const { code, notes } = await hamlet(['workflow', 'graph', ...words]);
    assert.equal(code, 2);
    assert.match(notes, message);
  }
});

/** A village in which the agent has these manifests. */
function villageWith(files: readonly { readonly path: string; readonly text: string }[], version: string | null) {
  const map = version === null ? null : 'ada-manifests';
  return scriptedVillage(({ route, body }) => {
    if (route === 'GET /agents/ada/manifests')
      return { status: 200, body: { config_map_name: map, version, files, problem: null } };
    if (route !== 'PUT /agents/ada/manifests') throw new Error(`unexpected: ${route}`);
    const { files: given } = body as { files: unknown };
    return { status: 200, body: { config_map_name: 'ada-manifests', version: '8', files: given, problem: null } };
  });
}

const OF_VALID = [
  { path: 'agents.yaml', text: AGENTS },
  { path: 'workflow.yaml', text: WORKFLOW },
];

test('apply replaces the version that it read with only the manifests of the folder', async () => {
  const { url, asked } = await villageWith([{ path: 'workflow.yaml', text: WORKFLOW }], '7');
  const { code, out } = await hamlet(['workflow', 'apply', 'ada', valid, '--force-conflicts'], { url });
  assert.equal(code, 0);
  assert.match(
    out,
    /^workflow review is valid: [^\n]*\nada has it from its next run on, in ConfigMap ada-manifests\n$/,
  );
  const route = 'PUT /agents/ada/manifests';
  assert.deepEqual(asked[1], { route, query: 'on_conflict=take_over', body: { files: OF_VALID, version: '7' } });
});

test('apply changes nothing if the agent has the same manifests, in any order', async () => {
  const { url, asked } = await villageWith(OF_VALID.toReversed(), '7');
  const { code, out } = await hamlet(['workflow', 'apply', 'ada', valid, '-o', 'json'], { url });
  assert.deepEqual([code, asked.length], [0, 1]);
  assert.deepEqual(JSON.parse(out), { agent: 'ada', changed: false, config_map_name: 'ada-manifests', problem: null });
});

test('apply asks the village nothing if the manifests are not valid or too large for it', async () => {
  const { url, asked } = await villageWith([], null);
  const long = folderWith({ 'agents.yaml': AGENTS, 'workflow.yaml': `${WORKFLOW}#${'x'.repeat(300_000)}\n` });
  for (const [dir, words] of [
    [broken, /there is no agent 'crtic'/],
    [long, /262144/],
  ] as const) {
    const { code, notes } = await hamlet(['workflow', 'apply', 'ada', dir], { url });
    assert.equal(code, 2);
    assert.match(notes, words);
  }
  assert.deepEqual(asked, []);
});
