/** People talk with an agent through Slack's stand-in: a link, messages, a mention, an answer, a permission and a restart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf } from '@hamlet/test/env/client';
import { untilEnd } from '@hamlet/test/env/at-end';
import { until } from '@hamlet/test/env/until';
import { ASKING_RULES, PermissionPlay } from '../../permissions/testing/permission-play.ts';
import { firstAdmin, invite } from '../../testing/play/people-play.ts';
import { SessionPlay } from '../../testing/play/session-play.ts';
import { testVillage } from '../../testing/test-village.ts';
import { SlackServer } from '../testing/slack-server.ts';

const TOKENS: Readonly<Record<string, string>> = { 'app-token': 'xapp-1-A1-1-secret', 'bot-token': 'xoxb-1-1-secret' };
const slack = untilEnd(new SlackServer({ app: TOKENS['app-token'] ?? '', bot: TOKENS['bot-token'] ?? '' }));
const slackUrl = await slack.start();
const village = await testVillage();
await village.writeSample(
  'good-agent-ada.yaml',
  (text) => `${text.trimEnd()}\n  channels: { slack: { secretName: ada-slack } }\n`,
);
const startReplica = () =>
  village.startReplica(
    { HAMLET_SLACK_URL: slackUrl, HAMLET_TOOL_RULES: ASKING_RULES },
    {
      agents: {
        channelTokens: {
          read: async (name, keys) => (name === 'ada-slack' ? keys.map((key) => TOKENS[key] ?? '') : null),
        },
      },
    },
  );
const replica = await startReplica();
const url = replica.peopleUrl;
const talk = new SessionPlay(url);
await talk.play.everybody();
const grace = await firstAdmin(url);
const zoe = await invite(grace, url, { name: 'Zoe', role: 'member' });
const ZOE = 'UZOE';

/** Waits for the next message to a person, and takes it. */
async function received(user = ZOE) {
  return until('a message', () => {
    const at = slack.sent.findIndex((message) => message.user === user);
    return at === -1 ? null : slack.sent.splice(at, 1)[0];
  });
}

const run = () => until('the run', () => talk.next('ada'));

test('a stranger is refused, in private; a code links an account, and the page lists both', async () => {
  slack.event('UBOB', '<@U0> hello', { type: 'app_mention', channel: 'C1', channel_type: undefined });
  assert.match((await received('UBOB')).text, /not linked/);
  const { code } = await zoe.client.createChannelCode();
  slack.event(ZOE, code);
  const asked = await received();
  assert.match(asked.text, /^This code belongs to the account Zoe of the village\. Is it yours\?/);
  assert.deepEqual((await zoe.client.listMyChannels()).links, []);
  slack.press(ZOE, asked.ts, asked.buttons.find(({ text }) => text === 'Link')?.value ?? '');
  const linked = await until('the update', () => slack.updates.shift() ?? null);
  assert.deepEqual([linked.ts, linked.buttons], [asked.ts, []]);
  assert.match(linked.text, /Linked to the account Zoe .* !new begins/);
  const { links, agents } = await zoe.client.listMyChannels();
  assert.deepEqual(
    [links.map(({ name, channel }) => [name, channel]), agents],
    [[['Person UZOE', 'slack']], [{ agent_id: 'ada', channel: 'slack', bot_page: null }]],
  );
});

test('a message and a mention go to one session of their person, and both answers come in private', async () => {
  slack.event(ZOE, 'What does Bob want?');
  await run();
  const runId = await talk.answerNext('ada', '**He** wants <bread>.');
  const first = await received();
  assert.deepEqual([first.text, first.styled], ['He wants <bread>.', ['bold:He']]);
  assert.equal((await grace.client.getRun({ run_id: runId })).run.created_by.id, `account ${zoe.accountId}`);
  slack.event(ZOE, '<@U0> And Cleo?', { type: 'app_mention', channel: 'C1', channel_type: undefined });
  await run();
  await talk.answerNext('ada', 'Nothing.');
  assert.equal((await received()).text, 'Nothing.');
  assert.equal((await zoe.client.listAgentSessions({ agent_id: 'ada' })).sessions.length, 1);
  slack.event(ZOE, '!new');
  assert.match((await received()).text, /another conversation/);
});

test('a press answers a request as its person, once, and takes the buttons away', async () => {
  const permits = new PermissionPlay(url);
  slack.event(ZOE, 'Post it on the board.');
  const working = await permits.start('ada', await run());
  const call = { tool: 'post_to_board', callId: '1.0', args: { title: 'Bread', body: 'Who bakes?' } } as const;
  const { permission } = dataOf(await permits.ask(working, call));
  const asked = await received();
  assert.match(asked.text, /^May I call post_to_board\? People see it/);
  slack.press('UBOB', asked.ts, asked.buttons[0]?.value ?? '');
  assert.match((await received('UBOB')).text, /not linked/);
  slack.press(ZOE, asked.ts, asked.buttons[0]?.value ?? '');
  const decided = await until('the update', () => slack.updates.shift() ?? null);
  assert.deepEqual([decided.ts, decided.buttons], [asked.ts, []]);
  assert.match(decided.text, /Noted: allow\.$/);
  const { permissions } = await grace.client.listPermissions({ run_id: working.runId });
  const answered = permissions.find(({ permission_id: id }) => id === permission.permission_id);
  assert.deepEqual([answered?.state, answered?.answered_by?.id], ['allowed', `account ${zoe.accountId}`]);
  dataOf(await permits.end(working));
  assert.match((await received()).text, /could not finish this/);
});

test('with a second replica one has a socket, and a restart neither loses nor repeats a message', async () => {
  const other = await startReplica();
  assert.equal(slack.sockets, 1);
  slack.event(ZOE, 'Before the restart');
  await run();
  await replica.stop();
  await until('no socket', () => slack.sockets === 0);
  slack.event(ZOE, 'During the restart');
  await until('the lead', () => slack.isEmpty);
  const later = new SessionPlay(other.peopleUrl);
  await later.answerNext('ada', 'First.');
  await later.answerNext('ada', 'Second.');
  assert.deepEqual([(await received()).text, (await received()).text], ['First.', 'Second.']);
  assert.equal(await later.next('ada'), null, 'two messages, two runs');
  assert.deepEqual([slack.sent, slack.sockets], [[], 1]);
});
