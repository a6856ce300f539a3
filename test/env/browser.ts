import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type BrowserContextOptions, type Page, type Request } from 'playwright-core';
import { secrets } from '../../local/village/secrets.ts';

/** Debian's package `chromium`; `HAMLET_CHROMIUM` overrides it. */
const EXECUTABLE = process.env['HAMLET_CHROMIUM'] ?? '/usr/bin/chromium';
/** Longest wait for a condition. */
const WAIT_CAP_MS = 120_000;

/**
 * No GPU: SwiftShader draws WebGL. No telemetry. `--no-sandbox` because tests run as root, where Chromium's own
 * sandbox refuses to start; the pages are ours.
 */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface BrowserOptions {
  /** Size of the window in CSS pixels; default 1280 × 800. */
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** A phone: touch, and twice the pixels. */
  readonly phone?: boolean;
  readonly reducedMotion?: 'reduce';
}

/** A headless browser with its own profile. */
export interface TestBrowser {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors that the page logged, with their addresses, and uncaught exceptions. */
  readonly errors: readonly string[];
  /** The requests that have no complete answer yet, such as open streams: method, path and milliseconds since the start. */
  pending(): readonly string[];
  close(): Promise<void>;
}

/** Starts Chromium; `close` ends it and removes its profile. */
export async function openBrowser(options: BrowserOptions = {}): Promise<TestBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'hamlet-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    headless: true,
    args: FLAGS,
    ...contextOf(options),
  });
  return {
    ...(await watched(context)),
    async close() {
      await context.close();
      // Helper processes of Chromium write to the profile for a moment after it has ended.
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function watched(context: BrowserContext): Promise<Omit<TestBrowser, 'close'>> {
  context.setDefaultTimeout(WAIT_CAP_MS);
  const page = context.pages()[0] ?? (await context.newPage());
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`.trim());
  });
  page.on('pageerror', (error) => {
    errors.push(error.message);
  });
  return { page, context, errors, pending: watchRequests(page) };
}

function watchRequests(page: Page): TestBrowser['pending'] {
  const begun = new Map<Request, number>();
  page.on('request', (request) => begun.set(request, Date.now()));
  page.on('requestfinished', (request) => begun.delete(request));
  page.on('requestfailed', (request) => begun.delete(request));
  return () =>
    [...begun].map(([request, at]) => `${request.method()} ${new URL(request.url()).pathname} ${Date.now() - at} ms`);
}

/** One browser for many viewers, each with cookies and storage of its own. */
export interface SharedBrowser {
  viewer(options?: BrowserOptions): Promise<TestBrowser>;
  close(): Promise<void>;
}

export async function openSharedBrowser(): Promise<SharedBrowser> {
  const browser = await chromium.launch({ executablePath: EXECUTABLE, headless: true, args: FLAGS });
  return {
    async viewer(options = {}) {
      const context = await browser.newContext(contextOf(options));
      return { ...(await watched(context)), close: () => context.close() };
    },
    close: () => browser.close(),
  };
}

function contextOf({
  width = 1280,
  height = 800,
  colorScheme = 'light',
  phone = false,
  reducedMotion,
}: BrowserOptions): BrowserContextOptions {
  return {
    viewport: { width, height },
    colorScheme,
    hasTouch: phone,
    deviceScaleFactor: phone ? 2 : 1,
    ...(reducedMotion === undefined ? {} : { reducedMotion }),
  };
}

/** Signs the page in as the first admin of the village that `make up` started. */
export async function signIn(page: Page): Promise<void> {
  const { adminName, adminPassword } = secrets();
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  await page.fill('.dialog input[name="name"]', adminName);
  await page.fill('.dialog input[name="password"]', adminPassword);
  await page.click('.dialog button[type="submit"]');
  await page.waitForSelector('.account-name');
}

/** Navigates without a reload. A page that covers the map also stops the map from being drawn. */
export async function visit(page: Page, query: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '/${query}'); dispatchEvent(new PopStateEvent('popstate'))`);
}
