/** The browser of a run: real Chromium in real hands, with pages on loopback behind a proxy that refuses as the broker does. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { untilEnd } from '@hamlet/test/env/at-end';
import { handsPrograms } from '../hands/hands-programs.ts';
import type { KeepArtifact } from '../artifacts/keep-artifact.ts';
import { goTo } from './programs/browser/operate.ts';
import { startNet } from './testing/a-net.ts';
import { startNetHands } from './testing/net-hands.ts';

const HOST = 'shop.test';
const at = (path: string): string => `http://${HOST}${path}`;
const FORM = `<!doctype html><title>Order</title><h1>Order</h1><form method="post" action="/order">
<label>Name <input name="name"></label><label><input type="checkbox" name="gift"> Gift</label>
<label>Size <select name="size"><option value="s">Small</option><option value="l">Large</option></select></label>
<button>Send order</button></form><a href="/next">Next page</a><a href="/report.csv" download>Report</a>
<script>fetch('/beacon', { method: 'POST', body: 'seen' }).catch(() => {})</script>`;

const posted: string[] = [];
const pictures: { name: string; bytes: Uint8Array }[] = [];

const keepArtifact: KeepArtifact = async (_run, _call, { name, bytes }) => {
  pictures.push({ name, bytes });
  return { kind: 'ok', value: { artifact_id: 'a1' } as never };
};

const net = untilEnd(await startNet());
const hands = untilEnd(await startNetHands(net, { keepArtifact }));
net.serve('127.0.0.1', (_request, response) => void response.end('A server of the same machine.'));
net.serve(HOST, (request, response) => {
  const { url = '', method } = request;
  const html = (body: string): void => void response.setHeader('content-type', 'text/html').end(body);
  if (method === 'POST')
    void request.toArray().then((parts) => {
      posted.push(`${url} ${Buffer.concat(parts).toString()}`);
      html(`<title>Thanks</title><p>Ordered.</p>`);
    });
  else if (url === '/form') html(FORM);
  else if (url === '/next') html('<title>Next</title><p>The next page.</p><script>window.open("/form")</script>');
  else if (url === '/to-private') response.writeHead(302, { location: 'http://10.0.0.7/admin' }).end();
  else if (url === '/to-own') response.writeHead(302, { location: `http://127.0.0.1:${net.ownPort}/` }).end();
  else if (url === '/report.csv')
    response.setHeader('content-disposition', 'attachment; filename="../re port.csv"').end('a,b\n1,2\n');
  else if (url === '/big.bin') endless(response.setHeader('content-type', 'application/octet-stream'), ' ');
  else if (url === '/huge')
    endless(response.setHeader('content-type', 'text/html'), 'a comment without end ', '<title>Huge</title><!--');
  else if (url === '/heavy') endless(response.setHeader('content-type', 'text/html'), '<p>x</p>');
  else if (url === '/loop') html('<title>Loop</title><script>for (;;);</script>');
  else if (url === '/hang') return;
  else response.writeHead(404).end();
});

/** Sends endlessly, as fast as its reader reads. */
function endless(response: ServerResponse, words: string, first = ''): void {
  response.setHeader('content-length', String(110 << 20));
  response.write(first);
  const part = Buffer.alloc(1 << 20, words);
  const push = (): void => {
    while (!response.destroyed && response.write(part));
    if (!response.destroyed) response.once('drain', push);
  };
  push();
}

const refOf = (page: string, words: RegExp): string => {
  const line = page.split('\n').find((each) => words.test(each)) ?? '';
  return /\[ref=((?:f\d+)?e\d+)\]/.exec(line)?.[1] ?? assert.fail(`no element ${String(words)} in ${page}`);
};

