/** The image of agents by the values of the chart. */
import assert from 'node:assert/strict';
import { before, test } from '@hamlet/test/env/cluster-test';
import { join } from 'node:path';
import { program } from '../../local/village/cluster.ts';
import { run } from '../../local/village/command.ts';
import { ROOT } from '../../local/village/paths.ts';

let helm = '';
before(async () => {
  helm = await program('helm');
});

async function imageOf(...values: readonly string[]): Promise<string | undefined> {
  const flags = ['image.tag=v9', ...values].flatMap((value) => ['--set', value]);
  const only = ['--show-only', 'templates/operator.yaml'];
  const text = await run(helm, ['template', 'hamlet', join(ROOT, 'charts/hamlet'), ...only, ...flags]);
  return /HAMLET_AGENT_IMAGE, value: (\S+)|HAMLET_AGENT_IMAGE\n\s+value: (\S+)/.exec(text)?.slice(1).find(Boolean);
}

test('agents have the full image, or the slim one by a value, or any other by its reference', async () => {
  assert.equal(await imageOf(), 'hamlet/agent:v9');
  assert.equal(await imageOf('agentPods.tools=slim'), 'hamlet/agent:v9-slim');
  assert.equal(await imageOf('agentPods.tools=slim', 'images.agent=x/y:z'), 'x/y:z');
});
