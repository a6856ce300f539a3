/** Rules of seats, checked in thousands of random villages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases } from '@hamlet/test/env/seeded';
import { drawBelow } from '../bytes/prng.ts';
import type { Room } from './room.ts';
import type { SeatRequest, SeatInput, SeatNode, SeatTier } from './seat-input.ts';
import { seatPlan, type SeatPlan } from './seat-plan.ts';
import { request, GPU, HIGH, LOW, MIDDLE, node, room } from './testing/sample-village.ts';

const VILLAGES = cases(1_500, 30_000);

/** A village from a seed: few nodes, three ranks, all kinds of requests, often too many of them. */
function randomVillage(seed: number): SeatInput {
  let drawn = 0;
  const draw = (bound: number): number => drawBelow(bound, seed, (drawn += 1));
  const nodes = Array.from({ length: draw(5) }, (_, index) =>
    node(`n${index}`, room(draw(12) * 100, draw(12) * 100, draw(3), draw(12)), {
      open: draw(5) > 0,
      taken: room(draw(4) * 100, draw(4) * 100, 0, draw(3)),
    }),
  );
  const names = ['n0', 'n1', 'n2', 'n3', 'n9'];
  const tiers = [LOW, MIDDLE, HIGH, { name: 'twin', rank: 1, size: room(draw(4) * 100, 100) }];
  const tierNames = ['low', 'middle', 'high', 'twin', 'missing'];
  const requests = Array.from({ length: draw(24) }, (_, index): SeatRequest => {
    const kind = draw(4);
    const pod =
      kind === 0 ? { pod: { node: names[draw(5)], size: tiers[draw(4)]?.size } } : kind === 1 ? { pod: {} } : {};
    return request(`a${index}`, tierNames[draw(20) === 0 ? 4 : draw(4)] ?? 'low', {
      ...pod,
      seated: draw(4) === 0,
      createdAt: `2026-11-22T09:00:${String(draw(60)).padStart(2, '0')}Z`,
      ...(draw(3) === 0 ? { waitingSince: `2026-11-22T10:00:${String(draw(60)).padStart(2, '0')}Z` } : {}),
      ...(draw(5) === 0 ? { pinnedTo: names[draw(5)] } : {}),
      ...(draw(6) === 0 ? { ending: [{ node: names[draw(5)] ?? 'n0', size: tiers[draw(4)]?.size ?? LOW.size }] } : {}),
    });
  });
  return { nodes, tiers, requests, reserve: room(draw(2) * 100, 0, 0, 0) };
}

const tierIn = ({ tiers }: SeatInput, name: string | undefined): SeatTier | undefined =>
  tiers.find((tier) => tier.name === name);

function left(input: SeatInput, on: SeatNode, sizes: readonly Room[]): Room {
  const of = (pick: (size: Room) => number): number =>
    pick(on.allocatable) - pick(on.taken) - pick(input.reserve) - sizes.reduce((total, size) => total + pick(size), 0);
  return {
    cpuMillis: of((size) => size.cpuMillis),
    memoryBytes: of((size) => size.memoryBytes),
    pods: of((size) => size.pods),
    devices: { [GPU]: of((size) => size.devices[GPU] ?? 0) },
  };
}

const goesInto = (need: Room, into: Room): boolean =>
  [
    [need.cpuMillis, into.cpuMillis],
    [need.memoryBytes, into.memoryBytes],
    [need.pods, into.pods],
    [need.devices[GPU] ?? 0, into.devices[GPU] ?? 0],
  ].every(([wanted = 0, has = 0]) => wanted === 0 || wanted <= has);

interface Facts {
  readonly request: SeatRequest;
  readonly tier: SeatTier;
  readonly size: Room;
  readonly decision: NonNullable<ReturnType<SeatPlan['decisionOf']>>;
  readonly isNew: boolean;
}

