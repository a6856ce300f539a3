import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '@hamlet/dev';
import type { TestClient } from '../client.ts';
import type { ChannelTokens } from '../../../api/server/src/channels/channel-tokens.ts';
import type { RunningServer } from '../../../api/server/src/start/start-server.ts';
import {
  clientOf,
  startTestVillage,
  TOKENS,
  type TestVillage,
  type VillageOptions,
} from '../../../api/server/src/testing/test-village.ts';
import { openSharedBrowser, type BrowserOptions, type SharedBrowser, type TestBrowser } from '../browser.ts';
import { builtWeb } from './built-web.ts';
import { keepShot } from './shot.ts';

export const PASSWORD = 'correct horse battery';
/** Number of agents of the large village, in addition to the six samples. */
export const MANY = 1000;

/** One API that can stop and start at the same address, one browser, and as many viewers as a test needs. */
export interface ViewerStage {
  readonly url: string;
  readonly admin: TestClient;
  readonly village: TestVillage;
  /** A new page, closed with the stage at the latest. */
  viewer(options?: BrowserOptions): Promise<TestBrowser>;
  /** Creates an account with {@link PASSWORD}. */
  account(name: string, role: 'member' | 'admin'): Promise<string>;
  signIn(viewer: TestBrowser, name: string): Promise<void>;
  shot(viewer: TestBrowser, name: string): Promise<void>;
  stopApi(): Promise<void>;
  startApi(changes?: Readonly<Record<string, string>>): Promise<void>;
  /** Creates a folder of samples with {@link MANY} more agents. */
  manyAgents(): string;
  remove(): Promise<void>;
}

export interface StageOptions extends Pick<VillageOptions, 'manifests'> {
  /** Creates the account kim. */
  readonly kim?: 'member' | 'admin';
  readonly environment?: Readonly<Record<string, string>>;
  /** Manifests of agents that replace or extend the samples, by name. */
  readonly agents?: Readonly<Record<string, string>>;
  readonly channelTokens?: ChannelTokens;
}

/** The stage of this test file. */
let started: ViewerStage | undefined;

export async function startViewerStage({
  kim,
  environment,
  agents = {},
  manifests = {},
  channelTokens,
}: StageOptions = {}): Promise<ViewerStage> {
  const [port, village, browser] = await Promise.all([
    freePort(),
    startTestVillage({ manifests }),
    openSharedBrowser(),
  ]);
  const url = `http://localhost:${port}`;
  const web = builtWeb();
  const admin = clientOf(url, TOKENS.admin);
  let api: RunningServer | null = null;
  const startApi: ViewerStage['startApi'] = async (changes = {}) => {
    api = await village.startReplica(
      {
        HAMLET_WEB_DIR: web,
        HAMLET_PEOPLE_LISTEN: `127.0.0.1:${port}`,
        HAMLET_PUBLIC_URL: url,
        ...changes,
      },
      channelTokens === undefined ? {} : { agents: { channelTokens } },
    );
  };
  for (const [name, manifest] of Object.entries(agents))
    writeFileSync(join(village.samples, `good-agent-${name}.yaml`), manifest);
  await startApi(environment);
  const acts = viewerActs({ url, admin, browser });
  if (kim !== undefined) await acts.account('kim', kim);
  started = {
    url,
    admin,
    village,
    startApi,
    ...acts,
    stopApi: async () => {
      await api?.stop();
    },
    manyAgents: () => manyAgents(village),
    remove: async () => {
      await browser.close();
      await village.remove();
    },
  };
  return started;
}

/** Viewers of a village at an address: their accounts, pages and pictures. */
export function viewerActs({
  url,
  admin,
  browser,
}: {
  readonly url: string;
  readonly admin: TestClient;
  readonly browser: SharedBrowser;
}): Pick<ViewerStage, 'viewer' | 'account' | 'signIn' | 'shot'> {
  return {
    viewer: (options) => browser.viewer(options),
    account: async (name, role) => {
      const made = await admin.createAccount({ name, role });
      await clientOf(url).redeemCode({ code: made.invitation?.code ?? '', password: PASSWORD });
      return made.account.account_id;
    },
    signIn: async ({ page }, name) => {
      // A page that covers the map never draws it.
      if (!page.url().startsWith(url)) await page.goto(`${url}/?view=tiers`);
      await page.getByRole('button', { name: 'Sign in' }).first().click();
      await page.fill('.dialog input[name="name"]', name);
      await page.fill('.dialog input[name="password"]', PASSWORD);
      await page.click('.dialog button[type="submit"]');
      await page.waitForSelector('.account-name');
    },
    shot: ({ page }, name) => keepShot(page, name),
  };
}

function manyAgents(village: TestVillage): string {
  const samples = village.samples;
  const folder = join(samples, '..', `${samples.split('/').at(-1)}-many`);
  cpSync(samples, folder, { recursive: true });
  for (let number = 0; number < MANY; number++) {
    const name = `agent-${String(number).padStart(4, '0')}`;
    writeFileSync(
      join(folder, `good-agent-${name}.yaml`),
      `apiVersion: hamlet.village/v1alpha1\nkind: Agent\nmetadata: { name: ${name} }\nspec:\n  displayName: ${name}\n`,
    );
  }
  return folder;
}

/** The page is not wider than its window and has logged no error, except that it knew no person before the sign-in. */
export async function assertSound({ page, errors }: TestBrowser): Promise<void> {
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(wide <= 0, `the page is ${wide} px wider than the window`);
  assert.deepEqual(
    errors.filter((error) => !error.endsWith('/api/v1/me')),
    [],
  );
}

export const DEVICES = [
  ['desktop', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { width: 390, height: 844, phone: true }],
] as const satisfies readonly (readonly [string, BrowserOptions])[];

/** Registers a test for each device, with a viewer of the started stage that kim has signed in. */
export function testOnDevices(title: string, check: (viewer: TestBrowser, device: string) => Promise<void>): void {
  for (const [device, options] of DEVICES)
    test(`${title}: ${device}`, async (context) => {
      const stage = started ?? assert.fail('no stage is started');
      const viewer = await stage.viewer(options);
      context.after(() => viewer.close());
      await stage.signIn(viewer, 'kim');
      await check(viewer, device);
    });
}
