import { forgetEndedChats, forgetSessionEvents } from '@hamlet/store';
import { job, type Job } from '../service/jobs.ts';
import { createRestKeeper, type RestKeeper, type RestPorts } from './rest-keeper.ts';
import { startSessionStreams, type SessionStreams, type StreamPorts } from './session-streams.ts';

const FORGET_EVERY_MS = 60_000;

export interface Sessions {
  readonly sessions: SessionStreams;
  readonly rest: RestKeeper;
  readonly jobs: readonly Job[];
  stop(): Promise<void>;
}

/** Starts the streams of sessions on this replica, idle sleep and waking, and the retention of transcripts. */
export function startSessions(ports: StreamPorts & RestPorts): Sessions {
  const sessions = startSessionStreams(ports);
  const rest = createRestKeeper(ports);
  const forget = (): Promise<unknown> => forgetSessionEvents(ports.db).then(() => forgetEndedChats(ports.db));
  return {
    sessions,
    rest,
    jobs: [...rest.jobs, job({ name: 'session-retention', everyMs: FORGET_EVERY_MS, run: forget })],
    stop: () => sessions.stop(),
  };
}
