/**
 * The web of a village with custom resources in a real API server and a real identity provider, and one browser, for all
 * parts of the journey. A part can also run alone.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { API_VERSION } from '@hamlet/contract';
import { freePort } from '@hamlet/dev';
import { CONFIG_MAPS, type KubeObject } from '@hamlet/kube';
import type { Page } from 'playwright-core';
import { AGENTS, ENTITLEMENTS } from '../../../../api/server/src/agents/kubernetes-watch.ts';
import { CALLBACK_PATH } from '../../../../api/server/src/people/identity-provider.ts';
import type {
  ProviderPerson,
  TestIdentityProvider,
} from '../../../../api/server/src/testing/test-identity-provider.ts';
import { CLIENT, startTestIdentityProvider } from '../../../../api/server/src/testing/test-identity-provider.ts';
import { clientOf, startOwnVillage, TOKENS, type OwnVillage } from '../../../../api/server/src/testing/test-village.ts';
import { testApiServer, type TestApiServer } from '../../api-server.ts';
import { openBrowser, type TestBrowser } from '../../browser.ts';
import type { TestClient } from '../../client.ts';
import { after, before } from '../../cluster-test.ts';
import { openSuperuser, type Superuser } from '../../superuser.ts';
import { builtWeb } from '../built-web.ts';
import { keepShot } from '../shot.ts';

const KINDS = { Agent: AGENTS, Entitlement: ENTITLEMENTS } as const;
type Kind = keyof typeof KINDS;
/** A stored custom resource with its field managers. */
export type Stored = KubeObject & { readonly spec: Readonly<Record<string, unknown>> };

const GPU = { mode: 'Shared', count: 1 };
const TIERS = [
  {
    rank: 0,
    minBalance: '0',
    limits: { requestsPerMinute: 120, concurrentTools: 1, tokensPerHour: 20_000, models: ['small'] },
    compute: { resources: { cpu: '250m', memory: '256Mi' } },
  },
  {
    rank: 1,
    minBalance: '10',
    limits: { requestsPerMinute: 300, concurrentTools: 2, tokensPerHour: 100_000, models: ['small', 'large'] },
    compute: { resources: { cpu: '500m', memory: '512Mi' } },
    price: { perHour: '0.05', perThousandTokens: '0.002' },
  },
  {
    rank: 2,
    minBalance: '100',
    limits: { requestsPerMinute: 1_200, concurrentTools: 8, tokensPerHour: 1_000_000, models: ['large', 'small'] },
    compute: { resources: { cpu: '2', memory: '2Gi' }, gpu: GPU },
    price: { perHour: '0.5', perThousandTokens: '0.01' },
  },
] as const;

export let page: Page;
/** The address of the village, on another site than the provider. */
export let url: string;
export let admin: TestClient;
export let provider: TestIdentityProvider;
export let superuser: Superuser;
export let village: OwnVillage;
export let browser: TestBrowser;
let kube: TestApiServer;
let namespace: string;
let isSignedIn = false;

before(async () => {
  const [port, providerPort] = await Promise.all([freePort(), freePort()]);
  url = `http://localhost:${port}`;
  [kube, village, provider] = await Promise.all([
    testApiServer(),
    startOwnVillage(),
    startTestIdentityProvider(providerPort, `${url}${CALLBACK_PATH}`),
  ]);
  await kube.installCrds();
  namespace = await kube.namespace();
  await startApi(port);
  superuser = openSuperuser(village.postgres);
  admin = clientOf(url, TOKENS.admin);
  browser = await openBrowser();
  ({ page } = browser);
  await createObjects();
});

after(async () => {
  await browser?.close();
  await superuser?.close();
  await village?.remove();
  await provider?.stop();
  await kube?.remove();
});

