import { createSign, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { PAYPAL_HOSTS } from '../payments/paypal-client.ts';
import { StandInBooks } from './stand-in-books.ts';
import { testAuthority, type TestAuthority, type TestCertificate } from './test-authority.ts';

export const WEBHOOK_ID = '4JH86294D6297924G';
const HOSTS = PAYPAL_HOSTS.sandbox;
const CERTS = '/v1/notifications/certs/';
/** A host that answers like PayPal and has a trusted certificate. The API must never call it. */
export const ELSEWHERE = 'api.sandbox.paypal.com.elsewhere.test';

/** A notification as PayPal sends it. */
export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The text that PayPal signs. A test compares it with a recorded notification. */
export function textThatIsSigned(
  body: string | Uint8Array,
  { id, time, webhookId }: { readonly id: string; readonly time: string; readonly webhookId: string },
): string {
  return `${id}|${time}|${webhookId}|${crc32(body)}`;
}

export interface SignOptions {
  /** The signing certificate: `good`, `stranger` (another name) or `forged` (another authority). */
  readonly by?: 'good' | 'stranger' | 'forged';
  /** The address of the certificate in the notification. */
  readonly certUrl?: string;
  readonly transmissionId?: string;
  readonly time?: string;
  readonly webhookId?: string;
}

function port(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  return address.port;
}

interface Parts {
  readonly folder: string;
  readonly authority: TestAuthority;
  readonly stranger: TestAuthority;
  readonly server: TestCertificate;
  readonly signers: Readonly<Record<'good' | 'stranger' | 'forged', TestCertificate>>;
}

async function makeParts(): Promise<Parts> {
  const [folder, authority, stranger] = await Promise.all([
    mkdtemp(join(tmpdir(), 'hamlet-test-paypal-')),
    testAuthority(),
    testAuthority(),
  ]);
  const server = await authority.server([HOSTS.api, ...HOSTS.certificates, ELSEWHERE]);
  const [good, other, forged] = await Promise.all([
    authority.signer(HOSTS.signer),
    authority.signer('signer.elsewhere.test'),
    stranger.signer(HOSTS.signer),
  ]);
  await Promise.all([
    writeFile(join(folder, 'ca.pem'), authority.root),
    writeFile(
      join(folder, 'secrets.json'),
      JSON.stringify({ clientId: 'a-client', clientSecret: 'a-secret', webhookId: WEBHOOK_ID }),
    ),
  ]);
  return { folder, authority, stranger, server, signers: { good, stranger: other, forged } };
}

/**
 * A stand-in for PayPal: a server with certificates of a test authority, behind an HTTP proxy that sends every
 * connection to this server and records the requested host.
 */
export class PayPalStandIn {
  readonly books = new StandInBooks();
  /** `host:port` of every requested connection. */
  readonly connects: string[] = [];
  /** `METHOD host path` of every request. */
  readonly requests: string[] = [];
  /** Answers by path; each replaces the usual one for the next `times` requests. */
  readonly detours = new Map<string, { times: number; readonly answer: (response: ServerResponse) => void }>();
  readonly #parts: Parts;
  readonly #api: Server;
  readonly #proxy: Server;
  readonly #sockets = new Set<Socket>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#api = createHttpsServer({ key: parts.server.key, cert: parts.server.chain }, (request, response) =>
      this.#answer(request, response),
    );
    this.#proxy = createHttpServer((_request, response) => response.writeHead(405).end());
    this.#proxy.on('connect', (request: IncomingMessage, socket: Socket) => this.#carry(request.url ?? '', socket));
    for (const server of [this.#api, this.#proxy]) server.on('connection', (socket: Socket) => this.#keep(socket));
  }

  async listen(): Promise<void> {
    for (const server of [this.#api, this.#proxy]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
  }

  /** Environment of a replica that uses this PayPal. */
  get environment(): Readonly<Record<string, string>> {
    return {
      HAMLET_PAYPAL: 'sandbox',
      HAMLET_PAYPAL_SECRETS_FILE: join(this.#parts.folder, 'secrets.json'),
      HAMLET_PAYPAL_CA_FILE: join(this.#parts.folder, 'ca.pem'),
      HAMLET_PAYPAL_PROXY: `http://127.0.0.1:${port(this.#proxy)}`,
    };
  }

  certUrl(by: 'good' | 'stranger' | 'forged'): string {
    return `https://api.sandbox.paypal.com${CERTS}CERT-${by}`;
  }

  /** Signs a body with PayPal's key, or with the key that `by` names. */
  sign(body: string | Uint8Array, options: SignOptions = {}): SignedDelivery {
    const {
      by = 'good',
      certUrl = this.certUrl(by),
      transmissionId = randomUUID(),
      time = new Date().toISOString(),
      webhookId = WEBHOOK_ID,
    } = options;
    const signature = createSign('RSA-SHA256')
      .update(textThatIsSigned(body, { id: transmissionId, time, webhookId }))
      .sign(this.#parts.signers[by].key, 'base64');
    const headers = {
      'content-type': 'application/json',
      'paypal-auth-algo': 'SHA256withRSA',
      'paypal-cert-url': certUrl,
      'paypal-transmission-id': transmissionId,
      'paypal-transmission-time': time,
      'paypal-transmission-sig': signature,
    };
    return { headers, body };
  }

  async close(): Promise<void> {
    const closed = [this.#api, this.#proxy].map((server) => once(server, 'close'));
    this.#api.close();
    this.#proxy.close();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
    await Promise.all([
      this.#parts.authority.remove(),
      this.#parts.stranger.remove(),
      rm(this.#parts.folder, { recursive: true, force: true }),
    ]);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #carry(target: string, socket: Socket): void {
    this.connects.push(target);
    const onward = connect(port(this.#api), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket);
      socket.pipe(onward);
    });
    this.#keep(onward);
    socket.once('close', () => onward.destroy());
    onward.once('close', () => socket.destroy());
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', `https://${request.headers.host ?? ''}`);
    this.requests.push(`${request.method} ${url.host} ${url.pathname}`);
    const detour = this.detours.get(url.pathname);
    if (detour !== undefined && detour.times > 0) {
      detour.times -= 1;
      return detour.answer(response);
    }
    this.#answerKnown(request, response, url);
  }

  #answerKnown(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const certificate = this.#certificate(url.pathname);
    if (certificate !== null) response.end(certificate);
    else if (url.pathname.startsWith(CERTS)) response.writeHead(404).end();
    else if (url.pathname === '/v1/oauth2/token') this.#json(response, { access_token: 'a-token', expires_in: 32_400 });
    else if (request.headers['paypal-request-id'] === undefined || request.headers.authorization !== 'Bearer a-token')
      response.writeHead(401).end();
    else if (request.method === 'POST') void this.#order(request, response, url.pathname);
    else this.#json(response, this.books.answer(url));
  }

  async #order(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const [, id] = /^\/v2\/checkout\/orders\/([A-Z0-9]+)\/capture$/.exec(path) ?? [];
    const answer =
      id === undefined
        ? {
            status: 200,
            body: this.books.begin(
              JSON.parse(Buffer.concat(parts).toString('utf8')) as Parameters<StandInBooks['begin']>[0],
            ),
          }
        : this.books.take(id);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  }

  #certificate(path: string): string | null {
    const by = path.startsWith(`${CERTS}CERT-`) ? path.slice(CERTS.length + 5) : '';
    return by === 'good' || by === 'stranger' || by === 'forged' ? this.#parts.signers[by].chain : null;
  }

  #json(response: ServerResponse, body: unknown): void {
    if (body === undefined) response.writeHead(404).end('{"name":"RESOURCE_NOT_FOUND"}');
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }
}

export async function startPayPalStandIn(): Promise<PayPalStandIn> {
  const standIn = new PayPalStandIn(await makeParts());
  await standIn.listen();
  return standIn;
}
