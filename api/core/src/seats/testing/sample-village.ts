/** A small village for tests of seats: three tiers, one node with one GPU. */
import type { Room } from '../room.ts';
import type { SeatRequest, SeatInput, SeatNode, SeatTier } from '../seat-input.ts';
import { seatPlan, type SeatPlan } from '../seat-plan.ts';

export const GPU = 'nvidia.com/gpu';
/** A room from cpu in thousandths of a core, memory in bytes, GPUs and pods. */
export const room = (...[cpuMillis = 0, memoryBytes = 0, gpus = 0, pods = 1]: readonly number[]): Room => ({
  cpuMillis,
  memoryBytes,
  pods,
  devices: gpus === 0 ? {} : { [GPU]: gpus },
});
export const node = (name: string, size: Room, parts: Partial<SeatNode> = {}): SeatNode => ({
  name,
  open: true,
  allocatable: size,
  taken: room(0, 0, 0, 0),
  ...parts,
});
export const LOW: SeatTier = { name: 'low', rank: 0, size: room(100, 100) };
export const MIDDLE: SeatTier = { name: 'middle', rank: 1, size: room(200, 200) };
export const HIGH: SeatTier = { name: 'high', rank: 2, size: room(200, 200, 1) };
export const request = (name: string, tier: string, parts: Partial<SeatRequest> = {}): SeatRequest => ({
  key: `village/${name}`,
  tier,
  seated: false,
  createdAt: '2026-11-22T09:00:00Z',
  ...parts,
});
export const on = (name: string, size?: Room): Partial<SeatRequest> => ({ pod: { node: name, size } });

export const planned = (parts: Partial<SeatInput>): SeatPlan =>
  seatPlan({
    nodes: [node('a', room(1_000, 1_000, 1, 10))],
    tiers: [LOW, MIDDLE, HIGH],
    requests: [],
    reserve: room(0, 0, 0, 0),
    ...parts,
  });
export const decision = (plan: SeatPlan, name: string): ReturnType<SeatPlan['decisionOf']> =>
  plan.decisionOf(`village/${name}`);
/** A decision as text: `seat on a`, or for example `no seat NoSeat (cpu) #2`. */
export function seat(plan: SeatPlan, name: string): string {
  const got = decision(plan, name);
  if (got === undefined) return 'no request';
  const { granted, node: at, reason, blocking, position } = got;
  const parts = [at && `on ${at}`, reason, blocking && `(${blocking})`, position && `#${position}`];
  return [granted ? 'seat' : 'no seat', ...parts].filter(Boolean).join(' ');
}
