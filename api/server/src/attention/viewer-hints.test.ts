/** Hints of /ws/board?hints=1 name changed answers, and only those that a page may read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { BoardMessage, type Hinted, ViewerHint } from '@hamlet/contract';
import { dataOf } from '@hamlet/test/env/client';
import { atEnd } from '@hamlet/test/env/at-end';
import { until } from '@hamlet/test/env/until';
import { WebSocket } from 'ws';
import { SessionPlay } from '../testing/play/session-play.ts';
import { clientOf, startPlay, TOKENS } from '../testing/test-village.ts';

const { play } = await startPlay();
const talk = new SessionPlay(play.url);
const { admin } = talk.play;
const member = clientOf(play.url, TOKENS.member);
await talk.play.everybody();

interface Viewer {
  readonly hinted: Set<Hinted>;
  readonly others: unknown[];
}

async function viewer(token: string | null, query = '?hints=1'): Promise<Viewer> {
  const socket = new WebSocket(`${play.url.replace('http', 'ws')}/ws/board${query}`, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });
  atEnd(() => socket.terminate());
  const seen: Viewer = { hinted: new Set(), others: [] };
  socket.on('message', (data: Buffer) => {
    const message: unknown = JSON.parse(data.toString());
    const hint = ViewerHint.safeParse(message);
    if (hint.success) for (const kind of hint.data.of) seen.hinted.add(kind);
    else seen.others.push(message);
  });
  await once(socket, 'open');
  return seen;
}

/** All viewers have had their hints once this later change has reached the given one. */
async function settled(last: Viewer): Promise<void> {
  last.hinted.delete('freeze');
  await admin.freezeVillage({ reason: 'a drill of hints' });
  await until('the hint of the freeze', () => last.hinted.has('freeze'));
  await admin.liftVillageFreeze({});
}

test('a chat gives hints to its people and admins, and not to a visitor; a socket without hints gets none', async () => {
  const [own, chief, visitor, plain] = await Promise.all([
    viewer(TOKENS.member),
    viewer(TOKENS.admin),
    viewer(null),
    viewer(TOKENS.admin, ''),
  ]);
  const { session_id: session } = await talk.open(member, 'ada');
  dataOf(await talk.say(member, session, 'Is it day?'));
  await talk.answerNext('ada', 'Yes.');
  await until('hints of the chat', () => own.hinted.has('unread') && own.hinted.has('work'));
  await until('hints of the chat', () => chief.hinted.has('needs'));
  await settled(visitor);
  assert.deepEqual(
    [visitor.hinted.has('unread'), visitor.hinted.has('work'), visitor.hinted.has('needs')],
    [false, false, false],
  );
  assert.ok(plain.others.length > 0 && plain.others.every((message) => BoardMessage.safeParse(message).success));
  assert.equal(plain.hinted.size, 0);
});

test('a chat of others gives a member no hint', async () => {
  const other = await viewer(TOKENS.member);
  const { session_id: session } = await talk.open(admin, 'bob');
  dataOf(await talk.say(admin, session, 'Only for us'));
  await talk.answerNext('bob', 'Yes.');
  await settled(other);
  assert.equal(other.hinted.has('unread'), false);
});

test('a change of an agent gives a visitor a hint of agents, and an admin also one of needs', async () => {
  const [chief, visitor] = await Promise.all([viewer(TOKENS.admin), viewer(null)]);
  await admin.suspendAgent({ agent_id: 'fay' });
  await until('the hints', () => chief.hinted.has('needs') && visitor.hinted.has('agents'));
  assert.equal(visitor.hinted.has('needs'), false);
});
