import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireServer } from '@hamlet/models/testing';
import { startHands, type Hands } from '@hamlet/test/env/hands/start-hands';
import { setVariables } from '@hamlet/test/env/at-end';
import { wireModels } from '../gateway/testing/wire-models.ts';
import { startTestVillage, type AgentId, type TestVillage, type Play } from './test-village.ts';

/** A village with one replica, a scripted model and real hands, for residents that tests start. */
export interface HandsVillage {
  readonly peopleUrl: string;
  /** The hands of all residents that start from now on. */
  readonly hands: Hands;
  /** Ends the hands with their programs and files, and starts others. */
  replaceHands(): Promise<void>;
  remove(): Promise<void>;
}

export interface HandsVillageParts {
  /** Manifests of further Agents by name. */
  readonly agents?: Readonly<Record<string, string>>;
  readonly environmentOf?: (village: TestVillage) => Promise<Record<string, string>>;
}

/** Starts the village with fast time, and closes the mind with it. Residents of this process find the hands in their environment. */
export async function startHandsVillage(
  mind: WireServer,
  { agents = {}, environmentOf = async () => ({}) }: HandsVillageParts = {},
): Promise<HandsVillage> {
  let hands = await handsOfResidents();
  const village = await startTestVillage({ villageSpeed: 20 });
  for (const [name, manifest] of Object.entries(agents))
    writeFileSync(join(village.samples, `good-agent-${name}.yaml`), manifest);
  const replica = await village.startReplica(await environmentOf(village), { models: wireModels(mind.url) });
  return {
    peopleUrl: replica.peopleUrl,
    get hands() {
      return hands;
    },
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
