import type { Page } from 'playwright-core';
import { secrets } from '../../local/village/secrets.ts';

/** Signs the page in as the first admin of the village that `make up` started. */
export async function signIn(page: Page): Promise<void> {
  const { adminName, adminPassword } = secrets();
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  await page.fill('.dialog input[name="name"]', adminName);
  await page.fill('.dialog input[name="password"]', adminPassword);
  await page.click('.dialog button[type="submit"]');
  await page.waitForSelector('.account-name');
}
