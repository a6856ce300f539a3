import { job } from '../service/jobs.ts';
import { forgetSessions } from './forget-sessions.ts';
import { createIdleMonitor, type RestPorts } from './idle-monitor.ts';
import { startSessionStreams, type StreamPorts } from './session-streams.ts';

const FORGET_EVERY_MS = 60_000;

/** @param ports.sessionDays days after its end for which the texts of a session stay; 0 keeps them permanently */
export function startSessions(ports: StreamPorts & RestPorts & { readonly sessionDays: () => number }) {
  const sessions = startSessionStreams(ports);
  const rest = createIdleMonitor(ports);
  const forget = forgetSessions(ports, ports.sessionDays);
  return {
    sessions,
    rest,
    jobs: [...rest.jobs, job({ name: 'session-retention', everyMs: FORGET_EVERY_MS, run: forget })],
    stop: () => sessions.stop(),
  };
}

export type Sessions = ReturnType<typeof startSessions>;
