/** A bot speaks with Slack's stand-in: sockets that end, envelopes that come again, messages, files and presses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { atEnd, untilEnd } from '@hamlet/test/env/at-end';
import { until } from '@hamlet/test/env/until';
import { BotRefusal, type Received } from '../bot-port.ts';
import { SlackServer } from '../testing/slack-server.ts';
import { slackBot } from './slack-bot.ts';

const TOKENS = { app: 'xapp-1-A1-1-secret', bot: 'xoxb-1-1-secret' };
const ZOE = 'UZOE';
const CONFIRM_MS = 200;
const IDLE_MS = 50;
const slack = untilEnd(new SlackServer(TOKENS, CONFIRM_MS));
const url = await slack.start();
let aheadMs = 0;
const ports = { url, monotonicMs: () => performance.now() + aheadMs, paceMs: 0, idleMs: IDLE_MS };
const bot = slackBot(ports, 'ada', TOKENS);

const received: Received[] = [];
const failures: unknown[] = [];
const keep = async (each: Received): Promise<void> => void received.push(each);
let take = keep;

/** Receives until the returned step. */
function listen(): () => Promise<void> {
  const ending = new AbortController();
  const listening = (async () => {
    while (!ending.signal.aborted) {
      const failure = await bot.receive((each) => take(each), ending.signal).catch((error: unknown) => error);
      if (failure !== undefined) failures.push(failure);
      if (failure !== undefined) await sleep(10);
    }
  })();
  return async () => {
    ending.abort();
    await listening;
  };
}

const stop = listen();
atEnd(stop);

const next = (): Promise<Received> => until('a message', () => received.shift() ?? null);
const opened = (): number => slack.calls.filter((method) => method === 'apps.connections.open').length;
const textOf = ({ wish }: Received): string | null => (wish.kind === 'say' ? wish.text : null);
/** Lets the bot take its sockets for old ones. */
const grow = (ms: number): void => void (aheadMs += ms);

test('a message is confirmed after its work, and what the village ignores is confirmed too', async () => {
  slack.event(ZOE, 'Hello');
  assert.deepEqual((await next()).sender, { id: `T1 ${ZOE}`, name: ZOE });
  slack.event(ZOE, 'mine', { bot_id: 'B1' });
  slack.strange({ type: 'event_callback' });
  await until('the confirmations', () => slack.isEmpty);
  assert.deepEqual(received, []);
});

test('a message whose work fails comes again; one whose work is slow comes again and has one effect', async () => {
  let attempts = 0;
  take = async (each) => {
    attempts += 1;
    if (attempts === 1) throw new Error('down');
    await keep(each);
  };
  slack.event(ZOE, 'Twice');
  assert.equal(textOf(await next()), 'Twice');
  assert.match(String(failures.pop()), /down/);
  take = async (each) => {
    await sleep(2 * CONFIRM_MS);
    await keep(each);
  };
  slack.event(ZOE, 'Slow');
  assert.equal(textOf(await next()), 'Slow');
  await until('the confirmation', () => slack.isEmpty);
  take = keep;
  slack.event(ZOE, 'After');
  assert.equal(textOf(await next()), 'After');
  assert.deepEqual([attempts, received], [2, []]);
});

test('a socket that Slack ends, and one that is old, gives way to another, and no message is lost', async () => {
  for (const end of [() => slack.endSockets(true), () => slack.endSockets(false)]) {
    const before = opened();
    grow(20_000);
    end();
    slack.event(ZOE, 'Around the end');
    assert.equal(textOf(await next()), 'Around the end');
    await until('another socket alone', () => opened() > before && slack.sockets === 1);
  }
  const before = opened();
  grow(240_000);
  slack.event(ZOE, 'To the old one');
  await next();
  await until('another socket alone', () => opened() === before + 1 && slack.sockets === 1);
  assert.deepEqual([failures, await until('no rest', () => slack.isEmpty), received], [[], true, []]);
});

test('a socket that ends at once is a failure, and so is an app without Socket Mode', async () => {
  slack.endSockets(true);
  await until('the failure', () => /closed a new socket/.test(String(failures.pop())));
  await until('another socket alone', () => slack.sockets === 1);
  slack.refuseNext('apps.connections.open', 'ratelimited', 7);
  grow(240_000);
  slack.event(ZOE, 'To the old one');
  const refusal = await until('the refusal', () => failures.find((each) => each instanceof BotRefusal) ?? null);
  assert.deepEqual([refusal.retryAfterS, refusal.isFinal], [7, false]);
  await next();
  failures.length = 0;
});

