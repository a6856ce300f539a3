import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf } from '../../testing/dice.ts';
import { randomWorkflow } from '../testing/random-workflow.ts';
import { SAMPLE_MANIFESTS } from '../testing/sample-manifests.ts';
import { MANIFEST_NAMES, MANIFESTS, type ManifestName } from './manifests.ts';
import { printManifest } from './print-manifest.ts';
import { readYaml } from './read-yaml.ts';

type Value = Readonly<Record<string, unknown>>;

function valueOf(name: ManifestName, text: string): Value {
  const read = readYaml(text);
  return read.ok ? MANIFESTS[name].parse(read.value) : assert.fail(JSON.stringify(read.problems));
}

for (const name of MANIFEST_NAMES)
  test(`${name} makes the round trip: create, print, validate, read`, () => {
    const value = valueOf(name, SAMPLE_MANIFESTS.get(name) ?? assert.fail());
    const printed = printManifest(name, value);
    assert.deepEqual(valueOf(name, printed), value);
    assert.equal(printManifest(name, valueOf(name, printed)), printed);
  });

test('fields with their default are left out, and known fields stand in the order of the schema', () => {
  const value = valueOf(
    'workflow.yaml',
    'workflow: { nodes: [{ role: linear, decides: false, id: a }], edges: [], id: w }',
  );
  assert.equal(
    printManifest('workflow.yaml', value),
    'workflow:\n  id: w\n  nodes:\n    - id: a\n      role: linear\n',
  );
});

test('random workflows make the round trip', () => {
  const dice = diceOf(28);
  for (let count = 0; count < 50; count += 1) {
    const value = MANIFESTS['workflow.yaml'].parse({ workflow: randomWorkflow(dice) });
    const printed = printManifest('workflow.yaml', value);
    assert.deepEqual(valueOf('workflow.yaml', printed), value, `case ${count}`);
  }
});

test('printed into the text before, an unchanged value changes nothing', () => {
  for (const [name, text] of SAMPLE_MANIFESTS) {
    const value = valueOf(name as ManifestName, text);
    const printed = printManifest(name as ManifestName, value, text);
    assert.deepEqual(valueOf(name as ManifestName, printed), value);
    assert.equal(printManifest(name as ManifestName, value, printed), printed);
    assert.deepEqual(commentsOf(printed), commentsOf(text));
  }
});

const commentsOf = (text: string): readonly string[] => text.match(/#.*/g) ?? [];

test('printed into the text before, comments, order and explicit defaults stay where nothing changed', () => {
  const before = `# The tools.
tools:
  # Reads.
  - id: read # by its path
    risk: low
    uses: filesystem.read_file
    timeout_s: 10 # seconds
  - { id: list, uses: filesystem.list }
`;
  const { tools } = MANIFESTS['tools.yaml'].parse(valueOf('tools.yaml', before));
  const run = MANIFESTS['tools.yaml'].parse({ tools: [{ id: 'run', uses: 'command.run' }] }).tools;
  const changed = { tools: [{ ...tools[0], timeout_s: 20 }, ...run] };
  assert.equal(
    printManifest('tools.yaml', changed, before),
    `# The tools.
tools:
  # Reads.
  - id: read # by its path
    risk: low
    uses: filesystem.read_file
    timeout_s: 20 # seconds
  - id: run
    uses: command.run
`,
  );
});
