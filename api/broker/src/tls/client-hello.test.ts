import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { MAX_HELLO_BYTES, readClientHello } from './client-hello.ts';

/** The first bytes that Node's TLS client sends. */
async function helloBytes(servername: string): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const client = connectTls({ host: '127.0.0.1', port: address.port, servername, rejectUnauthorized: false });
  client.on('error', () => undefined);
  const [socket] = await once(server, 'connection');
  const [bytes] = await once(socket, 'data');
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}

/** The same handshake in records of this size, as a hostile client may send it. */
function inRecords(hello: Buffer, size: number): Buffer {
  const handshake = hello.subarray(5);
  const parts: Buffer[] = [];
  for (let at = 0; at < handshake.length; at += size) {
    const part = handshake.subarray(at, at + size);
    parts.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(parts);
}

test('the reader finds the name that a real client sends, for each split of its bytes and in small records', async () => {
  const hello = await helloBytes('API.example.org');
  const wanted = { kind: 'hello', serverName: 'api.example.org' };
  assert.deepEqual(readClientHello(hello), wanted);
  for (let length = 0; length < hello.length; length += 1)
    assert.deepEqual(readClientHello(hello.subarray(0, length)), { kind: 'partial' }, String(length));
  for (const size of [1, 7, 100]) assert.deepEqual(readClientHello(inRecords(hello, size)), wanted);
});

test('a handshake without a server name returns none', async () => {
  assert.deepEqual(readClientHello(await helloBytes('')), { kind: 'hello', serverName: null });
});

test('other protocols and malformed handshakes are refused after a bounded number of bytes', async () => {
  for (const text of ['GET / HTTP/1.1\r\n', 'SSH-2.0-x\r\n', '\u0016\u0001'])
    assert.deepEqual(readClientHello(Buffer.from(text, 'latin1')), { kind: 'not_tls' }, text);
  const endless = Buffer.alloc(MAX_HELLO_BYTES + 1, 0);
  endless.set([22, 3, 1, 255, 255, 1, 255, 255, 255]);
  assert.deepEqual(readClientHello(endless), { kind: 'not_tls' });
  const hello = await helloBytes('a.org');
  let outcomes = 0;
  for (let at = 5; at < hello.length; at += 1) {
    const broken = Buffer.from(hello);
    broken[at] = 255 - (broken[at] ?? 0);
    outcomes += ['partial', 'not_tls', 'hello'].includes(readClientHello(broken).kind) ? 1 : 0;
  }
  assert.equal(outcomes, hello.length - 5);
});
