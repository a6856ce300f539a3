/** Measures against an agent, and an api that does not answer. */
import { awake, testPlans, type PlanRow } from './testing/plan-table.ts';
import { agentOf, podOf, standingOf } from './testing/sample-state.ts';

const TABLE: readonly PlanRow[] = [
  [
    'quarantined: the pod ends',
    { standing: standingOf({ quarantined: true }) },
    ['end 2', 'Warning Quarantined', 'deletePod ada-1-uid'],
  ],
  [
    'frozen: the pod ends',
    { standing: standingOf({ frozen: true }) },
    ['end 2', 'Warning Frozen', 'deletePod ada-1-uid'],
  ],
  [
    'banned: the pod ends',
    { standing: standingOf({ banned: true, frozen: true }) },
    ['end 2', 'Warning Banned', 'deletePod ada-1-uid'],
  ],
  [
    'killed: the pod ends at once',
    { standing: standingOf({ killed: true, banned: true }) },
    ['end 2', 'Warning Killed', 'deletePod ada-1-uid in 0 s'],
  ],
  [
    'killed during the grace period of the pod: no more grace',
    {
      agent: agentOf({ status: { cycle: 2, power: 'Asleep' } }),
      standing: standingOf({ killed: true }),
      pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z' })],
    },
    ['deletePod ada-1-uid in 0 s'],
  ],
  [
    'killed and without a pod: nothing, even if the spec says Awake',
    {
      agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: { cycle: 2, power: 'Asleep' } }),
      standing: standingOf({ killed: true }),
      pods: [],
    },
    [],
  ],
  ['tokens revoked: the pod stays', { standing: standingOf({ token_revoked: true }) }, []],
  ['no report of the api yet: a running agent continues', { apiState: 'None' }, []],
  [
    'no report of the api yet: a lost pod is replaced at the same tier',
    { apiState: 'None', pods: [] },
    ['createPod ada-2', 'Warning PodLost'],
  ],
  [
    'no report of the api yet: no agent awakens',
    { apiState: 'None', agent: agentOf({ status: { cycle: 2, power: 'Asleep', tier: 'tier-0' } }), pods: [] },
    [],
  ],
  [
    'no report of the api yet: no new agent begins, pinned or not',
    { apiState: 'None', agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } } }), pods: [] },
    [],
  ],
  [
    'no report of the api yet: only the tier of the status counts',
    {
      apiState: 'None',
      agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } }, status: awake }),
    },
    [],
  ],
  [
    'no report of the api yet: a frozen agent stays frozen',
    {
      apiState: 'None',
      agent: agentOf({
        status: {
          cycle: 2,
          power: 'Asleep',
          tier: 'tier-0',
          conditions: [
            {
              type: 'Entitled',
              status: 'False',
              reason: 'Frozen',
              message: '',
              lastTransitionTime: '2026-11-22T09:00:00Z',
            },
          ],
        },
      }),
      pods: [],
    },
    [],
  ],
  [
    'the api stopped answering: a known agent awakens at its known tier',
    { apiState: 'Last', agent: agentOf({ status: { cycle: 2, power: 'Asleep', tier: 'tier-0' } }), pods: [] },
    ['createPod ada-3', 'Normal Awakened'],
  ],
  ['the api stopped answering: no new agent begins', { apiState: 'Last', agent: agentOf(), pods: [] }, []],
  [
    'the api stopped answering: a known measure stays in force',
    {
      apiState: 'Last',
      standing: standingOf({ banned: true }),
      agent: agentOf({ status: { cycle: 2, power: 'Asleep', tier: 'tier-0' } }),
      pods: [],
    },
    [],
  ],
];

testPlans(TABLE);
