import { createWriteStream, existsSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NetFault } from '../net-fault.ts';
import { nextAddress, send, webAddress, type WayOut } from '../outgoing.ts';
import type { BrowserFacts } from '../../program-facts.ts';
import { elementOf, type Session } from './open-browser.ts';

export const DOWNLOAD_MAX_BYTES = 100 << 20;
const DOWNLOAD_MS = 120_000;
const CLICK_MS = 10_000;
const REDIRECTS_MAX = 5;
const NAMES_MAX = 1_000;
const NAME_MAX_CHARS = 120;

export const tooLarge = (): NetFault =>
  new NetFault('download_too_large', `The file has more than ${DOWNLOAD_MAX_BYTES >> 20} MiB, and was not kept`);

type KeptFile = Extract<BrowserFacts, { ok: true }>['file'];
type Asked = Readonly<{ ref?: string | undefined; url?: string | undefined }>;

/** Saves a file below /workspace/downloads under an unused name. */
export async function download(session: Session, { ref, url }: Asked): Promise<KeptFile> {
  return url === undefined ? byLink(session, ref ?? '') : byAddress(session, webAddress(url));
}

async function byLink(session: Session, ref: string): Promise<KeptFile> {
  const page = await session.browser.page();
  const waiting = page.waitForEvent('download', { timeout: DOWNLOAD_MS });
  waiting.catch(() => {});
  await elementOf(page, ref)
    .click({ timeout: CLICK_MS })
    .catch((error: unknown) => {
      const why = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
      throw new NetFault('element_unusable', `${why.slice(0, 300)}. Read the page again: its refs may have changed`);
    });
  const begun = await Promise.race([waiting, page.waitForTimeout(CLICK_MS).then(() => null)]);
  if (begun === null) throw new NetFault('no_download', 'The element begins no download: use the address of the file');
  const path = freePath(session.workspace, begun.suggestedFilename());
  await begun.saveAs(path).catch((error: unknown) => {
    rmSync(path, { force: true });
    if (session.traffic.bytesLeft < 0) throw tooLarge();
    throw new NetFault('download_failed', error instanceof Error ? error.message.slice(0, 300) : String(error));
  });
  return kept(session, path);
}

/** Requests the file with the cookies of the browser and through its proxy, without showing it. */
async function byAddress(session: Session, first: URL): Promise<KeptFile> {
  const { browser, traffic, signal, proxy } = session;
  const way: WayOut = { host: '127.0.0.1', port: proxy.port, authorization: '' };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_MS)]);
  let url = first;
  for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
    proxy.want(url.hostname);
    const cookies = await browser.context.cookies(url.href);
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const headers = { accept: '*/*', ...(cookie === '' ? {} : { cookie }) };
    const answer = await send({ method: 'GET', url, headers, signal: limit }, way).catch((error: unknown) => {
      throw traffic.refusals.get(url.hostname) ?? error;
    });
    const { location } = answer.headers;
    const status = answer.statusCode ?? 0;
    if (location !== undefined && status >= 300 && status < 400) {
      answer.destroy();
      url = nextAddress(location, url);
      continue;
    }
    if (status !== 200) {
      answer.destroy();
      throw new NetFault('download_failed', `The server answered with the status ${status}`);
    }
    const path = freePath(session.workspace, nameIn(answer.headers['content-disposition'], url));
    await save(answer, path);
    browser.watch.opened = [...browser.watch.opened, { url: url.href, title: '' }];
    return kept(session, path);
  }
  throw new NetFault(
    'too_many_redirects',
    `The address redirects more than ${REDIRECTS_MAX} times: use another address`,
  );
}

async function save(answer: NodeJS.ReadableStream, path: string): Promise<void> {
  let bytes = 0;
  const limited = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      done(bytes > DOWNLOAD_MAX_BYTES ? tooLarge() : null, chunk);
    },
  });
  try {
    await pipeline(answer, limited, createWriteStream(path, { flags: 'wx' }));
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

function kept({ workspace }: Session, path: string): KeptFile {
  const { size: bytes } = statSync(path);
  if (bytes > DOWNLOAD_MAX_BYTES) {
    rmSync(path, { force: true });
    throw tooLarge();
  }
  const relative = path.slice(workspace.length + 1);
  return { path: relative, bytes, name: relative.slice(relative.lastIndexOf('/') + 1) };
}

/** An unused path below the folder of downloads. The folder must not be a link. */
function freePath(workspace: string, suggested: string): string {
  const folder = join(workspace, 'downloads');
  mkdirSync(folder, { recursive: true });
  if (!lstatSync(folder).isDirectory())
    throw new NetFault(
      'outside',
      'downloads in the workspace is not a folder: remove it, so that a folder can be created',
    );
  const name = plainName(suggested);
  const [extension, stem] = [extname(name), name.slice(0, name.length - extname(name).length)];
  for (let number = 1; number < NAMES_MAX; number += 1) {
    const path = join(folder, number === 1 ? name : `${stem}-${number}${extension}`);
    if (!existsSync(path)) return path;
  }
  throw new NetFault('download_failed', 'downloads has too many files of this name: remove some');
}

/** A file name from a server's text: no folder, and no invisible characters. Pure. */
export function plainName(suggested: string): string {
  const last = suggested.split(/[/\\]/).at(-1) ?? '';
  const name = last
    .toWellFormed()
    .replaceAll(/[^\p{L}\p{N} ._()+-]/gu, '_')
    .replaceAll(/^[. ]+|[. ]+$/g, '');
  const short = name.length <= NAME_MAX_CHARS ? name : name.slice(0, NAME_MAX_CHARS - 20) + name.slice(-20);
  return short === '' ? 'download' : short;
}

function nameIn(disposition: string | undefined, url: URL): string {
  const named = /filename\s*=\s*"?([^";]{1,300})"?/i.exec(disposition ?? '')?.[1];
  if (named !== undefined) return named;
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
