/**
 * The least work of a gateway that keeps records: a proxy of bare node:http that reads one row before it asks the model
 * server, passes on the bytes of the answer as they come, and writes one row before the end. It checks nothing.
 */
import { createServer, request, Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { openDatabase } from '@hamlet/store';
import { sql } from 'kysely';

/** Size of the connection pool, the same as that of the API. */
const POOL_SIZE = 16;

const [, , upstream = '', postgresUrl = ''] = process.argv;
const db = openDatabase({ url: postgresUrl, poolSize: POOL_SIZE, onError: (error) => console.error(error) });
await sql`create table floor_request (request_id bigserial primary key, caller text)`.execute(db);
const agent = new Agent({ keepAlive: true });

function ask(body: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  request(`${upstream}/chat/completions`, { method: 'POST', agent, headers }, resolve).once('error', reject).end(body);
  return promise;
}

async function pass(asked: IncomingMessage, response: ServerResponse): Promise<void> {
  const caller = asked.headers.authorization ?? '';
  const body = await text(asked);
  await sql`/* prepared floor_read */ select max(request_id) from floor_request where request_id = 1`.execute(db);
  const answer = await ask(body);
  response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] });
  await pipeline(answer, response, { end: false });
  await sql`/* prepared floor_write */ insert into floor_request (caller) values (${caller})`.execute(db);
  response.end();
}

const server = createServer((asked, response) => {
  pass(asked, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
