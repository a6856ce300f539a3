export { isAlive, openDevFolder } from './dev-folder.ts';
export { startDevVillage, type DevVillage } from './dev-village.ts';
export { freePort, startLocal, type LocalProcess } from './local-process.ts';
export { postgresPrograms, startPostgres, type LocalPostgres } from './postgres.ts';
export { startPrometheus, type LocalPrometheus, type Target } from './prometheus.ts';
export { startRedis, type LocalRedis } from './redis.ts';
