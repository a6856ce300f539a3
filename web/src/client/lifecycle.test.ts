import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentDetail } from '@hamlet/contract';
import type { Reply } from './api.ts';
import { apiThat, refusal } from './api.fixture.ts';
import { Lifecycle, type LifecycleState, locks, notAllowed, progress, type Wait } from './lifecycle.ts';
import { agentDetail } from './agents/agent-detail.fixture.ts';

const ADA = agentDetail('ada', { power: 'Asleep', pod: null });
const QUEUED = agentDetail('ada', {
  power: 'Awake',
  pod: null,
  why: { ready: false, reason: 'NoSeat', message: 'Third in the queue of sparky1' },
});
const AWAKE = agentDetail('ada', { power: 'Awake', why: { ready: true, reason: 'Ready', message: '' } });
/** A lifecycle that receives these agents in order and repeats the last one, with its states. */
function started(
  seen: readonly (AgentDetail | null)[],
  answer: Reply<unknown> = { ok: true, data: null },
  onWait: (looks: number) => void = () => undefined,
): { readonly lifecycle: Lifecycle; readonly kinds: string[]; state(): LifecycleState | undefined } {
  let looks = 0;
  const wait: Wait = () => {
    onWait(looks);
    return Promise.resolve();
  };
  const lifecycle = new Lifecycle(
    apiThat(() => answer),
    { refresh: () => Promise.resolve(seen[Math.min(looks++, seen.length - 1)] ?? null) },
    wait,
  );
  const kinds: string[] = [];
  lifecycle.states.subscribe(() => {
    const kind = lifecycle.states.get().get('ada')?.kind;
    if (kind !== undefined && kind !== kinds.at(-1)) kinds.push(kind);
  });
  return { lifecycle, kinds, state: () => lifecycle.states.get().get('ada') };
}

test('a requested change is watched until it is done', async () => {
  const { lifecycle, kinds, state } = started([QUEUED, null, AWAKE]);
  await lifecycle.ask(ADA, 'awaken');
  assert.deepEqual(kinds, ['asking', 'pending', 'done']);
  assert.deepEqual(state(), { kind: 'done', verb: 'awaken', text: 'Ada is awake.' });
});

test('a change that waits for a seat becomes late: it disables no button, shows the reason, and can still finish', async () => {
  const { lifecycle, kinds } = started([...Array.from({ length: 130 }, () => QUEUED), AWAKE]);
  let late: LifecycleState | undefined;
  lifecycle.states.subscribe(() => {
    const now = lifecycle.states.get().get('ada');
    if (now?.kind === 'late') late = now;
  });
  await lifecycle.ask(ADA, 'awaken');
  assert.deepEqual(kinds, ['asking', 'pending', 'late', 'done']);
  assert.deepEqual(late, { kind: 'late', verb: 'awaken', text: 'Third in the queue of sparky1' });
  assert.equal(locks(late, 'awaken'), false);
});

test('watching ends if the change never happens, and the notice stays until it is dismissed', async () => {
  let waits = 0;
  const { lifecycle, state } = started([QUEUED], undefined, () => {
    waits += 1;
  });
  await lifecycle.ask(ADA, 'awaken');
  assert.ok(waits < 1000);
  assert.equal(state()?.kind, 'late');
  lifecycle.dismiss('ada');
  assert.equal(state(), undefined);
});

test('a dismissed change is no longer watched, and its notice does not return', async () => {
  const { lifecycle, state } = started([QUEUED], undefined, (looks) => {
    if (looks === 3) lifecycle.dismiss('ada');
  });
  await lifecycle.ask(ADA, 'awaken');
  assert.equal(state(), undefined);
});

test('a second change replaces the first, which is no longer reported', async () => {
  let second: Promise<void> | null = null;
  const asleep = agentDetail('ada', { power: 'Asleep', pod: null });
  const { lifecycle, state } = started([QUEUED, QUEUED, asleep], undefined, (looks) => {
    if (looks === 2) second ??= lifecycle.ask(QUEUED, 'suspend');
  });
  await lifecycle.ask(ADA, 'awaken');
  await second;
  assert.deepEqual(state(), { kind: 'done', verb: 'suspend', text: 'Ada is asleep. Its home and memory are kept.' });
});

test('a refusal is shown with the refused action', async () => {
  const { lifecycle, state } = started([ADA], refusal('forbidden', 403));
  await lifecycle.ask(ADA, 'reboot');
  const now = state();
  assert.equal(now?.kind === 'refused' && now.verb, 'reboot');
});

test('only an unanswered request disables every button; a watched change disables its own', () => {
  assert.equal(locks(undefined, 'awaken'), false);
  assert.equal(locks({ kind: 'asking', verb: 'awaken', text: '' }, 'suspend'), true);
  assert.equal(locks({ kind: 'pending', verb: 'awaken', text: '' }, 'suspend'), false);
  assert.equal(locks({ kind: 'pending', verb: 'awaken', text: '' }, 'awaken'), true);
  assert.equal(locks({ kind: 'done', verb: 'awaken', text: '' }, 'awaken'), false);
});

test('a reboot is done only in a later cycle, a suspension when the pod is gone', () => {
  assert.equal(progress('reboot', { ...AWAKE, cycle: 3 }, 3).done, false);
  assert.deepEqual(progress('reboot', { ...AWAKE, cycle: 4 }, 3), { done: true, text: 'Ada runs again, in cycle 4.' });
  assert.deepEqual(progress('suspend', { ...ADA, pod: 'ada-0' }, 3), { done: false, text: 'Stopping pod ada-0.' });
  assert.deepEqual(progress('suspend', { ...AWAKE, pod: null }, 3), { done: false, text: 'Waiting for the operator.' });
  assert.equal(progress('suspend', ADA, 3).done, true);
});

test('each disabled button shows the reason', () => {
  const admin = { role: 'admin', pending: false } as const;
  assert.equal(notAllowed('suspend', { ...admin, power: 'Awake' }), null);
  assert.equal(notAllowed('reboot', { ...admin, power: 'Awake' }), null);
  assert.equal(notAllowed('awaken', { ...admin, power: 'Asleep' }), null);
  assert.equal(notAllowed('awaken', { ...admin, power: 'Awake' }), 'It is awake already');
  assert.equal(notAllowed('suspend', { ...admin, power: 'Asleep' }), 'It is asleep already');
  assert.equal(notAllowed('reboot', { ...admin, power: 'Asleep' }), 'It is asleep: awaken it instead');
  assert.equal(notAllowed('reboot', { ...admin, power: 'Awake', pending: true }), 'A change is in progress');
  assert.equal(notAllowed('reboot', { role: 'member', pending: false, power: 'Awake' }), 'Only admins may do this');
  assert.equal(
    notAllowed('reboot', { role: 'visitor', pending: false, power: 'Awake' }),
    'Sign in as an admin to do this',
  );
});