/** Chromium processes of the run, found by their environment. */
function chromiums(run: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('chromium') &&
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HAMLET_RUN=${run}`)
      );
    } catch {
      return false;
    }
  }).length;
}

test('a form can be filled in by role and name and submitted; sending requests are held back unless the call allows them', async () => {
  const place = { run: 'form' };
  const page = await hands.textOf('browser_open', { url: at('/form') }, place);
  assert.match(page, /^Order\nhttp:\/\/shop\.test\/form\n\[1 requests that would send something were held back/);
  assert.deepEqual(posted, [], 'the script of the page sent nothing');
  assert.deepEqual(
    net.asked.filter((line) => !line.includes(HOST)),
    [],
    'the browser itself sends no requests',
  );
  assert.deepEqual(pluck(hands.lastEnd()?.report.opened ?? [], 'url', 'title'), [[at('/form'), 'Order']]);
  const name = refOf(page, /textbox "Name"/);
  await hands.textOf('browser_fill', { ref: name, value: 'Ada' }, place);
  await hands.textOf('browser_fill', { ref: refOf(page, /checkbox "Gift"/), value: 'true' }, place);
  const filled = await hands.textOf('browser_fill', { ref: refOf(page, /combobox "Size"/), value: 'l' }, place);
  assert.equal(refOf(filled, /textbox "Name"/), name, 'an element keeps its ref');
  const button = refOf(filled, /button "Send order"/);
  const held = await hands.textOf('browser_click', { ref: button }, place);
  assert.match(held, /held back/);
  assert.deepEqual(posted, []);
  const again = await hands.textOf('browser_open', { url: at('/form') }, place);
  await hands.textOf('browser_fill', { ref: refOf(again, /textbox "Name"/), value: 'Ada' }, place);
  const sent = await hands.textOf('browser_click', { ref: refOf(again, /button "Send order"/), sends: true }, place);
  assert.match(sent, /^Thanks\nhttp:\/\/shop\.test\/order\n/);
  assert.deepEqual(posted, ['/order name=Ada&size=s']);
  assert.match(await hands.textOf('browser_read', { show: 'text' }, place), /\n\nOrdered\.$/);
  assert.equal(await hands.codeOf('browser_click', { ref: 'e999' }, place), 'element_unusable');
});

test('a picture is stored for people, and tabs are numbered', async () => {
  const place = { run: 'tabs' };
  await hands.textOf('browser_open', { url: at('/next') }, place);
  const tabs = await hands.textOf('browser_read', {}, place);
  assert.match(tabs, /Tab 1: Next [^]*Tab 2 \(this one\): Order /);
  assert.match(await hands.textOf('browser_read', { tab: 1 }, place), /^Next\n/);
  assert.equal(await hands.codeOf('browser_read', { tab: 9 }, place), 'no_such_tab');
  assert.match(await hands.textOf('browser_screenshot', { full_page: true }, place), /as Next\.jpg \(artifact a1\)/);
  assert.deepEqual(
    [
      pictures[0]?.name,
      Buffer.from(pictures[0]?.bytes ?? [])
        .subarray(0, 2)
        .toString('hex'),
    ],
    ['Next.jpg', 'ffd8'],
  );
  await handsPrograms(hands.socket).end('tabs');
});

test('a download by link or address is saved under a plain name; a large one is discarded', async () => {
  const place = { run: 'form' };
  const page = await hands.textOf('browser_open', { url: at('/form') }, place);
  const saved = await hands.textOf('browser_download', { ref: refOf(page, /link "Report"/) }, place);
  assert.match(saved, /saved as downloads\/_re port\.csv, 8 bytes/);
  assert.match(await hands.textOf('browser_download', { url: at('/report.csv') }, place), /downloads\/re port\.csv/);
  assert.equal(readFileSync(join(hands.workspace, 'downloads/re port.csv'), 'utf8'), 'a,b\n1,2\n');
  assert.equal(await hands.codeOf('browser_download', { url: at('/big.bin') }, place), 'download_too_large');
  assert.equal(await hands.codeOf('browser_download', { url: 'http://closed.test/x' }, place), 'egress_not_allowed');
  assert.deepEqual(readdirSync(join(hands.workspace, 'downloads')).toSorted(), ['_re port.csv', 're port.csv']);
});

test('a closed host and redirects to a private address or the pod itself are refused with the reason', async () => {
  const place = { run: 'form' };
  const code = (url: string): Promise<string> => hands.codeOf('browser_open', { url }, place);
  assert.equal(await code('https://closed.test/'), 'egress_not_allowed');
  assert.equal(await code('http://closed.test/'), 'egress_not_allowed');
  assert.equal(await code(at('/to-private')), 'egress_address_refused');
  assert.equal(await code(at('/to-own')), 'private_address');
  assert.match(await hands.textOf('browser_open', { url: `http://127.0.0.1:${net.ownPort}/` }, place), /same machine/);
});

