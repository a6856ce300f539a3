import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { visit } from '../browser.ts';
import { type View, VIEWS } from '../../../web/src/client/url-state.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The checks of axe: all of them in light colours; dark ones differ only in contrast. */
const CHECKS = { light: '{}', dark: "{ runOnly: ['color-contrast'] }" };

/** Pages of one agent name it in their query. */
const OF_ADA: ReadonlySet<View> = new Set<View>(['workflows', 'edit-agent']);

export const PAGE_QUERIES: readonly string[] = VIEWS.filter((view) => view !== 'map').map(
  (view) => `?view=${view}${OF_ADA.has(view) ? '&who=ada' : ''}`,
);

export async function openPage(page: Page, query: string): Promise<void> {
  await visit(page, query);
  await page.waitForSelector(query.includes('view=') && !query.includes('board') ? '.page h1' : '.panel');
  await page
    .locator('.empty', { hasText: /Loading|Comparing|Searching|Reading/ })
    .first()
    .waitFor({ state: 'detached' });
}

/** The serious and critical findings of axe on the present page. */
export async function seriousFindings(page: Page, colorScheme: keyof typeof CHECKS): Promise<string[]> {
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
