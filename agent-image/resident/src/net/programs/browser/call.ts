/**
 * One call of the browser: sends the `BrowserRequest` from standard input to the run's session, writes the page to standard
 * output and the facts to standard error. If this process ends, the session stops its operation.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { MESSAGE_MAX_BYTES, SOCKET_NAME, type BrowserAnswer, type BrowserRequest } from './messages.ts';

const START_MS = 30_000;
const PAUSE_MS = 50;

const failure = (code: string, message: string): BrowserAnswer => ({ facts: { ok: false, code, message }, text: '' });

async function connected(path: string): Promise<Socket | null> {
  for (let waited = 0; waited < START_MS; waited += PAUSE_MS) {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      await delay(PAUSE_MS);
    }
  }
  return null;
}

async function answerTo(request: BrowserRequest): Promise<BrowserAnswer> {
  const socket = await connected(join(request.folder, SOCKET_NAME));
  if (socket === null) return failure('browser_ended', 'The browser does not start. Try again.');
  socket.on('error', () => {});
  socket.write(`${JSON.stringify(request)}\n`);
  let text = '';
  for await (const part of socket.setEncoding('utf8')) {
    text += String(part);
    if (text.length > MESSAGE_MAX_BYTES || text.endsWith('\n')) break;
  }
  socket.destroy();
  if (text.endsWith('\n')) return JSON.parse(text) as BrowserAnswer;
  return failure('browser_ended', 'The browser ended during the call: open the page again.');
}

const { facts, text } = await answerTo(JSON.parse(await readAll(process.stdin)) as BrowserRequest);
await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
process.stderr.write(`${JSON.stringify(facts)}\n`, () => process.exit(0));
