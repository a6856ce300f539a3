export { bytes, cpuMillis, quantity, QuantityError } from './quantity.ts';
export { NO_ROOM, type Room } from './room.ts';
export type { EndingPod, SeatHolder, SeatInput, SeatRequest, SeatNode, SeatTier } from './seat-input.ts';
export { seatPlan, SeatPlan, type TierSeats } from './seat-plan.ts';
export {
  endsPod,
  isSeatReason,
  queuePlace,
  seatSentence,
  type SeatDecision,
  type SeatReason,
} from './seat-decision.ts';
