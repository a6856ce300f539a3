import { createRequire } from 'node:module';
import type { BrowserContext, Locator, Page, Route, WebSocketRoute } from 'playwright-core';
import { NetFault } from '../net-fault.ts';
import type { SeenPage } from './messages.ts';
import type { BrowserProxy, Traffic } from './traffic.ts';

const EXECUTABLE = '/usr/bin/chromium';
const VIEWPORT = { width: 1_280, height: 800 };
const TABS_MAX = 5;
const OPENED_MAX = 20;
/** Generous, because a small pod or a busy machine is slow. */
const LAUNCH_MS = 60_000;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Chromium's own sandbox needs namespaces that a pod lacks; the pod is the sandbox. */
const FLAGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--disable-gpu',
  '--disable-background-networking',
];

/** The activity of pages during one operation. Mutable, because it is recorded meanwhile. */
export interface Watch {
  sends: boolean;
  held: number;
  opened: SeenPage[];
}

export interface OpenBrowser {
  readonly context: BrowserContext;
  readonly watch: Watch;
  page(): Promise<Page>;
  pages(): readonly Page[];
  turnTo(tab: number): Page;
  beginWatch(sends: boolean): void;
}

interface BrowserParts {
  readonly proxy: Pick<BrowserProxy, 'port' | 'want'>;
  readonly folder: string;
}

type Playwright = typeof import('playwright-core');

/** The library of the image. Fault `no_browser` if the image lacks it. */
function library(): Playwright {
  const load = createRequire(import.meta.url);
  for (const name of ['playwright', 'playwright-core'])
    try {
      return load(name) as Playwright;
    } catch {
      // The agents' image has `playwright` (and another version of `playwright-core`), a work tree only `playwright-core`.
    }
  throw new NetFault('no_browser', 'This image has no browser. An admin chooses the full one by agentPods.tools: full');
}

/** Starts Chromium behind the proxy, with one context for the run. Mutable, because tabs come and go. */
export async function openBrowser({ proxy, folder }: BrowserParts): Promise<OpenBrowser> {
  const { chromium } = library();
  const launched = await chromium
    .launch({
      executablePath: EXECUTABLE,
      args: FLAGS,
      timeout: LAUNCH_MS,
      downloadsPath: folder,
      proxy: { server: `http://127.0.0.1:${proxy.port}` },
    })
    .catch((error: unknown) => {
      const why = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
      throw new NetFault('no_browser', `Chromium does not start: ${why.slice(0, 300)}`);
    });
  const context = await launched.newContext({ viewport: VIEWPORT, serviceWorkers: 'block', acceptDownloads: true });
  const watch: Watch = { sends: false, held: 0, opened: [] };
  // Each hop of a redirect is a request of its own.
  context.on('request', (request) => proxy.want(new URL(request.url()).hostname));
  await guard(context, watch, proxy.want);
  let current: Page | null = null;
  context.on('page', (page) => {
    if (context.pages().length > TABS_MAX) return void page.close().catch(() => {});
    current = page;
    page.once('close', () => {
      if (current === page) current = context.pages().at(-1) ?? null;
    });
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame() && /^https?:/.test(frame.url()) && watch.opened.length < OPENED_MAX)
        watch.opened = [...watch.opened.filter(({ url }) => url !== frame.url()), { url: frame.url(), title: '' }];
    });
  });
  return {
    context,
    watch,
    pages: () => context.pages(),
    page: async () => current ?? (await context.newPage()),
    turnTo: (tab) => {
      const page = context.pages()[tab - 1];
      if (page === undefined)
        throw new NetFault('no_such_tab', `There is no tab ${tab}: read the page to see the tabs`);
      current = page;
      return page;
    },
    beginWatch: (sends) => Object.assign(watch, { sends, held: 0, opened: [] }),
  };
}

/** Holds back every sending request, unless the operation allows it. */
async function guard(context: BrowserContext, watch: Watch, want: (host: string) => void): Promise<void> {
  await context.route('**/*', async (route: Route) => {
    want(new URL(route.request().url()).hostname);
    if (watch.sends || READING.has(route.request().method())) return route.continue().catch(() => {});
    watch.held += 1;
    return route.abort('blockedbyclient').catch(() => {});
  });
  await context.routeWebSocket(/.*/, (socket: WebSocketRoute) => {
    want(new URL(socket.url()).hostname);
    if (watch.sends) return void socket.connectToServer();
    watch.held += 1;
    void socket.close();
  });
}

export interface Session {
  readonly browser: OpenBrowser;
  readonly traffic: Traffic;
  readonly folder: string;
  readonly workspace: string;
  readonly proxy: Pick<BrowserProxy, 'port' | 'want'>;
  /** Aborts if the caller is gone. */
  readonly signal: AbortSignal;
}

export const elementOf = (page: Page, ref: string): Locator => page.getByRef(ref);
