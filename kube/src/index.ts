export * from './client/kube-client.ts';
export * from './client/kube-error.ts';
export { LineSplitter } from './client/line-splitter.ts';
export { RequestGate, type GateLimits, type Priority } from './client/request-gate.ts';
export { pause, systemClock, wakefulClock, type Clock } from './clock.ts';
export type { Connection, TlsMaterial, TokenSource } from './connection/connection.ts';
export { inClusterConnection, SERVICE_ACCOUNT_DIR, type PodEnvironment } from './connection/in-cluster.ts';
export { kubeconfigConnection, KubeconfigError } from './connection/kubeconfig.ts';
export { tokenFile } from './connection/token-file.ts';
export * from './kube-object.ts';
export { Elector, NotLeaderError, type ElectorOptions, type Fence, type LeasePort } from './leader/elector.ts';
export { LEASE_TIMES, type LeaseTimes } from './leader/lease-step.ts';
export { settle, type Outcome, type OutcomeRecord } from './queue/outcome.ts';
export { Resync, RESYNC_MS, type ResyncOptions } from './queue/resync.ts';
export { WorkQueue, type Urgency, type WorkQueueOptions } from './queue/work-queue.ts';
export { runWorkers, type WorkersOptions } from './queue/workers.ts';
export { compareVersions, ObjectCache, type Change, type Indexer } from './reflector/object-cache.ts';
export type { Recovery } from './reflector/recovery.ts';
export {
  DEFAULT_WATCH_TIMES,
  Reflector,
  type ReflectorOptions,
  type ReflectorState,
  type RelistCause,
  type WatchPort,
  type WatchTimes,
} from './reflector/reflector.ts';
export { slim } from './reflector/slim.ts';
export { EventRecorder, type EventTarget, type KubeEvent } from './service/event-recorder.ts';
export { LoopWatch } from './service/loop-watch.ts';
export { ServiceServer, type Check } from './service/service-server.ts';
export { drain, shutdownSignal, type DrainStep } from './service/shutdown.ts';
