import assert from 'node:assert/strict';
import { once } from 'node:events';
import { untilEnd } from '@hamlet/test/env/at-end';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** By lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

const bytesOf = (body: string, encoding: string | undefined): Buffer =>
  encoding === 'base64'
    ? Buffer.from(body, 'base64')
    : encoding === 'quoted-printable'
      ? Buffer.from(
          body
            .replaceAll(/=\r\n/g, '')
            .replaceAll(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16))),
          'latin1',
        )
      : Buffer.from(body, 'latin1');

/** Reads a message strictly: CRLF alone ends a line, no line is longer than RFC 5322 allows, no header comes twice. */
function parse(message: string): Pick<ReceivedMail, 'headers' | 'text'> {
  assert.doesNotMatch(message.replaceAll('\r\n', ''), /[\r\n]/, 'a bare CR or LF');
  assert.ok(message.split('\r\n').every((line) => line.length <= 998));
  const end = message.indexOf('\r\n\r\n');
  const lines = message
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf(':');
    assert.match(line.slice(0, at), /^[!-9;-~]+$/, line);
    assert.ok(!headers.has(line.slice(0, at).toLowerCase()), line);
    headers.set(line.slice(0, at).toLowerCase(), line.slice(at + 1).trim());
  }
  return { headers, text: bytesOf(message.slice(end + 4), headers.get('content-transfer-encoding')).toString('utf8') };
}

interface Refusal {
  readonly at: 'sender' | 'recipient';
  readonly code: number;
  readonly words: string;
}

/**
 * A mail server on loopback that keeps what it receives. It refuses addresses of refused.example permanently, everything while it is
 * `down`, at one command while `refusal` is set, and answers no sender while it is `silent`.
 */
export async function startMailServer() {
  const mails: ReceivedMail[] = [];
  const state: { down: boolean; silent: boolean; refusal: Refusal | null } = {
    down: false,
    silent: false,
    refusal: null,
  };
  const fail = (responseCode: number, message: string): Error => Object.assign(new Error(message), { responseCode });
  const refusalAt = (command: Refusal['at']): Error | null =>
    state.refusal?.at === command ? fail(state.refusal.code, state.refusal.words) : null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onMailFrom: (_address, _session, done) => {
      if (!state.silent) done(refusalAt('sender'));
    },
    onRcptTo: ({ address }, _session, done) =>
      done(
        state.down
          ? fail(451, 'try later')
          : address.endsWith('@refused.example')
            ? fail(550, 'no such mailbox')
            : refusalAt('recipient'),
      ),
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, ...parse(Buffer.concat(chunks).toString('latin1')) });
        done(null);
      });
    },
  });
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  assert.ok(address !== null && typeof address === 'object');
  untilEnd({ remove: () => new Promise<void>((resolve) => server.close(() => resolve())) });
  return { port: address.port, mails, state };
}
