/** What is held against an agent, and an api that does not answer. */
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
    'killed: the pod ends this instant',
    { standing: standingOf({ killed: true, banned: true }) },
    ['end 2', 'Warning Killed', 'deletePod ada-1-uid in 0 s'],
  ],
  [
    'killed while the pod ends with its grace: no more grace',
    {
      agent: agentOf({ status: { cycle: 2, power: 'Asleep' } }),
      standing: standingOf({ killed: true }),
      pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z' })],
    },
    ['deletePod ada-1-uid in 0 s'],
  ],
  [
    'killed and down: nothing, whatever the spec says',
    {
      agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: { cycle: 2, power: 'Asleep' } }),
      standing: standingOf({ killed: true }),
      pods: [],
    },
    [],
  ],
  ['tokens revoked: the pod stays', { standing: standingOf({ token_revoked: true }) }, []],
  ['the api never heard: who runs goes on', { apiState: 'None' }, []],
  [
    'the api never heard: whose pod is lost gets one of the same tier',
    { apiState: 'None', pods: [] },
    ['createPod ada-2', 'Warning PodLost'],
  ],
  [
    'the api never heard: nobody awakens',
    { apiState: 'None', agent: agentOf({ status: { cycle: 2, power: 'Asleep', tier: 'tier-0' } }), pods: [] },
    [],
  ],
  [
    'the api never heard: nobody new begins, pinned or not',
    { apiState: 'None', agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } } }), pods: [] },
    [],
  ],
  [
    'the api never heard: no tier but the one that was told',
    {
      apiState: 'None',
      agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } }, status: awake }),
    },
    [],
  ],
  [
    'the api never heard: who was frozen stays so',
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
    'the api went away: who was known awakens as what was known',
    { apiState: 'Last', agent: agentOf({ status: { cycle: 2, power: 'Asleep', tier: 'tier-0' } }), pods: [] },
    ['createPod ada-3', 'Normal Awakened'],
  ],
  ['the api went away: nobody new begins', { apiState: 'Last', agent: agentOf(), pods: [] }, []],
  [
    'the api went away: a bar that is known holds',
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
