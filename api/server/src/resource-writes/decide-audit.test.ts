import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeenResource } from '@hamlet/store';
import { decideAudit, type ShownResource } from './decide-audit.ts';
import { authorOf, otherOwners } from '../agents/field-owners.ts';
import { differenceOf, digestsOf, fieldsOf, nestedOf } from './spec-fields.ts';

const SPEC = { rank: 1, limits: { models: ['small'], requestsPerMinute: 60 } };

function entry(
  manager: string,
  second: number,
  { spec, ...more }: { readonly spec: object; readonly operation?: string; readonly subresource?: string },
): object {
  return { manager, operation: 'Update', time: `2026-01-01T00:00:0${second}Z`, fieldsV1: { 'f:spec': spec }, ...more };
}
const HELM = entry('helm', 1, {
  spec: { 'f:rank': {}, 'f:limits': { '.': {}, 'f:models': {}, 'f:requestsPerMinute': {} } },
  operation: 'Apply',
});

function shown(changes: Partial<ShownResource> = {}): ShownResource {
  return {
    kind: 'Entitlement',
    name: 'tier-1',
    uid: 'u',
    generation: 4,
    spec: SPEC,
    managedFields: [HELM],
    ending: false,
    ...changes,
  };
}
function seen(changes: Partial<SeenResource> = {}): SeenResource {
  return {
    uid: 'u',
    kind: 'Entitlement',
    name: 'tier-1',
    generation: 4,
    ownGenerations: [],
    fields: digestsOf(SPEC),
    fieldsGeneration: 4,
    goneAt: null,
    ...changes,
  };
}

const TABLE: readonly (readonly [string, SeenResource | null, ShownResource, string])[] = [
  ['never seen', null, shown(), 'made'],
  ['at a generation that is already audited', seen(), shown(), 'known'],
  ['of an older generation (a replica that lags)', seen({ generation: 9 }), shown(), 'known'],
  ['of a newer generation', seen({ generation: 3 }), shown(), 'changed'],
  ['written by the api, with fields not stored yet', seen({ fieldsGeneration: 3 }), shown(), 'learn'],
  ['written by the api twice since', seen({ generation: 5, fieldsGeneration: 3 }), shown(), 'known'],
  [
    'older than a write of the api, and not audited yet',
    seen({ generation: 2, ownGenerations: [4] }),
    shown({ generation: 3 }),
    'changed',
  ],
  [
    'the first version, by another writer, followed by a write of the api',
    seen({ generation: 0, fieldsGeneration: 0, ownGenerations: [2] }),
    shown({ generation: 1 }),
    'made',
  ],
  [
    'written by the api after audited changes',
    seen({ generation: 3, fieldsGeneration: 3, ownGenerations: [4] }),
    shown(),
    'learn',
  ],
  [
    'written by the api after a change that is not audited',
    seen({ generation: 2, fieldsGeneration: 2, ownGenerations: [4] }),
    shown(),
    'changed',
  ],
  ['ending', seen(), shown({ ending: true }), 'ended'],
  ['ending, never seen', null, shown({ ending: true }), 'ended'],
  ['gone before', seen({ goneAt: new Date() }), shown({ generation: 7 }), 'known'],
];
for (const [what, before, now, verdict] of TABLE)
  test(`a resource ${what}: ${verdict}`, () => assert.equal(decideAudit(before, now).verdict, verdict));

test('a change is audited with its fields, their new values and its field manager', () => {
  const spec = { rank: 1, limits: { models: ['small', 'large'] } };
  const managedFields = [
    HELM,
    entry('kubectl-edit', 5, { spec: { 'f:limits': { 'f:models': {} } } }),
    entry('hamlet-operator', 9, { spec: { 'f:x': {} }, subresource: 'status' }),
  ];
  const verdict = decideAudit(seen({ generation: 3 }), shown({ spec, managedFields }));
  assert.deepEqual(verdict.verdict === 'changed' ? [verdict.manager, verdict.detail] : null, [
    'kubectl-edit',
    {
      uid: 'u',
      generation: 4,
      after_generation: 3,
      operation: 'Update',
      fields: { 'limits.models': ['small', 'large'], 'limits.requestsPerMinute': null },
    },
  ]);
});

test('a long text is cut, and so is a list of fields', () => {
  const spec = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field${index}`, 'x'.repeat(5_000)]));
  const verdict = decideAudit(null, shown({ spec }));
  assert.ok(verdict.verdict === 'made' && JSON.stringify(verdict.detail).length < 50 * 250);
});

test('the last writer counts as the author of removed fields, but not the api within the same second', () => {
  const api = entry('hamlet-api', 5, { spec: { 'f:rank': {} } });
  assert.equal(
    authorOf([HELM, entry('kubectl', 3, { spec: { 'f:other': {} } })], ['limits.models.gone'])?.manager,
    'kubectl',
  );
  assert.equal(authorOf([api, entry('argocd', 5, { spec: { 'f:rank': {} } })], ['rank'])?.manager, 'argocd');
  assert.equal(authorOf([api, HELM], ['rank'])?.manager, 'hamlet-api');
  assert.equal(authorOf(undefined, ['rank']), null);
});

test('the owners of a path include those of its parents and children, but never the api', () => {
  const fields = [
    HELM,
    entry('hamlet-api', 2, { spec: { 'f:price': { 'f:perHour': {} } } }),
    entry('argocd', 2, { spec: { 'f:compute': {} } }),
  ];
  const owners = otherOwners(fields, [
    'limits.models',
    'limits',
    'price.perHour',
    'compute.resources.cpu',
    'rank',
    'ranking',
  ]);
  assert.deepEqual(
    [...owners],
    [
      ['limits.models', 'helm'],
      ['limits', 'helm'],
      ['compute.resources.cpu', 'argocd'],
      ['rank', 'helm'],
    ],
  );
});

test('elements of a keyed list are owned as the list', () => {
  const owners = otherOwners(
    [entry('argocd', 1, { spec: { 'f:rules': { 'k:{"name":"a"}': { 'f:name': {} }, 'v:"x"': {} } } })],
    ['rules'],
  );
  assert.deepEqual([...owners], [['rules', 'argocd']]);
});

test('a merge patch removes unwanted fields and omits equal ones', () => {
  const before = fieldsOf({ a: 1, b: { c: [1], d: 'x' }, e: null });
  const difference = differenceOf(before, fieldsOf({ a: 1, b: { c: [2] }, f: { g: true } }));
  assert.deepEqual(nestedOf(difference), { b: { c: [2], d: null }, e: null, f: { g: true } });
});
