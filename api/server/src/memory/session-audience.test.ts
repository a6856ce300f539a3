/** A session on a repository: who may join it and speak in it, and whether its runs may use the memory that its people read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { firstAdmin, invite, personOf, type SignedInPerson } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { testVillage, type AgentId } from '../testing/test-village.ts';

const listing = (...members: readonly string[]) => ({
  HAMLET_REPOSITORIES: JSON.stringify([{ repository: 'git.example.org/*', members }]),
});
const village = await testVillage();
const { peopleUrl } = await village.startReplica(listing('Mia', 'Zoe'));
/** The same village after the list has lost Zoe. */
const { peopleUrl: laterUrl } = await village.startReplica(listing('Mia'));
const talk = new SessionPlay(peopleUrl);
await talk.play.everybody();
const admin = await firstAdmin(peopleUrl);
const mia = await invite(admin, peopleUrl, { name: 'Mia', role: 'member' });
await invite(admin, peopleUrl, { name: 'Noa', role: 'member' });
const zoe = await invite(admin, peopleUrl, { name: 'Zoe', role: 'member' });
const later = ({ accountId, cookie }: SignedInPerson) => personOf(laterUrl, accountId, cookie).client;

const talkLater = new SessionPlay(laterUrl);
let repositories = 0;
async function open(agentId: AgentId, ...people: readonly string[]): Promise<string> {
  const url = `https://git.example.org/team/secret-${(repositories += 1)}.git`;
  const body = { agent_id: agentId, people: [...people], repository: { url, branch: 'main' } };
  return (await mia.client.createSession(body)).session.session_id;
}

const NOTE = { op: 'add' as const, name: 'm-000000000001', type: 'note', observations: ['The key is in safe 7.'] };

async function working(agentId: AgentId, runId: string) {
  const { attempt } = dataOf(await talk.start(agentId, runId)).run;
  return { run_id: runId, cycle: await talk.cycle(agentId), attempt };
}
const runOf = async (said: ReturnType<SessionPlay['say']>): Promise<string> => dataOf(await said).run.run_id;

test('a member whom the list does not name joins no session on a repository; listed members and admins do', async () => {
  const repository = { url: 'https://git.example.org/team/join.git', branch: 'main' };
  const asked = { agent_id: 'ada', repository } as const;
  await refuses(mia.client.createSession({ ...asked, people: ['Zoe', 'noa'] }), 'repository_not_allowed', /for Noa/);
  const { session } = await mia.client.createSession({ ...asked, people: ['Zoe', 'Grace'] });
  await refuses(
    mia.client.addSessionPerson({ session_id: session.session_id, name: 'Noa' }),
    'repository_not_allowed',
    /for Noa/,
  );
  await refuses(later(mia).addSessionPerson({ session_id: session.session_id, name: 'Zoe' }), 'repository_not_allowed');
  const without = await talk.open(mia.client, 'ada', ['Noa']);
  assert.equal(without.people.length, 2, 'a session without a repository is open to all');
});

test('a person who left the list can no longer write in the session but still reads it; its runs use no memory', async () => {
  const sessionId = await open('ada', 'Zoe');
  const first = await working('ada', await runOf(talk.say(zoe.client, sessionId, 'Remember the safe.')));
  const ada = talk.play.as('ada');
  const laterAda = talkLater.play.as('ada');
  const used = dataOf(await ada.raw.useRepositoryMemory({ ...first, changes: [NOTE], read: 'all' }));
  assert.equal(used.entries.length, 1);
  for (const read of ['none', 'own', 'all'] as const)
    await refuses(laterAda.raw.useRepositoryMemory({ ...first, read }), 'repository_not_allowed', /for Zoe/);
  dataOf(await talk.answer('ada', first.run_id, 'Noted.'));

  await refuses(later(zoe).sendMessage({ session_id: sessionId, text: 'Where is it?' }), 'repository_not_allowed');
  const { messages } = await later(zoe).listMessages({ session_id: sessionId });
  assert.deepEqual(messages.map(({ text }) => text).toSorted(), ['Noted.', 'Remember the safe.']);

  const second = await working('ada', await runOf(talk.say(later(mia), sessionId, 'Where is the key?')));
  await refuses(laterAda.raw.useRepositoryMemory({ ...second, read: 'all' }), 'repository_not_allowed', /for Zoe/);
  await mia.client.removeSessionPerson({ session_id: sessionId, person_id: `account ${zoe.accountId}` });
  assert.equal(dataOf(await laterAda.raw.useRepositoryMemory({ ...second, read: 'all' })).entries.length, 1);
  dataOf(await talk.answer('ada', second.run_id, 'In safe 7.'));
});

test('the run of a person who left the session and the list uses no memory', async () => {
  const sessionId = await open('bob', 'Zoe');
  const asked = await working('bob', await runOf(talk.say(zoe.client, sessionId, 'Post what you remember.')));
  await mia.client.removeSessionPerson({ session_id: sessionId, person_id: `account ${zoe.accountId}` });
  const later = talkLater.play.as('bob').raw.useRepositoryMemory({ ...asked, read: 'own' });
  await refuses(later, 'repository_not_allowed', /for Zoe/);
  dataOf(await talk.play.as('bob').raw.useRepositoryMemory({ ...asked, read: 'own' }));
  dataOf(await talk.answer('bob', asked.run_id, 'Done.'));
});

test('an admin may always use the session; the right ends with the role', async () => {
  const sessionId = await open('cleo');
  const ines = await invite(admin, peopleUrl, { name: 'Ines', role: 'admin' });
  const first = await working('cleo', await runOf(talk.say(ines.client, sessionId, 'Hello.')));
  dataOf(await talk.play.as('cleo').raw.useRepositoryMemory({ ...first, read: 'all' }));
  await admin.client.changeAccount({ account_id: ines.accountId, role: 'member' });
  await refuses(ines.client.sendMessage({ session_id: sessionId, text: 'More.' }), 'repository_not_allowed');
  const again = talk.play.as('cleo').raw.useRepositoryMemory({ ...first, read: 'all' });
  await refuses(again, 'repository_not_allowed', /for Ines/);
  dataOf(await talk.answer('cleo', first.run_id, 'Done.'));
});

test('a person who left the list answers no question of its runs', async () => {
  const sessionId = await open('dan', 'Zoe');
  const asked = await working('dan', await runOf(talk.say(zoe.client, sessionId, 'Ask me.')));
  const call = {
    call_id: '1.0',
    request: 'r/1',
    tool: 'ask_human',
    arguments: '{"question":"Which?"}',
    why: 'question',
  } as const;
  const { permission } = dataOf(await talk.play.as('dan').raw.askPermission({ ...asked, ...call }));
  const answer = { permission_id: permission.permission_id, answer: 'allow', reply: 'All of it.' } as const;
  await refuses(later(zoe).answerPermission(answer), 'repository_not_allowed');
  assert.equal((await later(mia).answerPermission(answer)).permission.state, 'allowed');
});
