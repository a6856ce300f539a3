import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import type { BrowserFacts } from '../../program-facts.ts';
import { NetFault } from '../net-fault.ts';
import { download } from './download.ts';
import type { BrowserAnswer, BrowserOperation } from './messages.ts';
import { elementOf, type Session } from './open-browser.ts';
import type { Traffic } from './traffic.ts';

const ACTION_MS = 10_000;
const LOAD_MS = 10_000;
const QUIET_MS = 1_500;
const SNAPSHOT_MS = 15_000;
const TEXT_MAX_CHARS = 2_000_000;
const TITLE_MAX_CHARS = 300;
const PICTURE_MAX_PX = 8_000;

type KeptFile = Extract<BrowserFacts, { ok: true }>['file'];

/** Carries out one operation, and describes the page after it. Rejects with `NetFault`. */
export async function operate(session: Session, operation: BrowserOperation): Promise<BrowserAnswer> {
  const { browser } = session;
  browser.beginWatch('sends' in operation && operation.sends);
  try {
    const file = await act(session, operation);
    const page = await browser.page();
    const hasPage = operation.op !== 'screenshot' && operation.op !== 'download';
    const text = hasPage ? await shown(page, operation) : '';
    return { facts: await factsOf(session, page, file), text };
  } finally {
    browser.watch.sends = false;
  }
}

async function act(session: Session, operation: BrowserOperation): Promise<KeptFile> {
  const { browser } = session;
  switch (operation.op) {
    case 'open':
      await open(session, operation);
      return null;
    case 'read':
      if (operation.tab !== undefined) browser.turnTo(operation.tab);
      return null;
    case 'click':
      await settled(session, (page) => elementOf(page, operation.ref).click({ timeout: ACTION_MS }));
      return null;
    case 'fill':
      await settled(session, (page) => fill(elementOf(page, operation.ref), operation));
      return null;
    case 'screenshot':
      return picture(session, operation.fullPage);
    case 'download':
      return download(session, operation);
  }
}

async function open(session: Session, { url, timeoutMs }: { url: string; timeoutMs: number }): Promise<void> {
  const { browser, traffic, signal } = session;
  const page = await browser.page();
  try {
    await goTo(page, url, { timeoutMs, signal });
  } catch (error) {
    const fault = asFault(error, { url: new URL(url), traffic });
    if (fault.code === 'timed_out') await leave(page);
    throw fault;
  }
  const refusal = traffic.refusals.get(new URL(page.url()).hostname);
  if (refusal !== undefined && browser.watch.opened.length <= 1) throw refusal;
  await quiet(page);
}

type SeeFrame = (frame: Pick<Frame, 'url' | 'parentFrame'>) => void;
interface Opening {
  goto(url: string, options: Parameters<Page['goto']>[1]): Promise<unknown>;
  on(event: 'framenavigated', listener: SeeFrame): unknown;
  off(event: 'framenavigated', listener: SeeFrame): unknown;
}

/** Opens an address. A failed navigation waits for its error page, which would otherwise interrupt the next one. */
export async function goTo(
  page: Opening,
  url: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const errorPage = Promise.withResolvers<void>();
  const see: SeeFrame = (frame) => {
    if (frame.parentFrame() === null && frame.url().startsWith('chrome-error:')) errorPage.resolve();
  };
  page.on('framenavigated', see);
  try {
    await page.goto(url, { waitUntil: 'domcontentloaded', timeout: timeoutMs, signal });
  } catch (error) {
    // Other failures, such as the start of a download, end without an error page.
    if (/net::ERR_(?!ABORTED)/.test(String(error))) await within(errorPage.promise, ACTION_MS).catch(() => {});
    throw error;
  } finally {
    page.off('framenavigated', see);
  }
}

/** Stops the loading page. A page whose scripts never rest cannot be left, so the whole browser is closed. */
const leave = (page: Pick<Page, 'goto'>): Promise<unknown> =>
  within(
    page.goto('about:blank', { timeout: 0 }).catch(() => {}),
    ACTION_MS,
  );

/** Chromium's error name, or the first words of another error. Pure. */
const reasonIn = (message: string): string =>
  /net::(ERR_[A-Z_]+)/.exec(message)?.[1] ?? `it does not load (${message.replace(/\n[^]*/, '').slice(0, 300)})`;

