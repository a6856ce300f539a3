import type { EgressRefusalCode } from '@hamlet/contract';
import type { Attempt } from '../../village.ts';
import type { TestBroker } from '../a-broker.ts';
import type { Pod } from './pod.ts';

const methods = ['GET', 'POST'];

/** A line of the record; run and call default to those of the proxy user. */
export type Line = Pick<Attempt, 'form' | 'host' | 'port' | 'method' | 'path'> & Partial<Pick<Attempt, 'run' | 'call'>>;

/** One case: the attempt, the code, words of the refusal, and the line; null if no agent is known. */
export interface Way {
  readonly code: EgressRefusalCode;
  /** Part of the reason that the program reads, unless the connection just ends (`silent`). */
  readonly says: string;
  readonly silent?: true;
  readonly policy?: object;
  readonly tries: (pod: Pod) => Promise<string>;
  readonly line: Line | null;
}

export const tunnel = (host: string, port = 443): Line => ({ form: 'tunnel', host, port, method: null, path: null });
export const inTls = (host: string, path: string | null, method = 'GET'): Line => ({
  form: 'inspect',
  host,
  port: 443,
  method: path === null ? null : method,
  path,
});
export const inClear = (host: string, path: string | null, { method = 'GET', port = 80 } = {}): Line => ({
  form: 'plain',
  host,
  port,
  method: path === null ? null : method,
  path,
});

/** The end of a request line inside TLS, and its Host. */
export const ONE = 'HTTP/1.1\r\nHost: read.org\r\n';

/** Rules of an agent, with one host for each kind of refusal. */
export const POLICY = {
  allow: [
    { host: 'open.org' },
    { host: 'read.org', methods, paths: ['/ok', '/hang', '/reset', '/closed/**'] },
    { host: 'git.home', methods },
    { host: 'files.home', methods },
    { host: 'plain.org', ports: [80] },
    { host: 'bound.org', methods, secret: 'gone' },
    { host: 'spent.org', bytesPerHour: 10 },
    { host: 'counted.org', methods, bytesPerHour: 10 },
    { host: 'uncertain.org', methods },
    { host: 'shut.org', ports: [8443] },
    { host: 'liar.org', ports: [9443, 443], methods },
    { host: 'nowhere.org' },
    ...['lan.org', '169.254.169.254'].map((host) => ({ host, ports: [80, 443] })),
  ],
  deny: [{ host: 'denied.org' }, { host: 'read.org', paths: ['/closed/**'] }],
};

export async function during<T>(
  { broker }: Pod,
  changes: Partial<TestBroker['village']>,
  tries: () => Promise<T>,
): Promise<T> {
  const { village } = broker;
  const usual = Object.fromEntries(Object.keys(changes).map((name) => [name, Reflect.get(village, name)]));
  Object.assign(village, changes);
  try {
    return await tries();
  } finally {
    Object.assign(village, usual);
  }
}
