/** Phones, themes, assistive technology and reduced motion in a real browser. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf, TOKENS } from '../../../api/server/src/testing/test-village.ts';
import { openPage, PAGE_QUERIES, seriousFindings } from './axe.ts';
import { startViewerStage, type ViewerStage } from './web-viewers.ts';

let stage: ViewerStage;

before(async () => {
  const workflow = 'workflow: { id: one, nodes: [{ id: first, role: linear }] }\n';
  stage = await startViewerStage({ kim: 'admin', manifests: { ada: { 'workflow.yaml': workflow } } });
  // Something that waits for kim on the page of needs.
  const { post } = await stage.admin.createPost({ title: 'Rude', body: 'Rude words.' });
  await clientOf(stage.url, TOKENS.member).flagPost({ post_id: post.post_id, reason: 'abuse' });
});
after(() => stage?.remove());

/** Tabs of an agent that are open beside pages. */
const BESIDE: Readonly<Record<string, string>> = {
  '?view=runs': '&agent=bob&tab=money',
  '?view=tiers': '&agent=ada&tab=standing',
  '?view=audit': '&agent=ada&tab=runs',
};

/** Fills the forms of a page, so that axe also sees the rows, hints and problems of a form in use. */
const FILL: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '?view=new-agent': async (page) => {
    await page.fill('[name="displayName"]', 'Zoë');
    for (const word of ['host', 'closed host', 'skill', 'server']) await page.click(`[data-add="${word}"]`);
    await page.fill('[data-list="egress.allow"] [name="host"]', 'api.example.org');
    await page.fill('[data-list="egress.allow"] [name="ports"]', 'https');
    await page.locator('.field-problem', { hasText: 'Write a number' }).waitFor();
    await page.check('[name="has-work"]');
  },
  '?view=settings': async (page) => {
    await page.locator('[data-setting] input[inputmode="numeric"]').first().fill('many');
    await page.locator('.field-problem').first().waitFor();
  },
  '?view=rules': async (page) => {
    await page.click('[data-add="rule"]');
    await page.locator('.rule-edit').last().locator('[name="verdict"]').selectOption('allow');
  },
  '?view=needs': (page) => page.locator('[data-need="moderation"]').waitFor(),
};

const nameOf = (query: string): string => query.replace('?view=', '').replaceAll(/[^a-z]+/g, '-');

test('on a phone no page is wider than the screen', async () => {
  const phone = await stage.viewer({ width: 400, height: 800, phone: true });
  await stage.signIn(phone, 'kim');
  const { page } = phone;
  for (const query of PAGE_QUERIES) {
    await openPage(page, query);
    assert.equal(
      await page.evaluate<number>(
        `Math.max(document.documentElement.scrollWidth, document.querySelector('.page')?.scrollWidth ?? 0)`,
      ),
      400,
      query,
    );
    await stage.shot(phone, `phone-${nameOf(query)}`);
  }
  await phone.close();
});

test('axe finds no serious fault on any page, light or dark, with an agent open beside it', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const kim = await stage.viewer({ colorScheme });
    await stage.signIn(kim, 'kim');
    const { page } = kim;
    for (const query of ['', '?agent=bob', ...PAGE_QUERIES.map((each) => each + (BESIDE[each] ?? ''))]) {
      await openPage(page, query);
      assert.deepEqual(await seriousFindings(page, colorScheme), [], `${colorScheme} ${query}`);
      await stage.shot(kim, `${colorScheme}-${nameOf(query)}`);
    }
    await kim.close();
  }
});

test('axe finds no serious fault in forms in use', async () => {
  const kim = await stage.viewer();
  await stage.signIn(kim, 'kim');
  const { page } = kim;
  for (const [query, fill] of Object.entries(FILL)) {
    await openPage(page, query);
    await fill(page);
    assert.deepEqual(await seriousFindings(page, 'light'), [], query);
    await stage.shot(kim, `filled-${nameOf(query)}`);
  }
  await kim.close();
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
