import { writeFile } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { API_VERSION } from '@hamlet/contract';
import { freePort } from '@hamlet/dev';
import type { KubeObject } from '@hamlet/kube';
import type { TestClient } from '../client.ts';
import { AGENTS, ENTITLEMENTS } from '../../../api/server/src/agents/kubernetes-watch.ts';
import { CALLBACK_PATH } from '../../../api/server/src/people/identity-provider.ts';
import { CLIENT, startTestIdentityProvider } from '../../../api/server/src/testing/test-identity-provider.ts';
import type { TestIdentityProvider } from '../../../api/server/src/testing/test-identity-provider.ts';
import { clientOf, startOwnVillage, TOKENS } from '../../../api/server/src/testing/test-village.ts';
import type { OwnVillage } from '../../../api/server/src/testing/test-village.ts';
import { testApiServer } from '../api-server.ts';
import type { TestApiServer } from '../api-server.ts';
import { openBrowser } from '../browser.ts';
import type { TestBrowser } from '../browser.ts';
import { builtWeb } from './built-web.ts';
import type { OwnPostgres } from '../postgres.ts';
import { openSuperuser } from '../superuser.ts';
import type { Superuser } from '../superuser.ts';

const OUTPUT = resolve(import.meta.dirname, '../../output');
const KINDS = { Agent: AGENTS, Entitlement: ENTITLEMENTS } as const;
type Kind = keyof typeof KINDS;
/** A stored custom resource with its field managers. */
export type Stored = KubeObject & { readonly spec: Readonly<Record<string, unknown>> };

/** The web of a village with custom resources in a real API server and a real identity provider. */
export interface ClusterStage {
  readonly browser: TestBrowser;
  /** The village and its address, on another site than the provider. */
  readonly url: string;
  readonly admin: TestClient;
  readonly provider: TestIdentityProvider;
  readonly superuser: Superuser;
  readonly database: Pick<OwnPostgres, 'start' | 'stop'>;
  /** Writes a custom resource as another field manager, by server-side apply. */
  apply(kind: Kind, name: string, wish: { readonly spec: object; readonly manager: string }): Promise<void>;
  stored(kind: Kind, name: string): Promise<Stored>;
  /** Writes an Agent's status like the operator. */
  setStatus(name: string, status: object): Promise<void>;
  shot(name: string): Promise<void>;
  remove(): Promise<void>;
}

interface Parts {
  readonly kube: TestApiServer;
  readonly village: OwnVillage;
  readonly provider: TestIdentityProvider;
  readonly namespace: string;
}

async function startApi(
  { kube, village, provider, namespace }: Parts,
  at: { readonly port: number; readonly url: string },
): Promise<void> {
  const secretFile = join(village.samples, 'oidc-secret');
  await writeFile(secretFile, `${CLIENT.secret}\n`);
  await village.startReplica({
    HAMLET_AGENT_SOURCE: 'kubernetes',
    HAMLET_KUBECONFIG: kube.kubeconfig,
    HAMLET_NAMESPACE: namespace,
    HAMLET_WEB_DIR: builtWeb(),
    HAMLET_PEOPLE_LISTEN: `127.0.0.1:${at.port}`,
    HAMLET_PUBLIC_URL: at.url,
    HAMLET_OIDC_ISSUER: provider.issuer,
    HAMLET_OIDC_CLIENT_ID: CLIENT.id,
    HAMLET_OIDC_CLIENT_SECRET_FILE: secretFile,
    HAMLET_OIDC_NAME: 'Test IdP',
    HAMLET_OIDC_SCOPE: 'openid profile groups',
    HAMLET_OIDC_ADMIN_GROUPS: 'wardens',
    HAMLET_OIDC_MEMBER_GROUPS: 'villagers',
  });
}

function writerOf({ kube, namespace }: Parts): Pick<ClusterStage, 'apply' | 'stored' | 'setStatus'> {
  return {
    apply: async (kind, name, { spec, manager }) => {
      const object = { apiVersion: API_VERSION, kind, metadata: { name, namespace }, spec };
      await kube.client.apply(KINDS[kind], object, { fieldManager: manager });
    },
    stored: (kind, name) => kube.client.get<Stored>(KINDS[kind], { namespace, name }),
    setStatus: async (name, status) => {
      await kube.client.mergePatch(AGENTS, { status }, { namespace, name, subresource: 'status' });
    },
  };
}

export async function startClusterStage(): Promise<ClusterStage> {
  mkdirSync(OUTPUT, { recursive: true });
  const [port, providerPort] = await Promise.all([freePort(), freePort()]);
  const url = `http://localhost:${port}`;
  const [kube, village, provider] = await Promise.all([
    testApiServer(),
    startOwnVillage(),
    startTestIdentityProvider(providerPort, `${url}${CALLBACK_PATH}`),
  ]);
  await kube.installCrds();
  const parts = { kube, village, provider, namespace: await kube.namespace() };
  await startApi(parts, { port, url });
  const superuser = openSuperuser(village.postgres);
  const browser = await openBrowser();
  return {
    browser,
    url,
    provider,
    superuser,
    database: village.postgres,
    admin: clientOf(url, TOKENS.admin),
    ...writerOf(parts),
    shot: async (name) => {
      await browser.page.screenshot({ path: join(OUTPUT, `web-${name}.png`) });
    },
    remove: async () => {
      await browser.close();
      await superuser.close();
      await village.remove();
      await provider.stop();
      await kube.remove();
    },
  };
}
