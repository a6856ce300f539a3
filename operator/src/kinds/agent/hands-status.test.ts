import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REASONS } from '@hamlet/contract/kinds';
import type { ContainerState } from '../../objects/pod-view.ts';
import { eventsFor } from './events-for.ts';
import type { Observed } from './observe.ts';
import { isOnItsWay, statusOf } from './status.ts';
import { agentOf, container, observedOf, podOf, unscheduled, waiting } from './testing/sample-state.ts';

const NOW = '2026-11-22T10:00:00Z';
const KILLED = 'OOMKilled with exit code 137 at 2026-11-22T09:59:00Z';

/** A connected agent whose hands differ from running ones. */
const withHands = (
  parts: Partial<ContainerState> | undefined,
  pod: Parameters<typeof podOf>[1] = {},
): Partial<Observed> => ({
  pods: [podOf('ada-1', { handsContainer: parts === undefined ? undefined : container(parts), ...pod })],
});

const TABLE: readonly (readonly [string, Partial<Observed>, string, RegExp])[] = [
  ['they run', {}, 'True HandsRunning', /the hands run in pod ada-1/],
  ['no report of the node yet', withHands(undefined), 'False Starting', /ada-1 yet/],
  ['they start', withHands({ waitingReason: 'ContainerCreating' }), 'False Starting', /starting/],
  ['before their first state', withHands({}), 'False Starting', /starting/],
  [
    'their image cannot be pulled',
    withHands({ waitingReason: 'ImagePullBackOff', waitingMessage: 'Back-off pulling image "example.org/hands:2"' }),
    'False ImageUnavailable',
    /^the hands: ImagePullBackOff: Back-off pulling image "example.org\/hands:2"$/,
  ],
  [
    'they cannot be made',
    withHands({ waitingReason: 'RunContainerError', waitingMessage: 'exec: "hamlet-hands": not found' }),
    'False ContainerWaiting',
    /^the hands: RunContainerError: exec: "hamlet-hands": not found$/,
  ],
  [
    'a crash loop',
    withHands({ waitingReason: 'CrashLoopBackOff', restarts: 4, lastEnd: 'Error with exit code 3' }),
    'False HandsCrashLooping',
    /last: Error with exit code 3; restarts: 4; the node waits/,
  ],
  [
    'a crash loop because of memory',
    withHands({ waitingReason: 'CrashLoopBackOff', restarts: 4, lastEnd: KILLED, outOfMemory: true }),
    'False HandsOutOfMemory',
    /OOMKilled with exit code 137 at 2026-11-22T09:59:00Z; restarts: 4/,
  ],
  [
    'they have just ended',
    withHands({ lastEnd: 'Error with exit code 1' }),
    'False HandsRestarted',
    /last: Error with exit code 1; restarts: 0; the node is about to start them again/,
  ],
  [
    'they have used up their memory',
    withHands({ lastEnd: KILLED, outOfMemory: true }),
    'False HandsOutOfMemory',
    /OOMKilled/,
  ],
  [
    'they run again',
    withHands({ running: true, restarts: 1, lastEnd: 'Error with exit code 1' }),
    'True HandsRestarted',
    /last: Error with exit code 1; restarts: 1; they run again/,
  ],
  [
    'they run again after memory',
    withHands({ running: true, restarts: 2, lastEnd: KILLED, outOfMemory: true }),
    'True HandsOutOfMemory',
    /OOMKilled.*restarts: 2; they run again/,
  ],
  ['an agent without hands', withHands(undefined, { hands: '' }), 'True NoHands', /no container for hands/],
  ['a pod of an older operator', withHands(undefined, { hands: undefined }), 'True NoHands', /no container for hands/],
  [
    'a pod that ends',
    withHands({ lastEnd: 'Completed with exit code 0' }, { deletionTimestamp: NOW }),
    'False Waiting',
    /ada-1 is ending/,
  ],
  ['a pod that has failed', withHands({ lastEnd: KILLED }, { phase: 'Failed' }), 'False Waiting', /ada-1 is ending/],
  ['a lost node', { node: { name: 'sparky1', ready: false } }, 'Unknown Waiting', /sparky1 does not answer/],
  ['no node yet', unscheduled('0/2 nodes'), 'False Waiting', /PodScheduled/],
  [
    'asleep',
    { agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }), pods: [] },
    'False Asleep',
    /write Awake/,
  ],
];

for (const [name, parts, expected, says] of TABLE) {
  test(`HandsReady: ${name}`, () => {
    const { conditions = [] } = statusOf(observedOf(parts), NOW);
    const found = conditions.find(({ type }) => type === 'HandsReady');
    assert.equal(`${found?.status} ${found?.reason}`, expected);
    assert.match(found?.message ?? '', says);
    assert.ok((found?.reason ?? '') in REASONS);
  });
}

test('a failure of the hands leaves all other conditions unchanged: the agent is connected and ready', () => {
  const { conditions = [] } = statusOf(observedOf(withHands({ waitingReason: 'ErrImagePull' })), NOW);
  const ready = conditions.find(({ type }) => type === 'Ready');
  assert.deepEqual([ready?.status, ready?.reason], ['True', 'Ready']);
});

test('a failure of the hands causes an Event; a start, a sleep and a recovery do not', () => {
  const reasons = (before: Partial<Observed>, after: Partial<Observed>): readonly string[] =>
    eventsFor(statusOf(observedOf(before), NOW), statusOf(observedOf(after), NOW)).map(({ reason }) => reason);
  const loop = withHands({ waitingReason: 'CrashLoopBackOff', restarts: 2, lastEnd: 'Error with exit code 3' });
  assert.deepEqual(reasons({}, loop), ['HandsCrashLooping']);
  assert.deepEqual(reasons({}, withHands({ lastEnd: KILLED, outOfMemory: true })), ['HandsOutOfMemory']);
  assert.deepEqual(reasons({}, withHands({ running: true, restarts: 1, lastEnd: KILLED })), ['HandsRestarted']);
  assert.deepEqual(reasons(loop, {}), []);
  assert.deepEqual(reasons(withHands(undefined), {}), []);
  assert.deepEqual(reasons({}, withHands({ lastEnd: 'Completed with exit code 0' }, { deletionTimestamp: NOW })), []);
});

test('hands that cannot start do not delay the first status', () => {
  const { pods } = waiting('ContainerCreating');
  assert.ok(isOnItsWay(observedOf({ agent: agentOf(), ...(pods === undefined ? {} : { pods }) })));
  const stuck = (pods ?? []).map((pod) => ({ ...pod, handsContainer: container({ waitingReason: 'ErrImagePull' }) }));
  assert.ok(!isOnItsWay(observedOf({ agent: agentOf(), pods: stuck })));
});
