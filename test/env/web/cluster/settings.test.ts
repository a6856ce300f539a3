/** The page Settings: a change is in force at once, another value is refused with the fix, and the value of the chart comes back. */
import assert from 'node:assert/strict';
import { visit } from '../../browser.ts';
import { test } from '../../cluster-test.ts';
import { until } from '../../until.ts';
import { admin, page, shot, signedIn } from './stage.ts';

const settingOf = async (key: string) =>
  (await admin.getVillageSettings({})).settings.find((setting) => setting.key === key);
const card = (key: string): string => `.setting[data-setting="${key}"]`;

test('an admin changes a setting, and returns to the value of the chart', async () => {
  await signedIn();
  await visit(page, '?view=settings');
  await page.fill(`${card('turn_days')} input`, 'soon');
  await page.locator(`${card('turn_days')} .field-problem`, { hasText: 'whole number' }).waitFor();
  await page.fill(`${card('turn_days')} input`, '40');
  await page.click(`${card('turn_days')} button[type="submit"]`);
  await page.waitForSelector(`${card('turn_days')}[data-source="village"]`);
  assert.equal((await settingOf('turn_days'))?.value, 40);
  await shot('settings');
  await page.click(`${card('turn_days')} [data-action="reset"]`);
  await page.waitForSelector(`${card('turn_days')}[data-source="chart"]`);
  const setting = await settingOf('turn_days');
  assert.equal(setting?.value, setting?.default);
});

test('the API refuses a value that the setting does not take, and says which it takes', async () => {
  await page.fill(`${card('time_zone')} input`, 'Mars/Olympus');
  await page.click(`${card('time_zone')} button[type="submit"]`);
  await page.locator(`${card('time_zone')} [data-code="invalid_setting"]`).waitFor();
  assert.equal((await settingOf('time_zone'))?.source, 'chart');
  await page.fill(`${card('time_zone')} input`, 'Europe/Zurich');
  await page.click(`${card('time_zone')} button[type="submit"]`);
  await page.waitForSelector(`${card('time_zone')}[data-source="village"]`);
  assert.equal((await settingOf('time_zone'))?.value, 'Europe/Zurich');
});

test('settings that only the chart has are shown with their key in its values', async () => {
  const { settings } = await admin.getVillageSettings({});
  const chart = settings.filter(({ schema }) => schema === null);
  assert.ok(chart.length > 0);
  for (const { key, where } of chart)
    await page.locator(`.settings-chart [data-setting="${key}"]`, { hasText: where ?? '' }).waitFor();
});

test('the name and the color of the village appear at once, readable on light and dark ground, and stay after a reload', async () => {
  const save = async (key: string, value: string): Promise<void> => {
    await page.fill(`${card(key)} input`, value);
    await page.click(`${card(key)} button[type="submit"]`);
    await page.waitForSelector(`${card(key)}[data-source="village"]`);
  };
  const accentIs = (color: string) =>
    until(`the accent ${color}`, async () => {
      const shown = await page.evaluate('getComputedStyle(document.documentElement).getPropertyValue("--accent")');
      return String(shown).trim() === color;
    });
  await save('brand_name', 'Little Oak');
  await save('brand_color', '#ffe000');
  await page.locator('.brand', { hasText: 'Little Oak' }).waitFor();
  await accentIs('#736500');
  await shot('settings-brand');
  await page.reload();
  await page.locator('.brand', { hasText: 'Little Oak' }).waitFor();
  await accentIs('#736500');
  assert.match(await page.title(), /^Settings · Little Oak$/);
  await page.emulateMedia({ colorScheme: 'dark' });
  await accentIs('#ffe000');
  await page.emulateMedia({ colorScheme: 'light' });
  for (const key of ['brand_name', 'brand_color']) await page.click(`${card(key)} [data-action="reset"]`);
  await accentIs('#17704e');
});
