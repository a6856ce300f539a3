import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPayload } from './read-payload.ts';
import { plainText, richText } from './rich-text.ts';
import { addressOfSlack } from './slack-api.ts';
import { noticeText, readSlackText } from './slack-text.ts';

test('the text of a message becomes what its person wrote', () => {
  assert.equal(readSlackText('a &lt;b&gt; &amp;&amp; c &amp;lt;'), 'a <b> && c &lt;');
  assert.equal(readSlackText('<https://x.org/?a=1&amp;b=2>'), 'https://x.org/?a=1&b=2');
  assert.equal(readSlackText('<http://x.org|x.org> <https://x.org|the page>'), 'x.org the page (https://x.org)');
  assert.equal(readSlackText('<mailto:a@x.org|a@x.org>'), 'a@x.org');
  assert.equal(
    readSlackText('<@U1> in <#C1|bread>, <!here> and <!subteam^S1|@bakers>'),
    '@U1 in #bread, @here and @bakers',
  );
});

test('a notification has no mention, link or formatting of Slack, and is short', () => {
  assert.equal(noticeText('<!channel> & <https://x.org|x>'), '&lt;!channel&gt; &amp; &lt;https://x.org|x&gt;');
  assert.ok(noticeText('word '.repeat(100)).length <= 150);
  assert.equal(noticeText('  '), '…');
});

test('Markdown becomes rich text; mentions and HTML stay text', () => {
  const markdown =
    '# Title\nSome **bold**, `a < b` and [a](https://x.org/?a=1&b=2).\n```ts\nif (a && b) {}\n```\n<!channel> [a](javascript:x)';
  assert.deepEqual(richText(markdown).elements, [
    {
      type: 'rich_text_section',
      elements: [
        { type: 'text', text: 'Title', style: { bold: true } },
        { type: 'text', text: '\nSome ' },
        { type: 'text', text: 'bold', style: { bold: true } },
        { type: 'text', text: ', ' },
        { type: 'text', text: 'a < b', style: { code: true } },
        { type: 'text', text: ' and ' },
        { type: 'link', text: 'a', url: 'https://x.org/?a=1&b=2' },
        { type: 'text', text: '.' },
      ],
    },
    { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'if (a && b) {}' }] },
    { type: 'rich_text_section', elements: [{ type: 'text', text: '<!channel> [a](javascript:x)' }] },
  ]);
  assert.deepEqual(richText('```\n```').elements.length, 1, 'an empty block of code');
});

test('formatting that takes more room than Slack gives is left out', () => {
  const many = '**a**b '.repeat(400);
  assert.ok(many.length < 3_000);
  assert.deepEqual(richText(many), plainText(many));
});

const event = (of: object, more: object = {}) => ({
  type: 'event_callback',
  team_id: 'T1',
  event_id: 'Ev1',
  event: { type: 'message', channel_type: 'im', user: 'U1', text: 'Hello', ...of },
  ...more,
});
const wishOf = (payload: unknown) => readPayload(payload)?.received.wish ?? null;

test('messages to the bot alone are read, and commands begin with an exclamation mark', () => {
  assert.deepEqual(readPayload(event({}))?.received, {
    updateId: 'Ev1',
    sender: { id: 'T1 U1', name: 'U1' },
    wish: { kind: 'say', text: 'Hello' },
    press: null,
  });
  assert.deepEqual(wishOf(event({ text: '!new' })), { kind: 'begin_new' });
  assert.deepEqual(wishOf(event({ text: '!important is false' })), { kind: 'say', text: '!important is false' });
  assert.deepEqual(wishOf(event({ text: '!link abcdefghij' })), { kind: 'link', code: 'ABCDEFGHIJ', word: null });
  assert.deepEqual(wishOf(event({ subtype: 'file_share' })), { kind: 'unreadable' });
  for (const ignored of [
    event({ channel_type: 'channel' }),
    event({ bot_id: 'B1' }),
    event({ subtype: 'message_changed' }),
    event({ user: undefined }),
    event({ user: 'U1 U2' }),
    event({}, { team_id: 'x' }),
    { type: 'event_callback' },
    null,
  ])
    assert.equal(readPayload(ignored), null);
});

test('a mention in a channel is a message without the mention, and never a code', () => {
  const mention = (text: string) => wishOf(event({ type: 'app_mention', channel_type: undefined, text }));
  assert.deepEqual(mention('<@U0> bake &amp; eat'), { kind: 'say', text: 'bake & eat' });
  assert.deepEqual(mention('<@U0>, ABCDEFGHIJ'), { kind: 'say', text: 'ABCDEFGHIJ' });
  assert.equal(mention('<@U0> !link ABCDEFGHIJ'), null);
});

test('a press is read in a conversation of two, with its message without the buttons', () => {
  const press = (channel: string, value: string) => ({
    type: 'block_actions',
    team: { id: 'T1' },
    user: { id: 'U1' },
    container: { type: 'message', channel_id: channel, message_ts: '1.2' },
    message: { blocks: [{ type: 'rich_text', block_id: 'a' }, { type: 'actions' }] },
    actions: [{ value, action_ts: '3.4' }],
  });
  const data = 'p:00000000-0000-4000-8000-000000000001:a';
  const read = readPayload(press('D1', data));
  assert.deepEqual([read?.received.press, read?.received.updateId], [{ id: '3.4', messageId: 'D1 1.2' }, 'D1 1.2 3.4']);
  assert.equal(read?.received.wish.kind, 'answer');
  assert.deepEqual(read?.blocks, [{ type: 'rich_text', block_id: 'a' }]);
  assert.equal(readPayload(press('C1', data)), null);
  assert.equal(readPayload(press('D1', 'p:nonsense')), null);
});

test('the village follows an address only within Slack, with TLS if the API has it', () => {
  const slack = new URL('https://slack.com');
  const follows = (address: string, base = slack): boolean => addressOfSlack(address, base) !== null;
  assert.equal(follows('wss://wss-primary.slack.com/link/?ticket=1'), true);
  assert.equal(follows('https://files.slack.com/upload/v1/a'), true);
  for (const other of [
    'wss://slack.com.evil.org/',
    'https://evilslack.com/',
    'ws://wss-primary.slack.com/',
    'file:///x',
    '',
  ])
    assert.equal(follows(other), false, other);
  assert.equal(follows('ws://127.0.0.1:8/link', new URL('http://127.0.0.1:8')), true);
  assert.equal(follows('ws://127.0.0.1:9/link', new URL('http://127.0.0.1:8')), false);
});
