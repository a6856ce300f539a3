/** One village with the residents of ada and bob, and one browser, for all parts of the journey. A part can also run alone. */
import { afterEach, before, type TestContext } from 'node:test';
import type { WireServer } from '@hamlet/models/testing';
import { openDevFolder, startDevVillage, type DevVillage } from '@hamlet/dev';
import type { Page } from 'playwright-core';
import { atEnd, testFolder } from '../../at-end.ts';
import { openBrowser, type TestBrowser } from '../../browser.ts';
import { testClient, type TestClient } from '../../client.ts';
import { builtWeb } from '../built-web.ts';
import { keepShot } from '../shot.ts';
import { signInVariables, startSignInServer } from './sign-in-server.ts';

export const PASSWORD = 'correct horse battery';

const folder = openDevFolder(testFolder('web'));
export let page: Page;
export let url: string;
let village: DevVillage;
let browser: TestBrowser;
let signInServer: WireServer;
let isSignedIn = false;

before(async () => {
  builtWeb();
  signInServer = await startSignInServer();
  village = await startDevVillage(folder, { port: null, residents: true, variables: signInVariables(signInServer) });
  browser = await openBrowser();
  ({ page } = browser);
  ({ url } = village.file);
});

atEnd(async () => {
  await browser?.close();
  await village?.stop();
  await signInServer?.close();
});

/** Prints the page of a failed test, so that a failure on another machine shows its cause. */
afterEach(async (context) => {
  if ((context as TestContext).passed || page === undefined) return;
  const words = await page.innerText('body').catch(String);
  console.error(
    [`the page of the failed test: ${page.url()}`, words, 'errors', ...browser.errors, 'pending', ...browser.pending()]
      .join('\n')
      .slice(-8_000),
  );
});

/** Creates the first admin with the code and signs the page in, unless an earlier test did. */
export async function signedIn(query = ''): Promise<void> {
  if (isSignedIn) return;
  isSignedIn = true;
  await page.goto(`${url}/${query}#code=${encodeURIComponent(folder.bootstrapCode)}`);
  await page.fill('input[name="name"]', 'keeper');
  await page.fill('input[name="password"]', PASSWORD);
  await page.click('.dialog button[type="submit"]');
  await page.waitForSelector('.account-name');
}

/** A client with a token of the village: that of ada, or of a tool of an admin or a member. */
export function clientOf(who: 'ada' | 'admin' | 'member'): TestClient {
  const { agentTokens, adminToken, memberToken } = village.file;
  return testClient({ baseUrl: url, token: { ada: agentTokens.ada, admin: adminToken, member: memberToken }[who] });
}

export const shot = (name: string): Promise<void> => keepShot(page, name);

export const pageErrors = (): readonly string[] => browser.errors;
