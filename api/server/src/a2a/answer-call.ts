import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { callA2a } from '@hamlet/contract';
import type { IncomingHttpHeaders } from 'node:http';
import type { CompletionChannel } from '../http/completion-channel.ts';
import type { DataOf } from '../http/handler.ts';
import { accepted, type Outcome } from '../http/outcome.ts';
import type { A2aLibrary } from './a2a-library.ts';
import { A2A_BINDING, OLDER_VERSION } from './agent-card.ts';
import type { A2aRequest } from './ask-village.ts';

type Reply = DataOf<typeof callA2a>;

/** The header with the version of the protocol. Callers of 0.3 do not send it. */
const VERSION_HEADER = 'a2a-version';

export const versionOf = (headers: IncomingHttpHeaders): string =>
  String(headers[VERSION_HEADER] ?? '').trim() || OLDER_VERSION;

interface Replying {
  readonly channel: CompletionChannel;
  /** The reply that says that a request failed. */
  readonly failed: (error: unknown) => Reply;
}

type Replies = AsyncGenerator<unknown, void, undefined>;

/** Sends replies as they come. A failure before the first reply becomes the only answer. */
async function sendReplies(replies: Replies, { channel, failed }: Replying): Promise<Outcome<Reply> | null> {
  let begun = false;
  try {
    for await (const reply of replies) {
      if (channel.gone.aborted) break;
      if (begun) channel.send(reply);
      else channel.begin([], [reply]);
      begun = true;
    }
  } catch (error) {
    if (!begun) return accepted(failed(error));
    channel.send(failed(error));
  }
  channel.end();
  return null;
}

const isStream = (value: unknown): value is Replies =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Answers one JSON-RPC message in the version of its caller: with one reply, or as a stream of them. */
export async function answerCall(
  { server, legacy }: A2aLibrary,
  { headers, body }: A2aRequest,
  { handler, channel }: { readonly handler: A2ARequestHandler; readonly channel: CompletionChannel },
): Promise<Outcome<Reply> | null> {
  const { JsonRpcTransportHandler, ServerCallContext, validateVersion } = server;
  const { LegacyJsonRpcTransportHandler } = legacy;
  const version = versionOf(headers);
  const isOlder = version === OLDER_VERSION;
  const toError = isOlder
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError
    : JsonRpcTransportHandler.mapToJSONRPCError;
  const { id = null } = body;
  const failed = (error: unknown): Reply => ({ jsonrpc: '2.0', id, error: toError(error) });
  try {
    validateVersion(version, await handler.getAgentCard(), A2A_BINDING);
    const transport = isOlder ? new LegacyJsonRpcTransportHandler(handler) : new JsonRpcTransportHandler(handler);
    const reply = await transport.handle(body, new ServerCallContext({ requestedVersion: version }));
    return isStream(reply) ? await sendReplies(reply, { channel, failed }) : accepted(reply as Reply);
  } catch (error) {
    return accepted(failed(error));
  }
}
