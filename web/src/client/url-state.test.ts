import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invitationLink, NOWHERE, placeAfter, readInvitation, readUrl, writeUrl } from './url-state.ts';

const EMPTY = {
  ...NOWHERE,
  agent: null,
  x: null,
  y: null,
  z: null,
  login_error: null,
  payment: null,
};

test('reading a written state gives the same state', () => {
  const state = { ...EMPTY, agent: 'ada', x: 40.25, y: 31, z: 24 };
  assert.equal(writeUrl(state), '?agent=ada&x=40.25&y=31&z=24');
  assert.deepEqual(readUrl(writeUrl(state)), state);
  assert.equal(writeUrl(readUrl('')), '');
});

test('a page with its filters has its own address', () => {
  const state = {
    ...EMPTY,
    view: 'runs',
    state: 'failed',
    who: 'bob',
    run: '01a2',
    agent: 'ada',
    tab: 'money',
  } as const;
  assert.equal(writeUrl(state), '?view=runs&who=bob&state=failed&run=01a2&agent=ada&tab=money');
  assert.deepEqual(readUrl(writeUrl(state)), state);
  assert.equal(
    writeUrl({ ...EMPTY, view: 'tiers', x: 3, y: 4, z: 20 }),
    '?view=tiers',
    'the camera belongs to the map',
  );
});

test('the address of the board has its filters and the camera', () => {
  const state = {
    ...EMPTY,
    view: 'board',
    posts: 'all',
    tag: 'tools',
    find: 'rope',
    post: '0192',
    x: 12.5,
    y: 30,
    z: 26,
  } as const;
  assert.equal(writeUrl(state), '?view=board&posts=all&tag=tools&find=rope&post=0192&x=12.5&y=30&z=26');
  assert.deepEqual(readUrl(writeUrl(state)), state);
});

test('the outcome of a payment is read once and never written', () => {
  for (const payment of ['captured', 'not_approved', 'failed', 'cancelled'] as const)
    assert.equal(readUrl(`?payment=${payment}`).payment, payment);
  assert.equal(readUrl('?payment=doubled').payment, null);
  assert.equal(writeUrl(readUrl('?payment=captured&agent=ada')), '?agent=ada');
});

test('an invitation is in the fragment, which no server sees', () => {
  const link = new URL(invitationLink('https://village.example.org', { code: 'hic_1', name: 'Mo Ed' }));
  assert.deepEqual([link.origin, link.pathname, link.search], ['https://village.example.org', '/', '']);
  assert.deepEqual(readInvitation(link.hash), { code: 'hic_1', name: 'Mo Ed' });
  assert.deepEqual(readInvitation('#code=hic_1&name=<b>'), { code: 'hic_1', name: null });
  for (const hash of ['', '#', '#name=mo', '#code=', '#pond']) assert.equal(readInvitation(hash), null);
});

test('links of earlier versions still work', () => {
  assert.equal(readUrl('?view=permissions').view, 'needs');
  assert.deepEqual(readInvitation('?code=hic_1&name=mo'), { code: 'hic_1', name: 'mo' });
});

test('invalid values are ignored', () => {
  assert.deepEqual(readUrl('?x=left&y=&z=Infinity&agent=bob&view=bank&tab=mood&state=lost&posts=burnt'), {
    ...EMPTY,
    agent: 'bob',
  });
});

test('another page drops the filters of the previous one', () => {
  const runs = { ...NOWHERE, view: 'runs', tab: 'money', state: 'done', who: 'ada' } as const;
  assert.deepEqual(placeAfter(runs, { state: null }), { ...runs, state: null });
  assert.deepEqual(placeAfter(runs, { view: 'schedules', schedule: 'morning' }), {
    ...NOWHERE,
    view: 'schedules',
    tab: 'money',
    schedule: 'morning',
  });
});
