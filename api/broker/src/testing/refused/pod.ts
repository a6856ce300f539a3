import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { RUN, type Answer, type Asked, type TestBroker } from '../a-broker.ts';

/** Client programs of one agent that use each way out of its pod, and return the answer. */
export class Pod {
  readonly agent: string;
  readonly broker: TestBroker;
  readonly roots: string;
  readonly #open: Socket[] = [];

  constructor(broker: TestBroker, by: { readonly agent: string; readonly roots: string }) {
    this.broker = broker;
    this.agent = by.agent;
    this.roots = by.roots;
  }

  get identity(): string {
    return `Proxy-Authorization: ${this.broker.identity(this.agent)}`;
  }

  async connect(target: string, bytes = ''): Promise<string> {
    const { socket, head } = await this.broker.connect(target, this.agent);
    socket.write(bytes);
    return head + (head.startsWith('HTTP/1.1 200') ? await restOf(socket) : '');
  }

  /** Opens TLS to a host with a client that trusts `ca`, then sends these bytes. */
  async tls(host: string, bytes = '', by: { servername?: string; ca?: string } = {}): Promise<string> {
    try {
      const socket = await this.broker.connectTls(host, { agent: this.agent, ...by });
      socket.write(bytes);
      return await restOf(socket);
    } catch (error) {
      return String(error);
    }
  }

  plain = (url: string, asked: Asked = {}): Promise<string> =>
    textOf(this.broker.plain(url, { agent: this.agent, ...asked }));

  inspected = (url: string, asked: Asked = {}): Promise<string> =>
    textOf(this.broker.inspected(url, { agent: this.agent, ...asked }));

  raw(...lines: readonly string[]): Promise<string> {
    const socket = this.#socket();
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    return restOf(socket);
  }

  /** Connections that stay open after a successful request. */
  async hold(count: number): Promise<readonly Socket[]> {
    const sockets = Array.from({ length: count }, () => this.#socket());
    await Promise.all(
      sockets.map((socket) => {
        socket.write(`GET http://plain.org/ok HTTP/1.1\r\nHost: plain.org\r\n${this.identity}\r\n\r\n`);
        return answered(socket);
      }),
    );
    return sockets;
  }

  /** Runs curl, which does not trust the village's certificate. */
  curl(url: string): Promise<string> {
    const proxy = `http://${encodeURIComponent(`${RUN}/call-1`)}:${this.agent}@127.0.0.1:${String(this.broker.port)}`;
    return new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] };
      execFile('curl', ['-sS', '-m', '60', '--proxy', proxy, url], { env }, (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #socket(): Socket {
    const socket = connect(this.broker.port, '127.0.0.1');
    socket.on('error', () => undefined);
    this.#open.push(socket);
    return socket;
  }
}

async function answered(socket: Socket): Promise<void> {
  for (let text = ''; !text.endsWith('\r\n\r\nok');) text += String((await once(socket, 'data'))[0]);
}

/** Reads until the other side ends. */
export async function restOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.resume();
  if (!socket.readableEnded && !socket.destroyed)
    await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  socket.destroy();
  return text;
}

/** Status, reason phrase and body; empty where the connection ended without an answer. */
const textOf = (answer: Promise<Answer>): Promise<string> =>
  answer.then(
    ({ status, message, body }) => `${String(status)} ${message} ${body}`,
    () => '',
  );
