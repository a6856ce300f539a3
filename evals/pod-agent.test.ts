import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Agent } from '@hamlet/contract/kinds';
import type { CallInput, Client, RouteSpec } from '@hamlet/contract';
import { testFolder } from '@hamlet/test/env/at-end';
import { openPodAgent, type PodAgentOptions } from './pod-agent.ts';

/** Notes each call, and runs the commands of `exec` here. */
const KUBECTL = `#!/bin/bash
echo "$*" | head -1 >>"$0.calls"
case $3 in
  apply) cat >"$0.manifest" ;;
  exec) while [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;
esac
`;

const MODEL: PodAgentOptions['model'] = {
  server: { kind: 'compatible', base_url: 'http://10.89.0.1:4000/v1', key: 'sk-12345678' },
  offer: { model: 'qwen3-30b', context_tokens: 32_768 },
  close: () => undefined,
};

type Answer = { readonly ok: true; readonly data: object } | { readonly ok: false; readonly problem: object };
const ok = (data: object): Answer => ({ ok: true, data });
const refused = (code: string): Answer => ({ ok: false, problem: { code, detail: code } });

/** A village whose API gives the answers of each route in order, and the last one from then on. It parses bodies as the API does. */
function pretendVillage(answers: Readonly<Record<string, Answer[]>>) {
  const folder = testFolder('eval-kubectl');
  const kubectl = join(folder, 'kubectl');
  writeFileSync(kubectl, KUBECTL, { mode: 0o755 });
  const asked: (readonly [string, unknown])[] = [];
  const call = async (route: RouteSpec & { readonly name: string }, input: Partial<CallInput<RouteSpec>>) => {
    const { body } = input as { body?: unknown };
    asked.push([route.name, route.body?.parse(body) ?? input]);
    const left = answers[route.name] ?? [ok({})];
    return left.length > 1 ? left.shift() : left[0];
  };
  const place = { kubectl, helm: '', kubeconfig: undefined, namespace: 'shire' };
  const read = (name: string): string => readFileSync(`${kubectl}.${name}`, 'utf8');
  return { village: { client: { call } as unknown as Client, place }, asked, read };
}

const online = (pod: string): Answer => ok({ why: { ready: true }, status: { online: true }, pod });
const STARTING = ok({ why: { ready: false }, status: { online: false }, pod: null });
const options = { money: '50', model: MODEL, signal: new AbortController().signal };

test('an agent gets its manifest, only the tested model, its money and hands in its present pod, and is deleted', async () => {
  const { village, asked, read } = pretendVillage({
    putModelCredential: [refused('no_such_agent'), ok({})],
    getAgent: [STARTING, online('eval-1'), online('eval-2')],
  });
  const agent = await openPodAgent({ ...village, ...options });
  const manifest = Agent.parse(JSON.parse(read('manifest')));
  assert.equal(manifest.metadata.name, agent.agentId);
  const { output } = await agent.hands('read word; echo "$word from $0"', { input: 'hello\n' });
  assert.equal(output, 'hello from bash\n');
  await agent.close();
  const calls = read('calls').trim().split('\n');
  assert.deepEqual(calls, [
    '--namespace shire apply -f -',
    '--namespace shire exec -i eval-2 -c hands -- timeout -k 5 60 bash -c read word; echo "$word from $0"',
    `--namespace shire delete agent ${agent.agentId} --ignore-not-found --wait=false`,
  ]);
  const names = asked.map(([name]) => name);
  assert.deepEqual(names.slice(0, 2), ['putModelCredential', 'putModelCredential']);
  assert.deepEqual(asked[1]?.[1], {
    name: 'eval',
    agent_id: agent.agentId,
    kind: 'compatible',
    base_url: 'http://10.89.0.1:4000/v1',
    key: 'sk-12345678',
    models: ['small', 'large'].map((name) => ({ name, model: 'qwen3-30b', context_tokens: 32_768 })),
  });
  const [, reward] = asked.find(([name]) => name === 'rewardAgent') ?? [];
  assert.deepEqual(reward, { agent_id: agent.agentId, amount: '50', reason: 'For an eval' });
  assert.equal(names.at(-1), 'deleteModelCredential');
});

test('a model that the village refuses stops the eval, and leaves no agent behind', async () => {
  const { village, read } = pretendVillage({ putModelCredential: [refused('address_refused')] });
  await assert.rejects(openPodAgent({ ...village, ...options }), {
    name: 'Failure',
    message: /refused the model: address_refused/,
  });
  assert.match(read('calls'), /delete agent eval-/);
});