function factsOf(input: SeatInput, plan: SeatPlan): readonly Facts[] {
  return input.requests.flatMap((each) => {
    const tier = tierIn(input, each.tier);
    const got = plan.decisionOf(each.key);
    if (tier === undefined || got === undefined) return [];
    const isNew = each.pod?.node === undefined || got.node !== each.pod.node;
    const keeps = got.granted && got.reason !== undefined && each.pod?.node !== undefined;
    return [{ request: each, tier, size: keeps ? (each.pod?.size ?? tier.size) : tier.size, decision: got, isNew }];
  });
}

function check(input: SeatInput, plan: SeatPlan): void {
  const facts = factsOf(input, plan);
  for (const at of input.nodes) {
    const here = facts.filter(({ decision: { granted, node: name } }) => granted && name === at.name);
    const rest = left(
      input,
      at,
      here.map(({ size }) => size),
    );
    const newcomers = here.filter(
      ({ isNew, size, request: { pod } }) => isNew || (pod?.size !== undefined && !goesInto(size, pod.size)),
    );
    for (const {
      request: { key },
      size,
    } of newcomers) {
      const before = {
        cpuMillis: rest.cpuMillis + size.cpuMillis,
        memoryBytes: rest.memoryBytes + size.memoryBytes,
        pods: rest.pods + size.pods,
        devices: { [GPU]: (rest.devices[GPU] ?? 0) + (size.devices[GPU] ?? 0) },
      };
      assert.ok(goesInto(size, before), `${key} came to ${at.name}, which was full`);
    }
  }
  for (const at of input.nodes) assertNothingOverfilled(input, at, facts);
  for (const { request: each, tier, decision: got } of facts) {
    if (each.pod !== undefined)
      assert.ok(got.granted || got.reason === 'Displaced', `${each.key} has a pod and lost its seat for ${got.reason}`);
    if (got.reason === 'Displaced') {
      const taker = facts.find(({ request: { key } }) => `agent ${key.slice(8)}` === got.blocking);
      assert.ok(
        each.pod?.node !== undefined && taker !== undefined && taker.tier.rank > tier.rank,
        `${each.key} was displaced by ${got.blocking}`,
      );
    }
    if (!got.granted && got.reason !== 'Displaced' && got.reason !== 'SeatClearing')
      assertNoInversion(input, facts, { each, tier });
  }
}

/** The room that a node reserves for an agent: its seat, or the seat that it gets after an ending pod is gone. */
function reservedOn(
  at: SeatNode,
  { decision: { granted, node: name, reason, blocking }, tier, size }: Facts,
): readonly Room[] {
  if (reason === 'SeatClearing' && blocking === `node ${at.name}`) return [tier.size];
  return granted && name === at.name ? [size] : [];
}

/** Pods that run or end on a node at this moment, with their sizes, also those that the plan displaces. */
function held(input: SeatInput, at: SeatNode): readonly { readonly key: string; readonly size: Room }[] {
  return input.requests.flatMap(({ key, pod, tier, ending = [] }) => [
    // An agent whose tier is deleted makes no request: `taken` of the node includes its pod.
    ...(pod?.node === at.name
      ? [tierIn(input, tier)].flatMap((own) => (own === undefined ? [] : [{ key, size: pod.size ?? own.size }]))
      : []),
    ...ending.flatMap(({ node: name, size }) => (name === at.name ? [{ key, size }] : [])),
  ]);
}

/** New agents and all present pods fit on the node together. An agent's own ending pods do not count against it. */
function assertNothingOverfilled(input: SeatInput, at: SeatNode, facts: readonly Facts[]): void {
  const newcomers = facts.filter(
    ({ decision: { granted, node: name, reason }, request: { pod } }) =>
      granted && name === at.name && reason === undefined && pod?.node === undefined,
  );
  for (const {
    request: { key },
    size,
  } of newcomers) {
    const others = [
      ...held(input, at)
        .filter((pod) => pod.key !== key)
        .map((pod) => pod.size),
      ...newcomers
        .filter(
          (other) => other.request.key !== key && !other.request.ending?.some(({ node: name }) => name === at.name),
        )
        .map((other) => other.size),
    ];
    assert.ok(goesInto(size, left(input, at, others)), `${key} came to ${at.name} before the room was there`);
  }
}

