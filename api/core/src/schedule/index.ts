export { utcText } from './civil-day.ts';
export * from './due-plan.ts';
export * from './slots.ts';
export { describeTiming, readTiming, type Timetable, type TimetableReading, type Timing } from './timetable.ts';
