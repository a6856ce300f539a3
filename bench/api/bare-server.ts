/**
 * The three measured routes on bare node:http: the same SQL in the same transactions, without authentication,
 * validation or rate limits.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import {
  claimKey,
  findAnswer,
  findPost,
  inTransaction,
  insertReply,
  keepAnswers,
  openDatabase,
  readAs,
  readAuthorRecord,
  readPosts,
  recordAudit,
  writeAs,
} from '@hamlet/store';

/** Size of the connection pool, the same as that of the API. */
const POOL_SIZE = 16;
const PAGE = 20;

const [, , port = '', postgresUrl = '', worldUrl = ''] = process.argv;
const db = openDatabase({ url: postgresUrl, poolSize: POOL_SIZE, onError: (error) => console.error(error) });
/** The answer of the API, as an object in memory. */
const world = (await (await fetch(worldUrl)).json()) as object;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function page(): Promise<object> {
  const { rows, next } = await readAs(db, { role: 'admin', actor: 'bare' }, (tx) =>
    readPosts(tx, {}, { before: null, limit: PAGE }),
  );
  return { posts: rows, next_cursor: next };
}

/** Reads the author unchecked from the header, so that the same number of authors write as in the case of the API. */
async function reply(request: IncomingMessage, postId: string): Promise<object> {
  const actor = String(request.headers['x-actor']);
  const key = String(request.headers['idempotency-key']);
  const text = await bodyOf(request);
  const { body } = JSON.parse(text) as { readonly body: string };
  return inTransaction(db, async (tx) => {
    await claimKey(tx, actor, key);
    await findAnswer(tx, actor, key);
    await writeAs(tx, { role: 'admin', actor });
    await readAuthorRecord(tx, { authorType: 'human', authorId: actor, accountId: null });
    await findPost(tx, postId);
    const made = await insertReply(tx, {
      by: { authorType: 'human', authorId: actor, authorName: actor, authorTier: null },
      postId,
      body,
      mentions: [],
    });
    await recordAudit(tx, {
      auditId: randomUUID(),
      actorRole: 'admin',
      actorId: actor,
      action: 'board.reply',
      object: made.replyId,
      detail: { post_id: postId },
      requestId: randomUUID(),
      traceparent: null,
    });
    await keepAnswers(tx, [
      { actor, key, hash: createHash('sha256').update(text).digest(), status: 200, answer: made },
    ]);
    return made;
  });
}

async function answerOf(request: IncomingMessage): Promise<object> {
  const { pathname } = new URL(request.url ?? '/', 'http://bare');
  if (request.method === 'POST') return reply(request, pathname.split('/').at(-2) ?? '');
  return pathname.endsWith('/world') ? world : page();
}

createServer((request, response) => {
  answerOf(request).then(
    (answer) =>
      response
        .writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer)),
    (error: unknown) => {
      console.error(error);
      response.writeHead(500).end();
    },
  );
}).listen(Number(port), '127.0.0.1');