test('a failed navigation ends after its error page, which would interrupt the next one', async () => {
  const page = Object.assign(new EventEmitter(), {
    goto: (): Promise<never> => Promise.reject(new Error('page.goto: net::ERR_TUNNEL_CONNECTION_FAILED')),
  });
  const order: string[] = [];
  const { signal } = new AbortController();
  const opened = goTo(page, 'http://a.test/', { timeoutMs: 1_000, signal }).catch(() => order.push('failed'));
  await setImmediate();
  page.emit('framenavigated', { parentFrame: () => ({}), url: () => 'chrome-error://chromewebdata/' });
  await setImmediate();
  order.push('error page');
  page.emit('framenavigated', { parentFrame: () => null, url: () => 'chrome-error://chromewebdata/' });
  await opened;
  assert.deepEqual(order, ['error page', 'failed']);
  assert.equal(page.listenerCount('framenavigated'), 0);
});

test('a hanging, endlessly busy or huge page fails only its own call', async (context) => {
  const place = { run: 'form' };
  // A busy machine may need seconds to leave the page.
  const hangs = await hands.codeOf('browser_open', { url: at('/hang'), timeout_s: 1 }, place);
  assert.ok(['timed_out', 'page_hangs'].includes(hangs), hangs);
  const begun = performance.now();
  assert.equal(await hands.codeOf('browser_open', { url: at('/huge'), timeout_s: 60 }, place), 'page_too_large');
  context.diagnostic(`a page of 110 MB is given up after ${Math.round(performance.now() - begun)} ms`);
  const heavy = await hands.use('browser_open', { url: at('/heavy'), timeout_s: 20 }, place);
  assert.ok(
    heavy.kind === 'failed' && /^(page_too_large|browser_out_of_memory|page_hangs|timed_out)$/.test(heavy.code),
    JSON.stringify(heavy),
  );
  const hung = await hands.use('browser_open', { url: at('/loop'), timeout_s: 2 }, place);
  assert.ok(hung.kind === 'failed' && ['timed_out', 'page_hangs'].includes(hung.code), JSON.stringify(hung));
  assert.match(
    await hands.textOf('browser_open', { url: at('/form') }, place),
    /^Order\n/,
    'the next call has a browser',
  );
});

test('two runs can have a browser at the same time; a third is refused until another run has ended', async () => {
  await hands.textOf('browser_open', { url: at('/form') }, { run: 'second' });
  assert.equal(await hands.codeOf('browser_open', { url: at('/form') }, { run: 'third' }), 'too_many_browsers');
  await handsPrograms(hands.socket).end('second');
  await hands.textOf('browser_open', { url: at('/form') }, { run: 'third' });
  await handsPrograms(hands.socket).end('third');
});

test("after a cancel during a navigation the call is unknown, and the run's browser is gone", async (context) => {
  const cancel = new AbortController();
  const place = { run: 'cancelled', signal: cancel.signal };
  await hands.textOf('browser_open', { url: at('/form') }, { run: 'cancelled' });
  assert.ok(chromiums('cancelled') > 0);
  const ended = hands.use('browser_open', { url: at('/hang'), timeout_s: 60 }, place);
  while (!net.asked.some((line) => line.startsWith('cancelled/') && line.endsWith('/hang'))) await delay(20);
  const begun = performance.now();
  cancel.abort();
  assert.equal((await ended).kind, 'unknown');
  await handsPrograms(hands.socket).end('cancelled');
  while (chromiums('cancelled') > 0) await delay(10);
  context.diagnostic(`gone after ${Math.round(performance.now() - begun)} ms`);
});
