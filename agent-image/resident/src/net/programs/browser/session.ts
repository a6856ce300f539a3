/**
 * The browser of one run: `session.ts FOLDER WORKSPACE`. It listens on a socket in the folder, starts Chromium with the first
 * operation, and performs one operation at a time. It ends with its process, after a time without operations, and when it uses
 * too much memory.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { faultOf, NetFault } from '../net-fault.ts';
import { isOwn, wayOutOf } from '../outgoing.ts';
import { MESSAGE_MAX_BYTES, SOCKET_NAME, type BrowserAnswer, type BrowserRequest } from './messages.ts';
import { openBrowser, type OpenBrowser } from './open-browser.ts';
import { operate } from './operate.ts';
import { DOWNLOAD_MAX_BYTES, tooLarge } from './download.ts';
import { startBrowserProxy, type BrowserProxy } from './traffic.ts';

const IDLE_MS = 900_000;
const MEMORY_PAGE_BYTES = 4_096;
const OLD_MS = 10_800_000;
const WATCH_MS = 500;
const MEMORY_MAX_BYTES = 1_400 << 20;
const PAGE_BYTES = 20 << 20;
const OPERATION_MS = 150_000;

const [folder = '', workspace = ''] = process.argv.slice(2);

interface Parts {
  readonly proxy: BrowserProxy;
  readonly browser: OpenBrowser;
}

let parts: Promise<Parts> | null = null;
let breakOff: (fault: NetFault) => void = () => {};
let isIdle = true;
/** The pending close of the page that the last operation gave up. The next operation waits for it. */
let closing: Promise<void> = Promise.resolve();

async function start(): Promise<Parts> {
  const proxy = await startBrowserProxy(wayOutOf(process.env));
  return { proxy, browser: await openBrowser({ proxy, folder }) };
}

async function perform({ run, call, operation }: BrowserRequest, signal: AbortSignal): Promise<BrowserAnswer> {
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  breakOff = broken.reject;
  isIdle = false;
  const late = setTimeout(() => breakOff(new NetFault('timed_out', 'The operation took too long')), OPERATION_MS);
  const gone = (): void => breakOff(new NetFault('cancelled', 'The call was ended'));
  signal.addEventListener('abort', gone, { once: true });
  try {
    parts ??= start();
    await Promise.race([closing, broken.promise]);
    const { proxy, browser } = await Promise.race([parts, broken.promise]);
    const bytes = operation.op === 'download' ? DOWNLOAD_MAX_BYTES + PAGE_BYTES : PAGE_BYTES;
    const target = operation.op === 'open' ? operation.url : (await browser.page()).url();
    const own = URL.canParse(target) && isOwn(new URL(target));
    const onSpent = (): void => {
      breakOff(operation.op === 'download' ? tooLarge() : pageTooLarge());
      closing = browser
        .page()
        .then((page) => page.close())
        .catch(() => {});
    };
    const traffic = proxy.begin({ user: `${run}/${call}`, bytesLeft: bytes, own, onSpent });
    const session = { browser, traffic, folder, workspace, proxy, signal };
    return await Promise.race([operate(session, operation), broken.promise]);
  } finally {
    clearTimeout(late);
    breakOff = () => {};
    isIdle = true;
  }
}

const pageTooLarge = (): NetFault =>
  new NetFault(
    'page_too_large',
    `The page loads more than ${PAGE_BYTES >> 20} MiB, so it was closed: read a part of it with http or curl`,
  );

async function answer(request: BrowserRequest, socket: Socket): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  if (socket.destroyed) return;
  const answered = await perform(request, gone.signal).catch((error: unknown): BrowserAnswer => {
    const { code, message } = faultOf(error);
    return { facts: { ok: false, code, message }, text: '' };
  });
  socket.end(`${JSON.stringify(answered)}\n`);
}

function leave(): void {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

/** Removes the folders of killed sessions: no session lives this long. */
function removeOld(sessions: string): void {
  mkdirSync(sessions, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(sessions)) {
    const path = join(sessions, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > OLD_MS) rmSync(path, { recursive: true, force: true });
  }
}

let queue: Promise<void> = Promise.resolve();
let idle = setTimeout(leave, IDLE_MS);

function serve(socket: Socket): void {
  let text = '';
  socket.on('error', () => socket.destroy());
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.length > MESSAGE_MAX_BYTES) socket.destroy();
    if (!text.endsWith('\n')) return;
    const request = JSON.parse(text) as BrowserRequest;
    clearTimeout(idle);
    queue = queue.then(() => answer(request, socket)).catch(() => {});
    void queue.then(() => {
      clearTimeout(idle);
      idle = setTimeout(leave, IDLE_MS);
    });
  });
}

setInterval(() => {
  if (parts === null || memoryOf(process.pid) < MEMORY_MAX_BYTES) return;
  const mebibytes = MEMORY_MAX_BYTES >> 20;
  breakOff(
    new NetFault(
      'browser_out_of_memory',
      `The page needs more than ${mebibytes} MiB, so the browser was closed: open another page`,
    ),
  );
  if (isIdle) leave();
}, WATCH_MS);

removeOld(dirname(folder));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true, mode: 0o700 });
createServer(serve).listen(join(folder, SOCKET_NAME));

/** The parent of a process and its own memory in bytes, without shared memory. Null if it has ended. */
function processOf(pid: string): { readonly parent: number; readonly bytes: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ', 1)[0]);
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
    return { parent, bytes: (resident - shared) * MEMORY_PAGE_BYTES };
  } catch {
    return null;
  }
}

function memoryOf(root: number): number {
  const all = new Map<number, { readonly parent: number; readonly bytes: number }>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? processOf(name) : null;
    if (found !== null) all.set(Number(name), found);
  }
  let [sum, family] = [0, new Set([root])];
  while (family.size > 0) {
    for (const pid of family) sum += all.get(pid)?.bytes ?? 0;
    const parents = family;
    family = new Set([...all].filter(([pid, { parent }]) => parents.has(parent) && pid !== root).map(([pid]) => pid));
  }
  return sum;
}
