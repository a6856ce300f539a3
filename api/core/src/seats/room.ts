export interface Room {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  /** A resource; nodes also limit the number of pods. */
  readonly pods: number;
  readonly devices: Readonly<Record<string, number>>;
}

export const NO_ROOM: Room = { cpuMillis: 0, memoryBytes: 0, pods: 0, devices: {} };

/** Cpu, memory, pods, then each device that a tier or bought seat needs. Other devices do not limit seats. */
export type Amounts = readonly number[];

const CPU = 0;
const MEMORY = 1;
const PODS = 2;
export const DEVICES = 3;

export function amountsOf(room: Room, devices: readonly string[]): number[] {
  return [room.cpuMillis, room.memoryBytes, room.pods, ...devices.map((name) => room.devices[name] ?? 0)];
}

/** A resource that `need` does not use may be negative in `room`. */
export function fits(need: Amounts, room: Amounts): boolean {
  return need.every((wanted, index) => wanted <= Math.max(0, room[index] ?? 0));
}

export function isWithin(need: Amounts, held: Amounts): boolean {
  return need.every((wanted, index) => wanted <= (held[index] ?? 0));
}

export function add(to: number[], what: Amounts, sign: 1 | -1): void {
  what.forEach((value, index) => {
    to[index] = (to[index] ?? 0) + sign * value;
  });
}

export const sum = (left: Amounts, right: Amounts): number[] => left.map((value, index) => value + (right[index] ?? 0));

/** The excess of `size` over `other`; 0 where there is none. */
export const beyond = (size: Amounts, other: Amounts): number[] =>
  size.map((value, index) => Math.max(0, value - (other[index] ?? 0)));

export function timesIn(need: Amounts, room: Amounts): number {
  const times = need.reduce(
    (least, wanted, index) => (wanted > 0 ? Math.min(least, Math.floor((room[index] ?? 0) / wanted)) : least),
    Number.MAX_SAFE_INTEGER,
  );
  return Math.max(0, times);
}

/** A running pod cannot change its devices. */
export function differInDevices(left: Amounts, right: Amounts): boolean {
  return left.some((value, index) => index >= DEVICES && value !== right[index]);
}

/** Devices come first, because they are the rarest. */
export function shortageOf(need: Amounts, room: Amounts, devices: readonly string[]): string | undefined {
  const short = (index: number): boolean => (need[index] ?? 0) > Math.max(0, room[index] ?? 0);
  const device = devices.find((_name, index) => short(DEVICES + index));
  if (device !== undefined) return device;
  if (short(MEMORY)) return 'memory';
  if (short(CPU)) return 'cpu';
  return short(PODS) ? 'pods' : undefined;
}
