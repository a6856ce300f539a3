import type { ClientConnection } from '@agentclientprotocol/sdk';
import type { HandsProcess } from '../hands/hands-process.ts';
import { PermissionRequest, ReadRequest, SessionNotification, SessionUpdate, WriteRequest } from './turn/updates.ts';
import { wireTo } from './wire.ts';

/** Maximum concurrent requests of a program; further ones are refused. */
const REQUESTS_MAX = 16;

/** Answers a program's requests and takes its updates while it works on a prompt. */
export interface Serving {
  onUpdate(update: SessionUpdate): void;
  /** The id of the chosen option; null if the request is given up. */
  onPermission(request: PermissionRequest): Promise<string | null>;
  onRead(request: Omit<ReadRequest, 'sessionId'>): Promise<string>;
  onWrite(request: Omit<WriteRequest, 'sessionId'>): Promise<void>;
}

export interface ProgramLink {
  readonly connection: ClientConnection;
  /** Resolves with the reason when the program has ended. */
  readonly ended: Promise<string>;
  /** Answers the requests about a session; null refuses them. Requests about other sessions are refused. */
  readonly serve: (serving: Serving | null, session: string) => void;
}

/** True if the program itself answered with this error; without a code, the connection has ended. */
export const isRefusal = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number';

const DETAILS_MAX_CHARS = 400;

/** The message of an error with its details, where programs put the reason. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  return data === undefined || data === null
    ? message
    : `${message}: ${JSON.stringify(data).slice(0, DETAILS_MAX_CHARS)}`;
}

/** Connects to a program. The first call loads the library. */
export async function linkTo(process: HandsProcess): Promise<ProgramLink> {
  const { client, RequestError } = await import('@agentclientprotocol/sdk');
  const wire = wireTo(process);
  const served: { serving: Serving | null; session: string } = { serving: null, session: '' };
  let open = 0;
  const limited = async <T>(session: string, answer: (serving: Serving) => Promise<T>): Promise<T> => {
    const { serving } = served;
    if (serving === null || session !== served.session)
      throw RequestError.invalidRequest(undefined, 'No prompt of this session is under way');
    if (open >= REQUESTS_MAX) throw RequestError.invalidRequest(undefined, 'Too many requests at one time');
    open += 1;
    try {
      return await answer(serving);
    } catch (error) {
      throw error instanceof RequestError ? error : RequestError.internalError(undefined, messageOf(error));
    } finally {
      open -= 1;
    }
  };
  const app = client({ name: 'hamlet' })
    .onNotification('session/update', { parse: notificationIn }, ({ params }) => {
      if (params !== null && params.session === served.session) served.serving?.onUpdate(params.update);
    })
    .onNotification('*', () => {})
    .onRequest('session/request_permission', PermissionRequest, async ({ params }) => {
      const chosen = await limited(params.sessionId, (serving) => serving.onPermission(params));
      return { outcome: chosen === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen } };
    })
    .onRequest('fs/read_text_file', ReadRequest, async ({ params: { sessionId, ...file } }) => ({
      content: await limited(sessionId, (serving) => serving.onRead(file)),
    }))
    .onRequest('fs/write_text_file', WriteRequest, async ({ params: { sessionId, ...file } }) => {
      await limited(sessionId, (serving) => serving.onWrite(file));
      return {};
    });
  const connection = app.connect(wire.stream);
  return {
    connection,
    ended: wire.ended,
    serve: (serving, session) => Object.assign(served, { serving, session }),
  };
}

/** An update that the village reads; null for any other. Never throws, because the library prints what throws. */
function notificationIn(params: unknown): Readonly<{ session: string; update: SessionUpdate }> | null {
  const notification = SessionNotification.safeParse(params).data;
  const update = SessionUpdate.safeParse(notification?.update).data;
  return notification === undefined || update === undefined ? null : { session: notification.sessionId, update };
}
