export { bytes, cpuMillis, quantity } from './quantity.ts';
export { NO_ROOM, type Room } from './room.ts';
export type { EndingPod, SeatClaim, SeatHolder, SeatInput, SeatNode, SeatTier } from './seat-input.ts';
export { seatPlan, SeatPlan, type TierSeats } from './seat-plan.ts';
export { isSeatReason, queuePlace, seatSentence, type SeatReason, type SeatVerdict } from './verdict.ts';
