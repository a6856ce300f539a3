/** Preloaded before a program: its first use of the net or of a resolver ends the process with code 97, so that no code can catch it. */
import dns from 'node:dns';
import net from 'node:net';
import dgram from 'node:dgram';

const TRAPPED = 97;

const trap = (): never => process.exit(TRAPPED);

net.Socket.prototype.connect = trap;
dgram.Socket.prototype.send = trap;
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6'] as const) {
  Object.defineProperty(dns, name, { value: trap });
  Object.defineProperty(dns.promises, name, { value: trap });
}
