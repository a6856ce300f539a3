import { actAsAgent, moveAgent } from '@hamlet/contract';
import type { ActionBody, AgentDetail, MoveBody, Outcome, Refusal, WorldView } from '@hamlet/contract';
import type { TestClient } from '@hamlet/test/env/client';
import type { StartOptions } from '../start/base.ts';
import { AGENT_IDS, agentToken, clientOf, eventually, testVillage, TOKENS } from './test-village.ts';
import type { AgentId, TestVillage, VillageOptions } from './test-village.ts';

export interface PlayOptions extends VillageOptions, Pick<StartOptions, 'models' | 'agents'> {
  readonly environment?: Readonly<Record<string, string>>;
  /** Files of the samples that the test writes or changes before the replica starts. */
  readonly samples?: Readonly<Record<string, Parameters<TestVillage['writeSample']>[1]>>;
}

/** A village with one replica and everybody in its world, until the tests of the calling file have ended. */
export async function startPlay({ environment, samples = {}, villageSpeed, ...options }: PlayOptions = {}): Promise<{
  readonly village: TestVillage;
  readonly play: Play;
}> {
  const village = await testVillage(villageSpeed === undefined ? {} : { villageSpeed });
  for (const [name, text] of Object.entries(samples)) await village.writeSample(name, text);
  const play = new Play((await village.startReplica(environment, options)).peopleUrl);
  await play.everybody();
  return { village, play };
}

/** Acts and reads for tests that control agents through the API. */
export class Play {
  readonly url: string;
  readonly admin: TestClient;
  readonly member: TestClient;
  readonly visitor: TestClient;

  constructor(url: string) {
    this.url = url;
    this.admin = clientOf(url, TOKENS.admin);
    this.member = clientOf(url, TOKENS.member);
    this.visitor = clientOf(url);
  }

  as(agentId: AgentId): TestClient {
    return clientOf(this.url, agentToken(agentId));
  }

  async agent(agentId: string): Promise<AgentDetail> {
    return dataOf(await this.admin.raw.getAgent({ agent_id: agentId }));
  }

  async world(): Promise<WorldView> {
    return dataOf(await this.admin.raw.getWorld());
  }

  /** Waits until every agent of the test village is in the world. */
  async everybody(): Promise<void> {
    await eventually('all agents in the world', async () => (await this.world()).agents.length === AGENT_IDS.length);
  }

  move(agentId: string, target: MoveBody): ReturnType<typeof this.admin.call<typeof moveAgent>> {
    return this.admin.raw.moveAgent({ agent_id: agentId, ...target });
  }

  act(agentId: string, action: ActionBody): ReturnType<typeof this.admin.call<typeof actAsAgent>> {
    return this.admin.raw.actAsAgent({ agent_id: agentId, ...action });
  }

  /** Moves an agent, and waits until it stands at the target. */
  async walk(agentId: string, target: MoveBody): Promise<AgentDetail> {
    const { to } = dataOf(await this.move(agentId, target));
    return eventually(`${agentId} at ${to.x},${to.y}`, async () => {
      const agent = await this.agent(agentId);
      return agent.moving_to === null && agent.position.x === to.x && agent.position.y === to.y ? agent : null;
    });
  }

  /** Moves an agent to the first item that it can reach, and takes the item. Returns its id. */
  async fetchItem(agentId: string): Promise<string> {
    const { items } = await this.world();
    for (const { item_id, position } of items) {
      if (position === null || !(await this.move(agentId, position)).ok) continue;
      await this.walk(agentId, position);
      if ((await this.act(agentId, { kind: 'pick_up', item_id })).ok) return item_id;
    }
    throw new Error('no item in the world can be taken');
  }
}

/** The data of an answer. Throws an Error with the problem of a refusal. */
export function dataOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.data;
  throw new Error(`refused: ${outcome.problem.code}: ${outcome.problem.detail}`);
}

/** The code of a refusal; null for an accepted request. */
export function refusalOf(outcome: Outcome<unknown>): Refusal | null {
  return outcome.ok ? null : outcome.problem.code;
}
