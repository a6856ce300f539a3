export { readConfig } from './config.ts';
export type { Config } from './config.ts';
export { openCheckpointFolder } from './log/checkpoint-folder.ts';
export { openLogSigner } from './log/log-signer.ts';
export { createLog } from './service/log.ts';
export type { Log } from './service/log.ts';
export { startServer } from './start/start-server.ts';
export type { RunningServer } from './start/start-server.ts';
