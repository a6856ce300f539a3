/** A village on two nodes whose pods are processes, in real browsers: api, operator, scheduler and residents are real. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSION } from '@hamlet/contract/kinds';
import { DEFAULT_VILLAGE_RULES } from '@hamlet/core';
import { freePort } from '@hamlet/dev';
import { SECRETS, type NewObject } from '@hamlet/kube';
import { ENTITLEMENTS } from '@hamlet/operator';
import { startWireServer, vllmServer } from '@hamlet/models/testing';
import { BotApiServer } from '../../../api/server/src/channels/testing/bot-api-server.ts';
import { testAuthority } from '../../../api/server/src/money/testing/test-authority.ts';
import { dcgmText, serveMetrics } from '../../metrics/stand-in-exporters.ts';
import { operatedVillage, type OperatedVillage } from '../../schedules/operated-village.ts';
import { testFolder, untilEnd } from '../at-end.ts';
import { openSharedBrowser } from '../browser.ts';
import { startResidentNodes, type PodLoad } from '../cluster/resident-nodes.ts';
import { builtWeb } from './built-web.ts';
import { viewerActs } from './web-viewers.ts';

export const BOT_SECRET = 'rita-telegram';
const BOT_TOKEN = '4711:test-token-of-rita';
const TIER = {
  rank: 0,
  limits: {
    requestsPerMinute: 6_000,
    concurrentTools: 2,
    concurrentModelRequests: 4,
    tokensPerHour: 20_000_000,
    models: ['small'],
  },
  compute: { resources: { cpu: '500m', memory: '512Mi' } },
};
/** Agents ask before they publish in a run. */
const RULES = [...DEFAULT_VILLAGE_RULES, { tools: ['publish'], when: 'run', verdict: 'ask', reason: 'People see it' }];

interface TwoBoxes {
  /** The model of the stand-in of vLLM, and its answers. */
  readonly vllm: Parameters<typeof vllmServer>[0];
  readonly loadOf: (agentId: string) => PodLoad;
}

/** Everything around the village, with the variables by which its api finds it. */
async function startSurroundings(folder: string, port: number) {
  const [authority, telegram] = [untilEnd(await testAuthority()), untilEnd(new BotApiServer(BOT_TOKEN))];
  const issuers = join(folder, 'kubelets.pem');
  writeFileSync(issuers, authority.root);
  const dcgm = untilEnd(await serveMetrics(dcgmText));
  const url = `http://localhost:${port}`;
  const variables = {
    HAMLET_WEB_DIR: builtWeb(),
    HAMLET_PEOPLE_LISTEN: `127.0.0.1:${port}`,
    HAMLET_PUBLIC_URL: url,
    HAMLET_TELEGRAM_URL: await telegram.start(),
    HAMLET_TOOL_RULES: JSON.stringify(RULES),
    HAMLET_KUBELET_CA_FILE: issuers,
    HAMLET_DCGM_URL: dcgm.url,
  };
  return { url, authority, telegram, variables };
}

/** Creates the tier of all agents, and the Secret with the token of the bot. */
async function applyObjects({ kube, namespace }: Pick<OperatedVillage, 'kube' | 'namespace'>): Promise<void> {
  const manager = { fieldManager: 'test' };
  const tier = { metadata: { name: 'tier-0', namespace }, spec: TIER };
  await kube.client.apply(ENTITLEMENTS, { apiVersion: API_VERSION, kind: 'Entitlement', ...tier }, manager);
  const secret = {
    metadata: { name: BOT_SECRET, namespace, labels: { 'hamlet.village/channel': 'true' } },
    stringData: { token: BOT_TOKEN },
  };
  await kube.client.apply(SECRETS, { apiVersion: 'v1', kind: 'Secret', ...secret } as NewObject, manager);
}

/** Starts the village with an operator that leads, and everything around it, until the tests of the calling file have ended. */
export async function startTwoBoxes({ vllm, loadOf }: TwoBoxes) {
  const folder = testFolder('two-boxes');
  const { url, authority, telegram, variables } = await startSurroundings(folder, await freePort());
  const server = vllmServer(vllm);
  const wire = untilEnd(await startWireServer([], { otherwise: server.answer }));
  const village = untilEnd(await operatedVillage({}, variables, 'control-plane'));
  const { kube, namespace, play } = village;
  await applyObjects(village);
  untilEnd(await startResidentNodes({ kube, namespace, authority, folder, loadOf }, ['sparky1', 'sparky2']));
  untilEnd(await village.startOperator());
  const browser = untilEnd(await openSharedBrowser());
  return {
    url,
    admin: play.admin,
    telegram,
    vllm: { url: `${wire.url}/v1`, load: server.load },
    ...viewerActs({ url, admin: play.admin, browser }),
  };
}
