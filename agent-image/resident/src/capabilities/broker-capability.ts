import { connect } from 'node:net';
import type { Capability } from '@hamlet/contract';
import { has, lacks } from './capability.ts';

const CONNECT_MS = 5_000;
const FIX = 'check that the broker runs (kubectl get pods) and that the network policy admits agents';

/** Whether the broker, the only way out of the pod, accepts a connection. Without one the village promises no way out. */
export async function brokerCapability(broker: URL | null, hasProxy: boolean): Promise<readonly Capability[]> {
  if (broker === null) return [];
  if (!hasProxy)
    return [
      lacks('egress', 'the proxy of the pod did not start', 'read the log of the resident, then reboot the agent'),
    ];
  const fault = await faultOf(broker);
  return [fault === null ? has('egress', `${broker.host} accepts connections`) : lacks('egress', fault, FIX)];
}

function faultOf({ hostname, port, host }: URL): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port === '' ? 80 : port), timeout: CONNECT_MS });
    const end = (fault: string | null): void => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end(`the broker ${host} does not answer`));
    socket.once('error', ({ message }) => end(`the broker ${host} cannot be reached: ${message}`));
  });
}
