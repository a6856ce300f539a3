import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MailRefusal, smtpMailer } from './smtp-mailer.ts';
import { startMailServer } from './testing/mail-server.ts';

const server = await startMailServer();
const mailer = smtpMailer({
  host: '127.0.0.1',
  port: server.port,
  tls: 'none',
  from: 'village@example.org',
  login: null,
  publicUrl: new URL('https://village.example'),
});

test('an address counts as refused only if the server refuses the recipient, and not the sender, a relay or the login', async () => {
  const isOfAddress = async (at: 'sender' | 'recipient', code: number, words: string): Promise<boolean> => {
    server.state.refusal = { at, code, words };
    const letter = { to: 'ada@example.org', subject: 'Hamlet', text: 'Words', leaveUrl: null };
    const failure = await mailer(letter).then(
      () => null,
      (error: unknown) => error,
    );
    assert.ok(failure instanceof MailRefusal);
    return failure.isOfAddress;
  };
  for (const words of ['no such mailbox', '5.1.1 no such mailbox', '5.2.1 the mailbox is off'])
    assert.equal(await isOfAddress('recipient', 550, words), true, words);
  assert.equal(await isOfAddress('sender', 550, '5.1.1 no such sender'), false);
  assert.equal(await isOfAddress('sender', 553, 'sign in first'), false);
  for (const words of ['5.7.1 relay access denied', '5.7.1 not your sender', '5.1.8 sender domain not found'])
    assert.equal(await isOfAddress('recipient', 550, words), false, words);
  assert.equal(await isOfAddress('recipient', 450, '4.2.1 try later'), false);
});
