import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import type { EgressRule } from '@hamlet/contract';
import type { Destination, EgressDenial } from '@hamlet/core/egress';
import type { ByteBudget } from '../byte-budget.ts';
import type { Connections } from '../connections.ts';
import { reach, type Network } from '../connect/reach.ts';
import { TOO_MANY, type Caller, type OpenAttempt, type Recorder } from './caller.ts';
import { requireName } from './first-bytes.ts';
import { BytesSpent, Meter } from './meter.ts';
import { refuseConnect } from './refuse.ts';

/** A tunnel ends after this long without a byte in either direction. */
const IDLE_MS = 600_000;
export const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n';

export interface TunnelParts {
  readonly recorder: Recorder;
  readonly connections: Connections;
  readonly budget: ByteBudget;
  readonly network: Network;
}

interface Tunnel {
  readonly caller: Caller;
  readonly destination: Destination;
  readonly rules: readonly EgressRule[];
  readonly socket: Duplex;
  readonly head: Buffer;
}

function join(tunnel: Tunnel, server: Socket, by: { meter: Meter; attempt: OpenAttempt }): void {
  const { socket } = tunnel;
  const { meter, attempt } = by;
  const end = (error: unknown): void => {
    attempt.end(error instanceof BytesSpent ? error.denial : null);
    server.destroy();
    socket.destroy();
  };
  server.setTimeout(IDLE_MS, () => end(null));
  pipeline(socket, meter.stream('sent'), server, (error) => error && end(error));
  pipeline(server, meter.stream('received'), socket, end);
}

/** Connects first, because it can still refuse then. Sends no byte before the TLS name matches. */
export async function openTunnel(parts: TunnelParts, tunnel: Tunnel): Promise<void> {
  const { caller, destination, socket } = tunnel;
  const facts = { form: 'tunnel', destination, method: null, path: null } as const;
  const attempt = await parts.recorder.begin(caller, facts);
  if (!('end' in attempt)) return refuseConnect(socket, attempt);
  const fail = (denial: EgressDenial): void => attempt.end(denial);
  const server = await reach(parts.network, caller.admission.policy, destination);
  if ('verdict' in server) {
    fail(server);
    return refuseConnect(socket, server);
  }
  server.on('error', () => socket.destroy());
  attempt.address = server.remoteAddress ?? null;
  if (socket.destroyed || server.destroyed) {
    attempt.end(null);
    server.destroy();
    socket.destroy();
    return;
  }
  if (!parts.connections.add(caller.admission.uid, server)) {
    fail(TOO_MANY);
    server.destroy();
    return refuseConnect(socket, TOO_MANY);
  }
  socket.write(ESTABLISHED);
  const denial = await requireName(socket, tunnel.head, destination);
  if (denial !== null) {
    fail(denial);
    server.destroy();
    socket.destroy();
    return;
  }
  join(tunnel, server, {
    meter: new Meter(parts.budget, attempt, { admission: caller.admission, rules: tunnel.rules }),
    attempt,
  });
}
