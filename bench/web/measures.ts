import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { SharedBrowser, TestBrowser } from '@hamlet/test/env/browser';
import { until } from '@hamlet/test/env/until';
import { mainThreadWork, type MainThreadWork, type TraceEvent } from './trace.ts';

/**
 * Keeps the time from the start of the navigation to the second repaint after the map first has agents, and to the second repaint
 * after its ground is whole.
 */
const WATCH_TOWN = `const keep = (name) => requestAnimationFrame(() => requestAnimationFrame(() => { window[name] ??= performance.now(); }));
new MutationObserver((_, observer) => {
  const { figures = '0', ground } = document.querySelector('canvas[data-figures]')?.dataset ?? {};
  if (figures === '0') return;
  keep('townMs');
  if (ground !== 'whole') return;
  observer.disconnect();
  keep('wholeMs');
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-figures', 'data-ground'] });`;

export interface FirstTown {
  readonly ms: number;
  /** Time until no part of the ground is coarse. */
  readonly wholeMs: number;
  /** Bytes of each script and style that the page requested until its first picture, compressed by gzip. */
  readonly files: ReadonlyMap<string, number>;
}

/** Opens the village in a profile without a cache, and waits for its first picture with agents. */
export async function firstTown(browser: SharedBrowser, url: string, webDir: string): Promise<FirstTown> {
  const viewer = await browser.viewer();
  await viewer.context.addInitScript(WATCH_TOWN);
  await viewer.page.goto(url);
  const ms = await until('the first picture', () => viewer.page.evaluate<number | undefined>('window.townMs'));
  const paths = await viewer.page.evaluate<string[]>(
    `performance.getEntriesByType('resource').filter(({ startTime }) => startTime < townMs).map(({ name }) => new URL(name).pathname)`,
  );
  const wholeMs = await until('the whole ground', () => viewer.page.evaluate<number | undefined>('window.wholeMs'));
  await viewer.close();
  const loaded = [...new Set(paths)].filter((path) => /\.(js|css)$/.test(path));
  return {
    ms,
    wholeMs,
    files: new Map(loaded.map((path) => [path, gzipSync(readFileSync(join(webDir, path)), { level: 9 }).length])),
  };
}

/** The work of the page's main thread in some seconds. */
export async function frameWork({ page, context }: TestBrowser, seconds: number): Promise<MainThreadWork> {
  const browser = context.browser();
  if (browser === null) throw new Error('a trace needs a browser of its own');
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] });
  await sleep(seconds * 1_000);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  return mainThreadWork(traceEvents);
}

/** Keeps the milliseconds from a click on an agent to the repaint after its panel has content. */
const WATCH_PANEL = `addEventListener('click', ({ target, timeStamp }) => {
  if (target.closest('.agent-row') === null) return;
  const look = () => {
    const content = document.querySelector('.inspector .tab-panel');
    if (content === null || content.children.length === 0 || /^(Asking|Opening|Loading)/.test(content.innerText))
      requestAnimationFrame(look);
    else requestAnimationFrame(() => { window.panelMs = performance.now() - timeStamp; });
  };
  requestAnimationFrame(look);
}, true);`;

/** Opens the panels of agents by clicks, one after another. Returns the milliseconds of each. */
export async function panelTimes({ page }: TestBrowser, rounds: number): Promise<readonly number[]> {
  await page.evaluate(WATCH_PANEL);
  const ids = await page.locator('.agent-row').evaluateAll((rows) => rows.map((row) => row.dataset['agentId'] ?? ''));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await page.click(`.agent-row[data-agent-id="${ids[round % ids.length] ?? ''}"]`);
    times.push(await until('the panel', () => page.evaluate<number | undefined>('window.panelMs')));
    await page.evaluate('window.panelMs = undefined');
    await page.click('.inspector .panel-close');
    await page.locator('.inspector').waitFor({ state: 'detached' });
  }
  return times;
}

/** Processor time of all processes of the browser over some seconds, in percent of one core. */
export async function browserCpuPercent({ context }: TestBrowser, seconds: number): Promise<number> {
  const session = await context.browser()?.newBrowserCDPSession();
  if (session === undefined) throw new Error('counting the processes of a browser needs a browser of its own');
  const cpuSeconds = async (): Promise<number> =>
    (await session.send('SystemInfo.getProcessInfo')).processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  const before = await cpuSeconds();
  await sleep(seconds * 1_000);
  const percent = (100 * ((await cpuSeconds()) - before)) / seconds;
  await session.detach();
  return percent;
}
