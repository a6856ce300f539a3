import { readJson, shorten } from '@hamlet/core';
import { z } from 'zod';
import { boundedBody } from '../../service/bounded-body.ts';
import { BotRefusal, type OutgoingFile } from '../bot-port.ts';

const ANSWER_MAX_BYTES = 1_048_576;
const CALL_LIMIT_MS = 15_000;
const FILE_LIMIT_MS = 60_000;
/** Pause that a 429 without a time asks for, in seconds. */
const RETRY_AFTER_S = 30;
const NAME_MAX_CHARS = 128;
const OPEN_SOCKET = 'apps.connections.open';

/** Refusals that pass, or that the owner of the app can mend. After any other, a repeat of the call cannot succeed. */
const PASSING: ReadonlySet<string> = new Set([
  'accesslimited',
  'account_inactive',
  'ekm_access_denied',
  'enterprise_is_restricted',
  'fatal_error',
  'internal_error',
  'invalid_auth',
  'message_limit_exceeded',
  'messages_tab_disabled',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'not_authed',
  'org_login_required',
  // chat.postMessage uses this name for the next error.
  'rate_limited',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
  'team_access_not_granted',
  'team_added_to_org',
  'token_expired',
  'token_revoked',
]);

const Answer = z.looseObject({
  ok: z.boolean(),
  error: z.string().max(200).optional(),
  /** The scopes that the app lacks. */
  needed: z.string().max(200).optional(),
});

const Id = z.string().regex(/^[A-Z0-9]{1,32}$/);
const Address = z.object({ url: z.string().max(2_048) });
const Chat = z.object({ channel: z.object({ id: Id }) });
const Sent = z.object({ ts: z.string().regex(/^\d{1,12}\.\d{1,9}$/) });
const Upload = z.object({ upload_url: z.string().max(4_096), file_id: Id });
const User = z.object({
  user: z.object({
    real_name: z.string().optional(),
    profile: z.object({ display_name: z.string().optional() }).optional(),
  }),
});

export interface SlackMessage {
  /** Id of the conversation. */
  readonly channel: string;
  /** Words of the notification. */
  readonly text: string;
  readonly blocks: readonly object[];
}

/** Slack's Web API as one bot. Errors never contain a token. */
export interface SlackApi {
  /** Resolves with the address of a new socket, which works once. */
  openSocket(): Promise<URL>;
  /** Resolves with the id of the conversation of the bot and one person. */
  openChat(user: string): Promise<string>;
  /** The name that the person has chosen. */
  nameOf(user: string): Promise<string>;
  /** Resolves with the time stamp that names the message in its conversation. */
  post(message: SlackMessage): Promise<string>;
  update(ts: string, message: SlackMessage): Promise<void>;
  remove(channel: string, ts: string): Promise<void>;
  sendFile(channel: string, file: Omit<OutgoingFile, 'to'>): Promise<void>;
}

export interface SlackTokens {
  /** Begins with xapp-: opens sockets. */
  readonly app: string;
  /** Begins with xoxb-: everything else. */
  readonly bot: string;
}

type Fields = Readonly<Record<string, string | object>>;

function formOf(fields: Fields): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return form;
}

/** Null unless the address that Slack gave is one of Slack's own, with TLS if the API has it. Pure. */
export function addressOfSlack(given: string, { protocol, host, hostname }: URL): URL | null {
  const address = URL.parse(given);
  const isSlack = address?.host === host || address?.hostname.endsWith(`.${hostname}`) === true;
  const isEncrypted = address?.protocol === 'https:' || address?.protocol === 'wss:';
  return isSlack && (isEncrypted || protocol === 'http:') ? address : null;
}

function retryAfterOf({ status, headers }: Response): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds;
  return status === 429 ? RETRY_AFTER_S : null;
}

function refusalOf(method: string, response: Response, answer: z.infer<typeof Answer> | undefined): BotRefusal {
  const { error, needed } = answer ?? { error: undefined, needed: undefined };
  const scope = needed === undefined ? '' : `, add the scope ${needed}`;
  return new BotRefusal(`${method}: Slack refuses it: ${error ?? `status ${response.status}`}${scope}`, {
    isFinal: response.ok && error !== undefined && !PASSING.has(error),
    retryAfterS: retryAfterOf(response),
  });
}

/** @param origin of the Web API, for example https://slack.com */
export function createSlackApi(origin: string, tokens: SlackTokens): SlackApi {
  const base = new URL(origin);

  async function send(what: string, to: URL, request: RequestInit): Promise<readonly [Response, string]> {
    try {
      const response = await fetch(to, { method: 'POST', redirect: 'error', ...request });
      return [response, (await boundedBody(response.body, ANSWER_MAX_BYTES)).toString('utf8')];
    } catch (error) {
      throw new Error(`${what}: Slack does not answer (${error instanceof Error ? error.name : 'error'})`);
    }
  }

  async function call<T>(method: string, fields: Fields, schema: z.ZodType<T>): Promise<T> {
    const token = method === OPEN_SOCKET ? tokens.app : tokens.bot;
    const [response, text] = await send(method, new URL(`/api/${method}`, base), {
      headers: { authorization: `Bearer ${token}` },
      body: formOf(fields),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    });
    const answer = Answer.safeParse(readJson(text)).data;
    if (answer?.ok !== true) throw refusalOf(method, response, answer);
    const read = schema.safeParse(answer);
    if (!read.success) throw new Error(`${method}: the answer of Slack cannot be read`);
    return read.data;
  }

  function ownAddress(method: string, given: string): URL {
    const address = addressOfSlack(given, base);
    if (address === null) throw new Error(`${method}: Slack names an address that is not its own`);
    return address;
  }

  return {
    openSocket: async () => ownAddress(OPEN_SOCKET, (await call(OPEN_SOCKET, {}, Address)).url),
    openChat: async (user) => (await call('conversations.open', { users: user }, Chat)).channel.id,
    nameOf: async (user) => {
      const { real_name: real, profile } = (await call('users.info', { user }, User)).user;
      const name = [profile?.display_name, real, user].find((each) => each !== undefined && each.trim() !== '');
      return shorten(name ?? user, NAME_MAX_CHARS);
    },
    post: async (message) => (await call('chat.postMessage', shownFields(message), Sent)).ts,
    update: async (ts, message) => {
      await call('chat.update', { ts, ...shownFields(message) }, Answer);
    },
    remove: async (channel, ts) => {
      await call('chat.delete', { channel, ts }, Answer);
    },
    sendFile: async (channel, { name, mediaType, content }) => {
      const method = 'files.getUploadURLExternal';
      const place = await call(method, { filename: name, length: String(content.length) }, Upload);
      const [{ ok, status }] = await send(method, ownAddress(method, place.upload_url), {
        headers: { 'content-type': mediaType },
        body: new Uint8Array(content),
        signal: AbortSignal.timeout(FILE_LIMIT_MS),
      });
      if (!ok) throw new Error(`${method}: Slack does not take the file (${status})`);
      const files = [{ id: place.file_id, title: name }];
      await call('files.completeUploadExternal', { files, channel_id: channel }, Answer);
    },
  };
}

/** The fields of a message. Slack fetches no address that an agent wrote. Pure. */
function shownFields({ channel, text, blocks }: SlackMessage): Fields {
  return { channel, text, blocks, unfurl_links: 'false', unfurl_media: 'false' };
}
