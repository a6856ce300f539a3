/**
 * A reboot does not wait for the old resident: a new cycle begins at once, and the API refuses writes of the old one.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { exchangeAgentToken } from '@hamlet/contract';
import { until } from '../env/until.ts';
import { agentOf, untilReady, village, type Village } from '../env/village.ts';

const NAME = 'bob';
let place: Village;
before(async () => {
  place = await village();
  await untilReady(place, NAME);
});

/** Calls the agents' port from inside the agent's pod, because only agents reach it; returns the parsed answer. */
async function callFrom(
  pod: string,
  path: string,
  request: { readonly token: string; readonly body?: object },
): Promise<Record<string, unknown>> {
  const token =
    request.token === 'projected'
      ? "(await import('node:fs')).readFileSync(process.env.HAMLET_TOKEN_FILE, 'utf8').trim()"
      : JSON.stringify(request.token);
  const script = `
    const answer = await fetch(process.env.HAMLET_API_URL + '/api/v1${path}', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + ${token}, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
      body: ${JSON.stringify(JSON.stringify(request.body ?? {}))},
    });
    process.stdout.write(await answer.text());`;
  return JSON.parse(await place.kubectl(['exec', pod, '--', 'node', '--input-type=module', '-e', script])) as Record<
    string,
    unknown
  >;
}

test('the API refuses the old cycle, and the name of the new pod has the new cycle', async () => {
  const old = await untilReady(place, NAME);
  const { access_token } = await callFrom(old.pod ?? '', exchangeAgentToken.path, { token: 'projected' });
  const token = String(access_token);
  const talk = { token, body: { kind: 'talk', text: 'Am I still here?' } };
  // The resident shares this rate limit, and may have used it up for a moment.
  await until(
    'the API accepts the present cycle',
    async () => typeof (await callFrom(old.pod ?? '', `/agents/${NAME}/action`, talk))['accepted_seq'] === 'number',
  );

  const rebooted = await place.admin.raw.rebootAgent({ agent_id: NAME });
  assert.equal(rebooted.ok, true, JSON.stringify(rebooted));
  const fresh = await until('another pod is Ready', async () => {
    const agent = await agentOf(place, NAME);
    return agent?.why.ready === true && agent.pod !== null && agent.pod !== old.pod ? agent : undefined;
  });
  assert.ok(fresh.cycle > old.cycle);
  assert.equal(fresh.pod, `${NAME}-${fresh.cycle}`);
  const refused = await callFrom(fresh.pod ?? '', `/agents/${NAME}/action`, talk);
  assert.equal(refused['code'], 'stale_cycle', JSON.stringify(refused));
  await until(
    'the old pod is gone',
    async () => (await place.kubectl(['get', 'pod', old.pod ?? '', '--ignore-not-found', '-o', 'name'])) === '',
  );
});
