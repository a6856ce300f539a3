import type { Want } from './claim-order.ts';
import type { NodeBoard } from './node-board.ts';
import { DEVICES, fits, shortageOf, type Amounts } from './room.ts';
import type { SeatReason } from './verdict.ts';

/** Why nothing was found. */
export interface Shortage {
  readonly reason: SeatReason;
  readonly blocking?: string;
}

/** The device that is short on every one of `boards`, if that is what is wrong. */
function bookedDevice(boards: readonly NodeBoard[], size: Amounts, devices: readonly string[]): string | undefined {
  const lacking = (index: number): boolean =>
    boards.every(({ free }) => (size[index] ?? 0) > Math.max(0, free[index] ?? 0));
  return devices.find((_name, index) => lacking(DEVICES + index));
}

/** Why an agent that may use `boards`, none of which is large enough for it, finds nothing there. */
function tooLarge(size: Amounts, [first]: readonly NodeBoard[], devices: readonly string[]): Shortage {
  return { reason: 'TooLarge', blocking: shortageOf(size, first?.whole ?? [], devices) ?? 'room' };
}

/** @param boards those that the agent may use */
export function shortage(
  { claim: { pinnedTo }, tier: { size } }: Want,
  boards: readonly NodeBoard[],
  devices: readonly string[],
): Shortage {
  if (boards.length === 0)
    return pinnedTo === undefined ? { reason: 'NoNode' } : { reason: 'NodeClosed', blocking: `node ${pinnedTo}` };
  const large = boards.filter(({ whole }) => fits(size, whole));
  const [first] = large;
  if (first === undefined) return tooLarge(size, boards, devices);
  const device = bookedDevice(large, size, devices);
  if (device !== undefined) return { reason: 'GpuBooked', blocking: device };
  if (pinnedTo !== undefined) return { reason: 'NodeFull', blocking: `node ${pinnedTo}` };
  return { reason: 'NoSeat', blocking: shortageOf(size, first.free, devices) ?? 'room' };
}