test('without a receiver the socket closes, and it closes with the replica', async () => {
  const other = untilEnd(new SlackServer(TOKENS));
  const idle = slackBot({ ...ports, url: await other.start() }, 'ada', TOKENS);
  const receive = (signal: AbortSignal) => idle.receive(() => Promise.reject(new Error('full')), signal);
  other.event(ZOE, 'Wait');
  await assert.rejects(receive(new AbortController().signal), /full/);
  await until('no socket', () => other.sockets === 0);
  assert.equal(other.isEmpty, false, 'the message is not confirmed');
  const ending = new AbortController();
  const quiet = idle.receive(() => new Promise(() => undefined), ending.signal);
  await until('a socket', () => other.sockets === 1);
  ending.abort();
  await until('no socket', () => other.sockets === 0);
  quiet.catch(() => undefined);
});

test('a message can be sent, edited and deleted; a file keeps its name and type', async () => {
  const to = `T1 ${ZOE}`;
  const id = await bot.send({ to, text: '**Working** <!channel>', isMarkdown: true });
  assert.ok(id.length <= 64);
  await bot.edit(id, { to, text: '**Almost**', isMarkdown: true });
  await bot.remove(to, id);
  const sent = slack.sent.pop();
  assert.deepEqual(
    [sent?.text, sent?.styled, sent?.notice, slack.updates.pop()?.styled, slack.deleted],
    ['Working <!channel>', ['bold:Working'], '**Working** &lt;!channel&gt;', ['bold:Almost'], [sent?.ts]],
  );
  const content = new TextEncoder().encode('bread;2\n');
  await bot.sendFile({ to, name: 'Prices "ä".csv', mediaType: 'text/csv', content });
  assert.deepEqual(slack.files, [{ user: ZOE, name: 'Prices "ä".csv', mediaType: 'text/csv', text: 'bread;2\n' }]);
});

test('the longest part is taken, however it is formatted', async () => {
  for (const piece of ['**a**b ', '"\\', '&', '😀'])
    await bot.send({ to: `T1 ${ZOE}`, text: piece.repeat(bot.partMaxChars / piece.length), isMarkdown: true });
  assert.equal(slack.sent.splice(0).length, 4);
});

test('a refusal says whether and when to repeat, and never has a token', async () => {
  const send = () => bot.send({ to: `T1 ${ZOE}`, text: 'Hello' });
  const refusal = async (error: string, retryAfter?: number): Promise<BotRefusal> => {
    slack.refuseNext('chat.postMessage', error, retryAfter);
    const failure = await send().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(failure instanceof BotRefusal);
    return failure;
  };
  assert.equal((await refusal('ratelimited', 3)).retryAfterS, 3);
  assert.deepEqual([(await refusal('user_disabled')).isFinal, (await refusal('missing_scope')).isFinal], [true, false]);
  assert.equal((await refusal('ratelimited', 0)).isFinal, false);
  for (const passing of ['rate_limited', 'messages_tab_disabled', 'no_permission'])
    assert.equal((await refusal(passing)).isFinal, false, passing);
  const wrong = slackBot(ports, 'ada', { ...TOKENS, bot: 'xoxb-wrong' });
  await assert.rejects(wrong.send({ to: `T1 ${ZOE}`, text: 'x' }), (error: Error) => {
    assert.match(error.message, /invalid_auth/);
    assert.doesNotMatch(`${error.message} ${error.stack}`, /xoxb/);
    return error instanceof BotRefusal && !error.isFinal;
  });
});

test('a press that decides replaces the buttons by its words; another gets a message', async () => {
  const buttons = [{ text: 'Allow', data: 'p:00000000-0000-4000-8000-000000000001:a' }];
  await bot.send({ to: `T1 ${ZOE}`, text: 'May I?', buttons });
  const asked = slack.sent.pop();
  assert.deepEqual(asked?.buttons, [{ text: 'Allow', value: buttons[0]?.data }]);
  slack.press(ZOE, asked?.ts ?? '', buttons[0]?.data ?? '');
  const press = await next();
  assert.equal(press.wish.kind, 'answer');
  await bot.reply(press, { text: 'Only admins may.', isDecided: false });
  assert.deepEqual([slack.sent.pop()?.text, slack.updates], ['Only admins may.', []]);
  await bot.reply(press, { text: 'Noted: allow.', isDecided: true });
  const { ts, text, buttons: rest } = slack.updates.pop() ?? {};
  assert.deepEqual([ts, text, rest], [asked?.ts, 'May I?Noted: allow.', []]);
});

test('a link keeps the name of its person, or their id if the app may not read names', async () => {
  slack.event(ZOE, 'ABCDEFGHIJ');
  assert.equal((await next()).sender.name, `Person ${ZOE}`);
  slack.refuseNext('users.info', 'missing_scope');
  slack.event(ZOE, 'ABCDEFGHIJ');
  assert.equal((await next()).sender.name, ZOE);
});

test('messages in one conversation keep their pace', async () => {
  const slow = slackBot({ ...ports, paceMs: 60 }, 'ada', TOKENS);
  const beginMs = performance.now();
  for (let n = 0; n < 3; n += 1) await slow.send({ to: `T1 ${ZOE}`, text: `${n}` });
  assert.ok(performance.now() - beginMs >= 115, 'two pauses');
});
