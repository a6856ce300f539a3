export { runResident } from './resident.ts';
export type { ResidentPorts } from './resident.ts';
export { RUNTIMES } from './runtimes.ts';
