/** The helm commands of docs/DEPLOYMENT.md render the charts, with a digest of the right form. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test } from '@hamlet/test/env/cluster-test';
import { parseAllDocuments } from 'yaml';
import { program } from '../../local/village/cluster.ts';
import { run } from '../../local/village/command.ts';
import { ROOT } from '../../local/village/paths.ts';
import type { Manifest } from './testing/render.ts';

const document = readFileSync(join(ROOT, 'docs/DEPLOYMENT.md'), 'utf8');
const IMAGE = `vllm/vllm-openai@sha256:${'0'.repeat(64)}`;
const INSTALL = 'helm upgrade --install ';

function commandsOf(section: string): readonly string[] {
  const [, text = ''] = new RegExp(`^##+ ${section}\n(.*?)(?=^##)`, 'ms').exec(document) ?? [];
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.startsWith(INSTALL));
}

async function rendered(command: string): Promise<readonly Manifest[]> {
  const template = command
    .replace(INSTALL, 'helm template ')
    .replace('sha256:DIGEST', IMAGE.slice(IMAGE.indexOf('sha256:')));
  const path = [dirname(await program('helm')), process.env['PATH']].join(delimiter);
  return parseAllDocuments(await run('sh', ['-c', template], { env: { PATH: path } })).flatMap(
    (each) => (each.toJS() as Manifest | null) ?? [],
  );
}

test('the commands for two DGX Sparks install the kinds, and a village with a server of the model on each', async () => {
  const [kinds = '', village = '', ...more] = commandsOf('Two DGX Sparks');
  assert.deepEqual(more, []);
  assert.ok((await rendered(kinds)).some(({ kind }) => kind === 'CustomResourceDefinition'));
  const manifests = await rendered(village);
  const specOf = (name: string) =>
    manifests.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === name)?.spec;
  assert.partialDeepStrictEqual(specOf('hamlet-model-local'), {
    replicas: 2,
    template: { spec: { runtimeClassName: 'nvidia', containers: [{ image: IMAGE }] } },
  });
  assert.partialDeepStrictEqual(specOf('hamlet-postgres'), {
    template: { spec: { nodeSelector: { 'kubernetes.io/hostname': 'spark1' } } },
  });
});

for (const section of ['On your cluster', 'A model on your own GPU'])
  test(`the commands of "${section}" render`, async () => {
    const commands = commandsOf(section);
    assert.ok(commands.length > 0);
    for (const command of commands) assert.ok((await rendered(command)).length > 0, command);
  });
