/** A village with one agent that has a model: the API, a resident process, and the model as a server. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { API_VERSION, type EntitlementSpec } from '@hamlet/contract';
import { parseModelsConfig, SYSTEM_PORTS } from '@hamlet/models';
import type { ScriptedAnswer } from '@hamlet/models/testing';
import { startChatServer, type Chat } from '@hamlet/test/env/minds/chat-server';
import { SessionPlay } from '../../api/server/src/testing/play/session-play.ts';
import { residentProcesses } from '../../api/server/src/testing/resident-process.ts';
import { startTestVillage } from '../../api/server/src/testing/test-village.ts';

export const NAME = 'bob';
/** Factor of village time, so that tests do not wait for walks. A decision then takes 3 s. */
const VILLAGE_SPEED = 10;

export interface WiredVillage {
  readonly play: SessionPlay;
  /** All requests to the model, oldest first. */
  chats(): readonly Chat[];
  remove(): Promise<void>;
}

export type TierLimits = Pick<
  EntitlementSpec['limits'],
  'requestsPerMinute' | 'concurrentTools' | 'concurrentModelRequests' | 'tokensPerHour' | 'models'
>;

async function writeTier(folder: string, limits: TierLimits): Promise<void> {
  const spec = { rank: 0, minBalance: '0', limits };
  const tier = { apiVersion: API_VERSION, kind: 'Entitlement', metadata: { name: 'tier-0' }, spec };
  await writeFile(join(folder, 'good-entitlement-tier-0.yaml'), JSON.stringify(tier));
}

/**
 * @param answer must depend only on the request, because a request may be repeated
 * @param limits those of tier-0 instead of the sample's
 */
export async function startWiredVillage(
  spec: string,
  answer: (chat: Chat) => ScriptedAnswer,
  limits?: TierLimits,
): Promise<WiredVillage> {
  const wire = await startChatServer(answer);
  const village = await startTestVillage({ villageSpeed: VILLAGE_SPEED });
  const samples = village.samples;
  if (limits !== undefined) await writeTier(samples, limits);
  const manifest = `apiVersion: hamlet.village/v1alpha1\nkind: Agent\nmetadata: { name: ${NAME} }\nspec:\n${spec}\n`;
  await writeFile(join(samples, `good-agent-${NAME}.yaml`), manifest);
  const sizes = { contextTokens: 16_384, answerTokens: 1_000 };
  const parsed = parseModelsConfig({
    providers: { upstream: { kind: 'compatible', baseUrl: `${wire.url}/v1` } },
    routes: ['small', 'large'].map((name) => ({
      match: name,
      provider: 'upstream',
      model: `up-${name}`,
      ...sizes,
    })),
  });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const models = { config: parsed.config, key: () => null, adapters: {}, ports: SYSTEM_PORTS };
  const play = new SessionPlay((await village.startReplica({}, { models })).peopleUrl);
  await play.play.everybody();
  const residents = residentProcesses(() => play.play);
  await residents.start(NAME);
  return {
    play,
    chats: () => wire.requests.map(({ body }) => body as Chat),
    remove: async () => {
      await residents.remove();
      await village.remove();
      await wire.close();
    },
  };
}