function asFault(error: unknown, { url, traffic }: { readonly url: URL; readonly traffic: Traffic }): NetFault {
  if (error instanceof NetFault) return error;
  const message = error instanceof Error ? error.message : String(error);
  const refusal = traffic.refusals.get(url.hostname);
  if (refusal !== undefined) return refusal;
  if (/Timeout/.test(message)) return new NetFault('timed_out', `${url.href} does not load in time. Try again later`);
  if (/Download is starting/.test(message))
    return new NetFault('is_download', 'The address is a file: use browser_download with its address');
  // A redirect led to another host, which was refused.
  const other = /ERR_TUNNEL|ERR_PROXY|ERR_EMPTY|ERR_HTTP_RESPONSE/.test(message)
    ? [...traffic.refusals.values()].at(-1)
    : undefined;
  if (other !== undefined) return other;
  return new NetFault('unreachable', `${url.href.slice(0, 300)}: ${reasonIn(message)}`);
}

/** Acts on the page, and waits until the resulting loads have finished. */
async function settled({ browser }: Session, perform: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.page();
  try {
    await perform(page);
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    if (error instanceof NetFault) throw error;
    throw new NetFault('element_unusable', `${message.slice(0, 300)}. Read the page again: its refs may have changed`);
  }
  await quiet(await browser.page());
}

async function quiet(page: Page): Promise<void> {
  await page.waitForTimeout(100).catch(() => {});
  await page.waitForLoadState('load', { timeout: LOAD_MS }).catch(() => {});
  await page.waitForLoadState('networkidle', { timeout: QUIET_MS }).catch(() => {});
}

async function fill(element: Locator, { value, submit }: { value: string; submit: boolean }): Promise<void> {
  const options = { timeout: ACTION_MS };
  const kind = await element.evaluate(
    (node) => `${node.nodeName} ${node.getAttribute('type') ?? ''}`.toLowerCase(),
    undefined,
    options,
  );
  if (kind.startsWith('select')) await element.selectOption(value, options);
  else if (/^input (checkbox|radio)/.test(kind)) await element.setChecked(value === 'true', options);
  else await element.fill(value, options);
  if (submit) await element.press('Enter', options);
}

async function shown(page: Page, operation: BrowserOperation): Promise<string> {
  const asText = operation.op === 'read' && operation.show === 'text';
  const reading = asText
    ? page.evaluate<string>('document.body?.innerText ?? ""')
    : page.ariaSnapshot({ mode: 'ai', timeout: SNAPSHOT_MS });
  const text = await within(reading, SNAPSHOT_MS);
  return text.slice(0, TEXT_MAX_CHARS).toWellFormed();
}

/** A page whose scripts never rest does not answer. Fault `page_hangs`, after which the session ends. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  work.catch(() => {});
  const over = new AbortController();
  const late = new Promise<never>((_resolve, reject) => {
    const fault = new NetFault('page_hangs', 'The page does not answer, so the browser was closed: open another page');
    const timer = setTimeout(() => reject(fault), ms);
    over.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

async function picture({ browser, folder }: Session, fullPage: boolean): Promise<KeptFile> {
  const page = await browser.page();
  const height = fullPage ? await within(page.evaluate<number>('document.documentElement.scrollHeight'), ACTION_MS) : 0;
  const width = page.viewportSize()?.width ?? PICTURE_MAX_PX;
  const path = join(folder, 'screenshot.jpg');
  const clip = fullPage ? { clip: { x: 0, y: 0, width, height: Math.min(PICTURE_MAX_PX, Math.max(1, height)) } } : {};
  await within(page.screenshot({ path, type: 'jpeg', quality: 75, fullPage, ...clip }), SNAPSHOT_MS);
  return { path, bytes: statSync(path).size, name: 'screenshot.jpg' };
}

async function factsOf({ browser }: Session, page: Page, file: KeptFile): Promise<BrowserFacts> {
  const titleOf = async (each: Page): Promise<string> =>
    (await within(each.title(), ACTION_MS).catch(() => '')).slice(0, TITLE_MAX_CHARS).toWellFormed();
  const title = await titleOf(page);
  const url = page.url().slice(0, 2_048);
  const tabs = await Promise.all(
    browser
      .pages()
      .map(async (each) => ({ url: each.url().slice(0, 300), title: await titleOf(each), current: each === page })),
  );
  const { held } = browser.watch;
  const opened = browser.watch.opened
    .filter((seen) => seen.url.length <= 2_048)
    .map((seen) => ({ url: seen.url, title: seen.url === page.url() ? title : '' }));
  return { ok: true, url, title, opened, held, tabs, file };
}
