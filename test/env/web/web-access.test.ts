/** Phones, themes, assistive technology and reduced motion in a real browser. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { visit } from '../browser.ts';
import { startViewerStage, type ViewerStage } from './web-viewers.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let stage: ViewerStage;

before(async () => {
  const workflow = 'workflow: { id: one, nodes: [{ id: first, role: linear }] }\n';
  stage = await startViewerStage({ kim: 'admin', manifests: { ada: { 'workflow.yaml': workflow } } });
});
after(() => stage?.remove());

/** The checks of axe: all of them in light colours; dark ones differ only in contrast. */
const CHECKS = { light: '{}', dark: "{ runOnly: ['color-contrast'] }" };

/** The serious and critical findings of axe on the present page. */
async function seriousFindings(page: Page, colorScheme: keyof typeof CHECKS): Promise<string[]> {
  // Animations change colours while they run: wait for their end.
  await page.evaluate(
    `Promise.all(document.getAnimations().filter((animation) => animation.effect.getComputedTiming().iterations !== Infinity).map((animation) => animation.finished.catch(() => undefined)))`,
  );
  if (!(await page.evaluate<boolean>('typeof axe === "object"'))) await page.evaluate(AXE);
  const { checked, found } = await page.evaluate<{
    checked: number;
    found: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  }>(
    `axe.run(document, ${CHECKS[colorScheme]}).then(({ passes, violations }) => ({ checked: passes.length, found: violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })) }))`,
  );
  assert.ok(checked > (colorScheme === 'light' ? 15 : 0), `axe looked: ${checked} rules hold`);
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary.split('\n').at(-1) ?? ''}`).join(' | ')}`,
    );
}

test('on a phone no page is wider than the screen', async () => {
  const phone = await stage.viewer({ width: 400, height: 800, phone: true });
  await stage.signIn(phone, 'kim');
  const { page } = phone;
  for (const view of [
    'new-agent',
    'edit-agent',
    'runs',
    'schedules',
    'workflows',
    'ledger',
    'tiers',
    'nodes',
    'market',
    'payments',
    'moderation',
    'models',
    'rules',
    'people',
    'connections',
    'keeping',
    'audit',
    'board',
  ]) {
    await visit(page, `?view=${view}`);
    await page.waitForSelector(view === 'board' ? '.board' : '.page h1');
    assert.equal(
      await page.evaluate<number>(
        `Math.max(document.documentElement.scrollWidth, document.querySelector('.page')?.scrollWidth ?? 0)`,
      ),
      400,
      view,
    );
    await stage.shot(phone, `phone-${view}`);
  }
  await phone.close();
});

test('axe finds no serious fault on any page, light or dark, with an agent open beside it', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const kim = await stage.viewer({ colorScheme });
    await stage.signIn(kim, 'kim');
    const { page } = kim;
    for (const query of [
      '',
      '?agent=bob',
      '?view=board',
      '?view=runs&agent=bob&tab=money',
      '?view=new-agent',
      '?view=schedules',
      '?view=workflows&who=ada',
      '?view=ledger',
      '?view=tiers&agent=ada&tab=standing',
      '?view=market',
      '?view=payments',
      '?view=moderation',
      '?view=models',
      '?view=permissions',
      '?view=people',
      '?view=connections',
      '?view=keeping',
      '?view=audit&agent=ada&tab=runs',
    ]) {
      await visit(page, query);
      await page.waitForSelector(query.includes('view=') && !query.includes('board') ? '.page h1' : '.panel');
      await page
        .locator('.empty', { hasText: /Loading|Comparing|Searching/ })
        .first()
        .waitFor({ state: 'detached' });
      assert.deepEqual(await seriousFindings(page, colorScheme), [], `${colorScheme} ${query}`);
      await stage.shot(kim, `${colorScheme}-${query.replaceAll(/[^a-z]+/g, '-')}`);
    }
    await kim.close();
  }
});

test('with reduced motion no animation runs continuously', async () => {
  const calm = await stage.viewer({ reducedMotion: 'reduce' });
  await calm.page.goto(stage.url);
  await calm.page.waitForSelector('.health-live');
  const longestMs = await calm.page.evaluate<number>(
    `Math.max(0, ...[...document.querySelectorAll('*')].map((element) => { const style = getComputedStyle(element); return Math.max(parseFloat(style.animationDuration) || 0, parseFloat(style.transitionDuration) || 0) * 1000 }))`,
  );
  assert.ok(longestMs <= 1, `${longestMs} ms`);
  await calm.close();
});
