import { EntitlementBody } from '@hamlet/contract';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, emptyTier, readTier, type TierDraft, tierDraftOf } from './tier-draft.ts';
import { tierView } from './tier-view.fixture.ts';

const gold: TierDraft = {
  ...emptyTier([{ rank: 2 }]),
  name: 'gold',
  minBalance: '12,50',
  requestsPerMinute: '1,200',
  concurrentTools: '2',
  tokensPerHour: '5000',
  models: 'large, small',
  perHour: '.5',
};

function problemsOf(change: Partial<TierDraft>, taken: readonly string[] = []): object {
  const reading = readTier({ ...gold, ...change }, taken);
  return reading.ok ? {} : reading.problems;
}

test('a draft becomes a spec for the cluster and a body for the API', () => {
  const reading = readTier(gold, ['tier-1']);
  assert.ok(reading.ok);
  assert.deepEqual(
    [reading.name, reading.spec.rank, reading.spec.minBalance, reading.spec.limits, reading.spec.price],
    [
      'gold',
      3,
      '12.5',
      {
        requestsPerMinute: 1200,
        concurrentTools: 2,
        concurrentModelRequests: 4,
        webSearchesPerHour: 30,
        webRequestsPerHour: 600,
        browserCallsPerHour: 120,
        tokensPerHour: 5000,
        models: ['large', 'small'],
      },
      { perHour: '0.5', perThousandTokens: '0' },
    ],
  );
  const body = bodyOf(reading.spec);
  assert.deepEqual(EntitlementBody.parse(body), body);
  assert.deepEqual(body.compute, {
    cpu: '500m',
    memory: '512Mi',
    priority_class_name: null,
    gpu: { mode: 'None', resource_name: null, count: 0, claim_template_name: null },
  });
});

test('an unedited tier is saved unchanged', () => {
  for (const view of [
    tierView(),
    tierView({
      compute: {
        cpu: '2',
        memory: '2Gi',
        priority_class_name: 'hamlet-tier-2',
        gpu: { mode: 'Exclusive', resource_name: 'nvidia.com/gpu', count: 2, claim_template_name: null },
      },
    }),
    tierView({
      compute: {
        cpu: '2',
        memory: '2Gi',
        priority_class_name: null,
        gpu: { mode: 'Shared', resource_name: null, count: 0, claim_template_name: 'gpu-claim' },
      },
    }),
  ]) {
    const reading = readTier(tierDraftOf(view), []);
    assert.ok(reading.ok);
    const { rank, min_balance, limits, compute, price } = view;
    assert.deepEqual(bodyOf(reading.spec), { rank, min_balance, limits, compute, price });
  }
});

test('each problem is at its field, worded for a form', () => {
  assert.deepEqual(problemsOf({ name: 'Gold' }), {
    name: "Use lower case letters, digits and '-', for example tier-3",
  });
  assert.deepEqual(problemsOf({}, ['gold']), { name: 'There is a tier gold already: edit it, or choose another name' });
  assert.deepEqual(problemsOf({ minBalance: '', perHour: '-1' }), {
    minBalance: 'Write a number of aiDollars with at most six places, for example "12.5"',
    perHour: 'Write an amount of aiDollars with at most six places, for example "0.25"',
  });
  assert.deepEqual(problemsOf({ concurrentTools: 'many' }), { concurrentTools: 'Write a whole number' });
  assert.match(JSON.stringify(problemsOf({ rank: '5000' })), /"rank":"Too big/);
  assert.match(
    JSON.stringify(problemsOf({ cpu: 'plenty', memory: '1' })),
    /"cpu":"Write cores.*"memory":"Write a size/,
  );
});

test('a GPU is shared, whole from a resource, or from a claim template, but never a shared resource', () => {
  const gpuOf = (change: Partial<TierDraft>): unknown => {
    const reading = readTier({ ...gold, ...change }, []);
    return reading.ok ? reading.spec.compute.gpu : reading.problems;
  };
  assert.deepEqual(gpuOf({ gpuMode: 'None', gpuResource: 'nvidia.com/gpu' }), { mode: 'None', count: 0 });
  assert.deepEqual(gpuOf({ gpuMode: 'Shared', gpuCount: '4' }), { mode: 'Shared', count: 1 });
  assert.deepEqual(gpuOf({ gpuMode: 'Exclusive', gpuCount: '2', gpuResource: 'nvidia.com/gpu' }), {
    mode: 'Exclusive',
    count: 2,
    resourceName: 'nvidia.com/gpu',
  });
  assert.deepEqual(gpuOf({ gpuMode: 'Exclusive', gpuBy: 'template', gpuTemplate: 'gpu-claim', gpuCount: '3' }), {
    mode: 'Exclusive',
    count: 0,
    claimTemplateName: 'gpu-claim',
  });
  assert.match(JSON.stringify(gpuOf({ gpuMode: 'Exclusive', gpuCount: '0' })), /"gpuMode":"Mode Exclusive needs GPUs/);
  assert.match(
    JSON.stringify(gpuOf({ gpuMode: 'Shared', gpuResource: 'nvidia.com/gpumem' })),
    /"gpuResource":"A resource of this name sells shares/,
  );
});
