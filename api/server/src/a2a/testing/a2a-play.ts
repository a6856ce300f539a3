import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Role, type Message, type Part, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client';
import { TOKENS } from '../../testing/test-village.ts';
import { clientOf as exampleClient } from './example-client.ts';

export type Version = '1.0' | '0.3';

/** Acts like a client of 0.3, which names no version and knows no `supportedInterfaces`. */
const asOlder: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  headers.delete('a2a-version');
  const response = await fetch(input, { ...init, headers });
  if (!String(input).endsWith('agent-card.json')) return response;
  const { supportedInterfaces: _, ...card } = (await response.json()) as Record<string, unknown>;
  return Response.json(card, { status: response.status });
};

interface Speaking {
  readonly key?: string;
  readonly version?: Version;
}

/** A client of an agent at an address such as http://127.0.0.1:8080/a2a/ada/; of 1.0 as docs/A2A.md shows it. */
export async function a2aClient(address: string, { key = TOKENS.member, version = '1.0' }: Speaking = {}) {
  if (version === '1.0') return exampleClient(address, key);
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${key}`);
    return asOlder(input, { ...init, headers });
  };
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options)],
    cardResolver: new DefaultAgentCardResolver(options),
  });
  return factory.createFromUrl(address);
}

export const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

export const filePart = (filename: string, value: Buffer): Part => ({
  content: { $case: 'raw', value },
  metadata: undefined,
  filename,
  mediaType: 'Text/CSV; charset=utf-8',
});

type Sent = Partial<Pick<Message, 'messageId' | 'contextId' | 'taskId'>> & {
  readonly parts?: Part[];
  readonly wait?: boolean;
};

export function asking(
  text: string,
  { parts = [textPart(text)], wait = false, ...more }: Sent = {},
): SendMessageRequest {
  const ids = { messageId: randomUUID(), contextId: '', taskId: '', ...more };
  const message = { ...ids, parts, role: Role.ROLE_USER, metadata: undefined, extensions: [], referenceTaskIds: [] };
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: !wait };
  return { tenant: '', message, configuration, metadata: undefined };
}

export async function send(client: Client, text: string, more: Sent = {}): Promise<Task> {
  const sent = await client.sendMessage(asking(text, more));
  assert.ok('status' in sent);
  return sent;
}
