import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createAgent,
  dataOf,
  deleteAgent,
  getAgent,
  listEntitlements,
  rewardAgent,
  type Client,
} from '@hamlet/contract';
import { DRILL_RUNTIME, type DrillAgent } from './agent-brakes.ts';

const READY_MS = 180_000;
const PAUSE_MS = 250;
/** Pays for the requests to models of a whole drill. The rest returns to the village with the agent. */
const MONEY = '5';

/** The lowest tier whose agents may ask the model of the drill. */
async function tierWithModels(admin: Client): Promise<string> {
  const { entitlements } = await dataOf(admin.call(listEntitlements, {}));
  const lowest = entitlements.find(({ limits }) => limits.models.includes('small'));
  if (lowest === undefined) throw new Error('no tier has the model small: add it to limits.models of one');
  return lowest.name;
}

/** Creates an agent in the cluster for one drill. `remove` deletes it with its volume. */
export async function clusterAgent(admin: Client): Promise<DrillAgent & { remove(): Promise<void> }> {
  const agentId = `drill-${randomBytes(4).toString('hex')}`;
  const params = { agent_id: agentId };
  const spec = {
    displayName: 'Drill',
    runtime: DRILL_RUNTIME,
    entitlement: { policy: 'Pinned', name: await tierWithModels(admin) },
    egress: { allow: [{ host: 'drill.invalid', ports: [80] }] },
  };
  await dataOf(admin.call(createAgent, { body: { agent_id: agentId, spec } }));
  let paid = false;

  async function ready(): Promise<void> {
    const giveUpMs = Date.now() + READY_MS;
    for (;;) {
      const agent = await admin.call(getAgent, { params });
      if (agent.ok && agent.data.status.online && agent.data.why.ready) break;
      if (Date.now() > giveUpMs)
        throw new Error(
          `${agentId} is not ready: ${agent.ok ? `${agent.data.why.reason}: ${agent.data.why.message}` : agent.problem.detail}`,
        );
      await sleep(PAUSE_MS);
    }
    if (paid) return;
    paid = true;
    await dataOf(admin.call(rewardAgent, { body: { agent_id: agentId, amount: MONEY, reason: 'for a drill' } }));
  }
  return {
    agentId,
    ready,
    hasBroker: true,
    remove: async () =>
      void (await dataOf(admin.call(deleteAgent, { params, body: { confirm: agentId, volume: 'delete' } }))),
  };
}
