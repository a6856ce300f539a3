/** A drill with an agent in a pod: every brake holds, its figures are kept, and the drill leaves nothing behind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentBrakes } from '../../local/drill/agent-brakes.ts';
import { clusterAgent } from '../../local/drill/cluster-agent.ts';
import { drill } from '../../local/drill/drill.ts';
import { personBrakes } from '../../local/drill/person-brakes.ts';
import { until } from '../env/until.ts';
import { village } from '../env/village.ts';

test('every brake of the village holds', async (context) => {
  const { admin, url } = await village();
  const made: string[] = [];
  const ofAgents = async () => {
    const agent = await clusterAgent(admin);
    made.push(agent.agentId);
    return { brakes: agentBrakes(admin, agent), remove: agent.remove };
  };
  const options = { version: '0.0.0', trials: 1, leftOut: [], say: (line: string) => context.diagnostic(line) };
  const { figures } = await drill(admin, [() => personBrakes(admin, url), ofAgents], options);
  assert.equal(figures.length, 10);
  assert.deepEqual(
    figures.filter(({ held }) => !held),
    [],
  );
  assert.deepEqual((await admin.getLastDrill()).drill?.figures, figures);
  assert.equal((await admin.getVillageFreeze()).frozen, false);
  const { settings } = await admin.getVillageSettings();
  assert.equal(settings.find(({ key }) => key === 'egress_open')?.value, true);
  await until('the agent is gone', async () => !(await admin.raw.getAgent({ agent_id: made[0] ?? '' })).ok);
});
