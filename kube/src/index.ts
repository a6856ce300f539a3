export {
  connect,
  kubeconfigConnection,
  SERVICE_ACCOUNT_DIR,
  tokenFile,
  type Connection,
  type TokenSource,
} from './client/connection.ts';
export * from './client/kube-client.ts';
export * from './client/kube-error.ts';
export * from './client/kube-object.ts';
export { Elector, type Fence } from './leader/elector.ts';
export { Resync } from './queue/resync.ts';
export { WorkQueue, type Urgency } from './queue/work-queue.ts';
export { runWorkers, settle, type Outcome, type OutcomeRecord } from './queue/workers.ts';
export { ObjectCache, type Change } from './reflector/object-cache.ts';
export type { Recovery } from './reflector/recovery.ts';
export { Reflector, type ReflectorOptions, type ReflectorState, type WatchTimes } from './reflector/reflector.ts';
export { EventRecorder, type KubeEvent } from './service/event-recorder.ts';
export { LoopWatch } from './service/loop-watch.ts';
export { drain, listenAt, ServiceServer, shutdownSignal } from './service/service.ts';
export { backoffMs } from './time/backoff.ts';
export { pause, systemClock, wakefulClock, type Clock } from './time/clock.ts';