async function startApi(port: number): Promise<void> {
  const secretFile = join(village.samples, 'oidc-secret');
  await writeFile(secretFile, `${CLIENT.secret}\n`);
  await village.startReplica({
    HAMLET_AGENT_SOURCE: 'kubernetes',
    HAMLET_KUBECONFIG: kube.kubeconfig,
    HAMLET_NAMESPACE: namespace,
    HAMLET_WEB_DIR: builtWeb(),
    HAMLET_PEOPLE_LISTEN: `127.0.0.1:${port}`,
    HAMLET_PUBLIC_URL: url,
    HAMLET_OIDC_ISSUER: provider.issuer,
    HAMLET_OIDC_CLIENT_ID: CLIENT.id,
    HAMLET_OIDC_CLIENT_SECRET_FILE: secretFile,
    HAMLET_OIDC_NAME: 'Test IdP',
    HAMLET_OIDC_SCOPE: 'openid profile groups',
    HAMLET_OIDC_ADMIN_GROUPS: 'wardens',
    HAMLET_OIDC_MEMBER_GROUPS: 'villagers',
  });
}

/** Creates tiers and agents. GitOps owns tier-2 and bob, so the page asks for confirmation. The village owns the rest. */
async function createObjects(): Promise<void> {
  for (const [rank, spec] of TIERS.entries())
    await apply('Entitlement', `tier-${rank}`, { spec, manager: rank === 2 ? 'argocd' : 'hamlet-api' });
  await apply('Agent', 'ada', { spec: { displayName: 'Ada' }, manager: 'kubectl' });
  await apply('Agent', 'bob', {
    spec: { displayName: 'Bob', entitlement: { policy: 'Pinned', name: 'tier-0' } },
    manager: 'argocd',
  });
  const words =
    '---\nname: house-style\ndescription: How texts of this house are written.\n---\nWrite short sentences.\n';
  await applySkill('house', { 'SKILL.md': words });
  await applySkill('broken', { 'words.md': 'Say walnut.' });
  for (const name of ['ada', 'bob']) await setStatus(name, { tier: 'tier-0' });
}

/** Writes a custom resource as another field manager, by server-side apply. */
export async function apply(
  kind: Kind,
  name: string,
  { spec, manager }: { readonly spec: object; readonly manager: string },
): Promise<void> {
  const object = { apiVersion: API_VERSION, kind, metadata: { name, namespace }, spec };
  await kube.client.apply(KINDS[kind], object, { fieldManager: manager });
}

/** Writes a ConfigMap that the village offers as a skill. */
async function applySkill(name: string, data: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { name, namespace, labels: { 'hamlet.village/skill': 'true' } };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  await kube.client.apply(CONFIG_MAPS, map, { fieldManager: 'kubectl' });
}

export const stored = (kind: Kind, name: string): Promise<Stored> =>
  kube.client.get<Stored>(KINDS[kind], { namespace, name });

/** Writes an Agent's status like the operator. */
export async function setStatus(name: string, status: object): Promise<void> {
  await kube.client.mergePatch(AGENTS, { status }, { namespace, name, subresource: 'status' });
}

export async function signInByProvider(person: ProviderPerson): Promise<void> {
  provider.person = person;
  // A different person needs a new browser session at the provider.
  await browser.context.clearCookies({ domain: new URL(provider.issuer).hostname });
  await page.locator('.top-bar .button', { hasText: 'Sign in' }).click();
  await page.locator('[data-action="oidc"]', { hasText: 'Sign in with Test IdP' }).waitFor();
  await page.click('[data-action="oidc"]');
}

/** Signs in as the admin Wanda, unless an earlier test did. */
export async function signedIn(): Promise<void> {
  if (isSignedIn) return;
  isSignedIn = true;
  await page.goto(`${url}/?view=tiers&agent=ada`);
  await signInByProvider({ sub: 'subject-2', preferred_username: 'Wanda', groups: ['wardens'] });
  await page.locator('.account-name', { hasText: 'Wanda' }).locator('.role', { hasText: 'admin' }).waitFor();
}

export const shot = (name: string): Promise<void> => keepShot(page, name);
