export * from './due-plan.ts';
export * from './slots.ts';
export * from './utc-text.ts';
export { describeTiming, readTiming, type Timetable, type TimetableReading, type Timing } from './timetable.ts';
