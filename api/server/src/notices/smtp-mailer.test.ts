import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { SMTPServer } from 'smtp-server';
import { NoticeRefusal } from './notice-refusal.ts';
import { smtpMailer } from './smtp-mailer.ts';
import { startMailServer } from './testing/mail-server.ts';

const server = await startMailServer();
const settings = {
  host: '127.0.0.1',
  port: server.port,
  tls: 'none' as const,
  from: 'village@example.org',
  login: null,
  publicUrl: new URL('https://village.example'),
};
const mailer = smtpMailer(settings);
const letter = { to: 'ada@example.org', subject: 'Hamlet', text: 'Words', leaveUrl: null };

test('an address counts as refused only if the server refuses the recipient, and not the sender, a relay or the login', async () => {
  const isOfAddress = async (at: 'sender' | 'recipient', code: number, words: string): Promise<boolean> => {
    server.state.refusal = { at, code, words };
    const failure = await mailer(letter).then(
      () => null,
      (error: unknown) => error,
    );
    assert.ok(failure instanceof NoticeRefusal);
    return failure.about.isOfAddress;
  };
  for (const words of ['no such mailbox', '5.1.1 no such mailbox', '5.2.1 the mailbox is off'])
    assert.equal(await isOfAddress('recipient', 550, words), true, words);
  assert.equal(await isOfAddress('sender', 550, '5.1.1 no such sender'), false);
  assert.equal(await isOfAddress('sender', 553, 'sign in first'), false);
  for (const words of ['5.7.1 relay access denied', '5.7.1 not your sender', '5.1.8 sender domain not found'])
    assert.equal(await isOfAddress('recipient', 550, words), false, words);
  assert.equal(await isOfAddress('recipient', 450, '4.2.1 try later'), false);
});

test('an email has a limit of time as a whole', async () => {
  server.state.silent = true;
  await assert.rejects(smtpMailer(settings, 200)(letter), { name: 'NoticeRefusal', code: 'TOO_SLOW' });
  server.state.silent = false;
});

test('a server without a name is asked with TLS for its certificate, which must be valid', async () => {
  const unknown = new SMTPServer({ secure: true, logger: false });
  unknown.on('error', () => undefined);
  untilEnd({ remove: () => new Promise<void>((resolve) => unknown.close(() => resolve())) });
  const listener = unknown.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  assert.ok(address !== null && typeof address === 'object');
  const sending = smtpMailer({ ...settings, port: address.port, tls: 'tls' })(letter);
  await assert.rejects(sending, ({ cause }: Error) => /certificate/.test(String(cause)));
});
