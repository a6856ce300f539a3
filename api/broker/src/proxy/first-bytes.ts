import type { Duplex, Readable } from 'node:stream';
import { deny, type Destination, type EgressDenial } from '@hamlet/core/egress';
import { isIP } from 'node:net';
import { readClientHello } from '../tls/client-hello.ts';

const HELLO_MS = 10_000;

const NOT_TLS = deny('egress_not_tls', 'this tunnel carries only TLS; use an address that begins with https');

/** Puts the read bytes back for the next reader. */
export function giveBack(socket: Readable, bytes: Buffer): void {
  socket.pause();
  if (bytes.length > 0) socket.unshift(bytes);
}

/** Reads the ClientHello of a connection and puts its bytes back. Null if none arrives in time. */
async function serverName(socket: Duplex, head: Buffer): Promise<{ readonly name: string | null } | null> {
  let bytes = head;
  const timer = setTimeout(() => socket.destroy(), HELLO_MS);
  try {
    for (;;) {
      const hello = readClientHello(bytes);
      if (hello.kind === 'hello') return { name: hello.serverName };
      if (hello.kind === 'not_tls') return null;
      const more = await nextChunk(socket);
      if (more === null) return null;
      bytes = Buffer.concat([bytes, more]);
    }
  } finally {
    clearTimeout(timer);
    giveBack(socket, bytes);
  }
}

/** The next bytes of a stream, which it then pauses; null at the end. */
export function nextChunk(socket: Readable): Promise<Buffer | null> {
  return new Promise((settle) => {
    const done = (chunk: Buffer | null): void => {
      socket.off('data', onData).off('end', onEnd).off('close', onEnd);
      settle(chunk);
    };
    const onData = (chunk: Buffer): void => {
      socket.pause();
      done(chunk);
    };
    const onEnd = (): void => done(null);
    socket.on('data', onData).on('end', onEnd).on('close', onEnd);
    if (socket.destroyed) done(null);
    else socket.resume();
  });
}

/**
 * Requires that a tunnel begins with TLS for the requested host, because one address may also serve hosts that are not
 * allowed. A client that connects to an IP address sends no name.
 */
export async function requireName(socket: Duplex, head: Buffer, { host }: Destination): Promise<EgressDenial | null> {
  const found = await serverName(socket, head);
  if (found === null) return NOT_TLS;
  const wanted = isIP(host) === 0 ? host : null;
  if (found.name === wanted) return null;
  return deny('egress_name_differs', `the TLS name ${String(found.name)} is not the host ${host} that was asked for`);
}
