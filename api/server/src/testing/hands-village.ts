import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireServer } from '@hamlet/models/testing';
import { startHands, type Hands } from '@hamlet/test/env/hands/start-hands';
import { setVariables } from '@hamlet/test/env/at-end';
import { wireModels } from '../gateway/testing/wire-models.ts';
import { startTestVillage, type AgentId, type TestVillage, type Play, type VillageOptions } from './test-village.ts';

/**
 * A fast village with one replica, a mind as its model, and real hands, which residents of this process find in their
 * environment. `agents` are manifests of further Agents by name.
 */
export async function startHandsVillage(
  mind: WireServer,
  {
    agents = {},
    manifests = {},
    environmentOf = async () => ({}),
  }: Pick<VillageOptions, 'manifests'> & {
    readonly agents?: Readonly<Record<string, string>>;
    readonly environmentOf?: (village: TestVillage) => Promise<Record<string, string>>;
  } = {},
) {
  let hands = await handsOfResidents();
  const village = await startTestVillage({ villageSpeed: 20 });
  for (const [name, manifest] of Object.entries(agents))
    writeFileSync(join(village.samples, `good-agent-${name}.yaml`), manifest);
  await village.writeAllManifests(manifests);
  const replica = await village.startReplica(await environmentOf(village), { models: wireModels(mind.url) });
  return {
    peopleUrl: replica.peopleUrl,
    get hands() {
      return hands;
    },
    /** Ends the hands with their programs and files, and starts others. */
    replaceHands: async () => {
      await hands.kill();
      await hands.remove();
      hands = await handsOfResidents();
    },
    remove: async () => {
      await village.remove();
      await mind.close();
      await hands.remove();
    },
  };
}

async function handsOfResidents(): Promise<Hands> {
  const hands = await startHands();
  setVariables({
    HAMLET_HANDS_SOCKET: hands.socket,
    HAMLET_HANDS_WORKSPACE: hands.workspace,
    HAMLET_HANDS_HOME: join(hands.workspace, '.home'),
  });
  return hands;
}

/** Waits for all agents, and gives them money for their models. */
export async function payForModels(play: Play, agents: readonly AgentId[]): Promise<void> {
  await play.everybody();
  for (const agent_id of agents) await play.admin.rewardAgent({ agent_id, amount: '100', reason: 'for models' });
}