/** A refused agent would not fit on any node even without all agents of lower ranks, so no lower rank has a seat that it could use. */
function assertNoInversion(
  input: SeatInput,
  facts: readonly Facts[],
  { each, tier }: { readonly each: SeatRequest; readonly tier: SeatTier },
): void {
  // A displaced agent may have reserved a seat elsewhere, which no decision shows until its pod has ended.
  if (facts.some((other) => other.decision.reason === 'Displaced' && other.tier.rank >= tier.rank)) return;
  for (const at of input.nodes.filter(({ open, name }) => open && (each.pinnedTo ?? name) === name)) {
    const equals = facts.filter((other) => other.tier.rank >= tier.rank).flatMap((other) => reservedOn(at, other));
    assert.ok(
      !goesInto(tier.size, left(input, at, equals)),
      `${each.key} of rank ${tier.rank} waits although ${at.name} has room but for lower ranks`,
    );
  }
}

test(`the rules of seats hold in ${VILLAGES} random villages`, () => {
  for (let seed = 1; seed <= VILLAGES; seed += 1) {
    const input = randomVillage(seed);
    try {
      const plan = seatPlan(input);
      check(input, plan);
      const turned = seatPlan({
        ...input,
        nodes: input.nodes.toReversed(),
        tiers: input.tiers.toReversed(),
        requests: input.requests.toReversed(),
      });
      for (const { key } of input.requests)
        assert.deepEqual(turned.decisionOf(key), plan.decisionOf(key), 'the order of the input does not matter');
      for (const { name } of input.tiers)
        assert.ok((plan.seatsOf(name)?.free ?? 0) <= (plan.seatsOf(name)?.total ?? 0));
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
});

test(`raising its rank never costs an agent its seat, in ${VILLAGES} random villages`, () => {
  for (let seed = 1; seed <= VILLAGES; seed += 1) {
    const input = randomVillage(seed);
    const plan = seatPlan(input);
    const raised = { ...input, tiers: [...input.tiers, { name: 'raised', rank: 9, size: LOW.size }] };
    for (const each of input.requests.filter(({ tier, pod }) => tier === 'low' && pod === undefined)) {
      if (plan.decisionOf(each.key)?.granted !== true) continue;
      const higher = seatPlan({
        ...raised,
        requests: input.requests.map((other) => (other === each ? { ...each, tier: 'raised' } : other)),
      });
      assert.ok(
        higher.decisionOf(each.key)?.granted === true || higher.decisionOf(each.key)?.reason === 'SeatClearing',
        `seed ${seed}: ${each.key}`,
      );
    }
  }
});

test('repeated plans become stable: granted agents run, displaced agents end, and then nothing changes', () => {
  for (let seed = 1; seed <= VILLAGES; seed += 1) {
    let input = randomVillage(seed);
    let changes = Number.POSITIVE_INFINITY;
    let turns = 0;
    for (; changes > 0 && turns < 40; turns += 1) {
      const plan = seatPlan(input);
      const requests = input.requests.map((each) => followed(each, plan, LOW.size));
      changes = requests.filter(
        (each, index) =>
          JSON.stringify([each.pod, each.ending]) !==
          JSON.stringify([input.requests[index]?.pod, input.requests[index]?.ending]),
      ).length;
      input = { ...input, requests };
    }
    assert.equal(changes, 0, `seed ${seed} still moves after ${turns} turns`);
  }
});

function followed({ ending: _gone, ...each }: SeatRequest, plan: SeatPlan, size: Room): SeatRequest {
  const got = plan.decisionOf(each.key);
  if (got === undefined) return each;
  if (got.reason === 'Displaced')
    return {
      ...each,
      pod: undefined,
      seated: false,
      ending: [{ node: each.pod?.node ?? '', size: each.pod?.size ?? size }],
    };
  const isFree = got.granted && got.node !== undefined;
  return isFree && got.reason === undefined ? { ...each, pod: { node: got.node } } : each;
}
