export { openDevFolder } from './dev-folder.ts';
export { startDevVillage } from './dev-village.ts';
export type { DevVillage } from './dev-village.ts';
export { freePort, startLocal } from './local-process.ts';
export type { LocalProcess } from './local-process.ts';
export { startPostgres } from './postgres.ts';
export type { LocalPostgres } from './postgres.ts';
export { startRedis } from './redis.ts';
export type { LocalRedis } from './redis.ts';
