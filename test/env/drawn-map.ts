import type { Page } from 'playwright-core';
import type { TestBrowser } from './browser.ts';

/** Position of an agent on the screen. */
export async function figureOf(
  page: Page,
  id: string,
): Promise<
  { readonly x: number; readonly y: number; readonly emote: string | null; readonly carried: string | null } | undefined
> {
  return page.evaluate(`window.__hamlet?.figures.find((figure) => figure.id === '${id}')`);
}

/** The state of the map for an error message: frames, agents and camera, the words on the page, and its errors. */
export async function mapState({ page, errors }: TestBrowser): Promise<unknown> {
  const map = await page.evaluate(
    `(() => { const probe = window.__hamlet; return { tick: probe?.tick, camera: probe?.camera, agents: probe?.agents, figures: probe?.figures, frames: probe?.frameMs.length, words: document.body.innerText.slice(0, 400) }; })()`,
  );
  return { map, url: page.url(), errors };
}

/** An agent that no bar or panel of a phone covers, in pixels of the page. */
export async function figureInTheOpen(page: Page): Promise<{ readonly x: number; readonly y: number } | undefined> {
  return page.evaluate(
    `(() => { const box = document.querySelector('canvas.map').getBoundingClientRect(); return window.__hamlet?.figures.map(({ x, y }) => ({ x: x + box.x, y: y + box.y })).find(({ x, y }) => document.elementFromPoint(x, y - 12)?.matches('canvas.map')); })()`,
  );
}
