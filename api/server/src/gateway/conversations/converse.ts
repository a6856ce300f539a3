import type { ChatCompletionBody, completeChat } from '@hamlet/contract';
import type { CompletionChannel } from '../../http/completion-channel.ts';
import type { RequestOf } from '../../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import type { Allowance } from '../../limits/agent-limits.ts';
import type { Village } from '../../village.ts';
import { admitRequest, type GatewayPorts, type Ticket } from '../admit-request.ts';
import { carryOut, refuseUnrecorded, withdraw, type AnswerShape } from '../carry-out.ts';
import { headAt, type CompletionHead } from '../chat/completion-shape.ts';
import { planContinuation, planRequest } from '../plan-request.ts';

/** A format of the wire: how its requests become Chat Completions, and the answers its own. */
interface Format<Body, Whole, Chunk> {
  readonly bodyOf: (body: Body) => ChatCompletionBody;
  /** Refuses fields that would be dropped in silence; null if there is none. */
  readonly refusal?: (body: Body) => Refused | null;
  readonly shapeOf: (ticket: Ticket, body: Body, head: CompletionHead) => AnswerShape<Whole, Chunk>;
  /** True if a base model continues the only message as it is. */
  readonly continues?: boolean;
}

type Asked<Body> = Pick<RequestOf<typeof completeChat>, 'actor' | 'headers' | 'traceparent' | 'now'> & {
  readonly body: Body;
};

function once(run: () => void): () => void {
  let hasRun = false;
  return () => {
    if (hasRun) return;
    hasRun = true;
    run();
  };
}

/** Streams an answer. After the first chunk, a failure can only be reported in the stream. */
async function stream<Whole, Chunk>(
  gateway: GatewayPorts,
  ticket: Ticket,
  { shape, channel }: { readonly shape: AnswerShape<Whole, Chunk>; readonly channel: CompletionChannel },
): Promise<null> {
  const send = (chunks: readonly Chunk[]): void => {
    for (const chunk of chunks) channel.send(chunk);
  };
  // Send the request to the provider first, so that it does not wait for a write to the caller.
  const begin = once(() => channel.begin(ticket.limits, shape.first()));
  const soon = setImmediate(begin);
  try {
    const outcome = await carryOut(gateway, ticket, {
      gone: channel.gone,
      onPiece: (piece, provider) => {
        begin();
        send(shape.piece(piece, provider));
      },
    });
    begin();
    if (outcome.ok) send(shape.last(outcome.data));
    channel.end(outcome.ok ? undefined : outcome);
  } catch (error) {
    const refusal = refuseUnrecorded(gateway, ticket, error);
    begin();
    channel.end(refusal);
  } finally {
    clearImmediate(soon);
  }
  return null;
}

/** The handler of a route that asks a model in the format. */
export function conversing<Body, Whole, Chunk>({ source, gateway }: Village, format: Format<Body, Whole, Chunk>) {
  async function run(
    { actor: agent, body: asked, headers, traceparent, now }: Asked<Body>,
    channel: CompletionChannel,
  ): Promise<Outcome<Whole> | null> {
    if (source.get(agent.agentId) === null) return refused('no_such_agent');
    const refusal = format.refusal?.(asked) ?? null;
    if (refusal !== null) return refusal;
    const body = format.bodyOf(asked);
    const asking = { agentId: agent.agentId, catalog: gateway.catalog };
    const planned = format.continues === true ? planContinuation : planRequest;
    const ticket = await admitRequest(gateway, {
      agent,
      model: body.model,
      metadata: body.metadata,
      headers,
      plan: (allowance: Allowance) => planned(body, allowance, asking),
      traceparent,
      gone: channel.gone,
    });
    if (!ticket.ok) return ticket;
    const limited = await channel.limited();
    if (limited !== null) {
      await withdraw(gateway, ticket.data, limited);
      return limited;
    }
    const shape = format.shapeOf(ticket.data, asked, headAt(gateway.catalog, now));
    if (body.stream === true) return stream(gateway, ticket.data, { shape, channel });
    const caller = { gone: channel.gone, onPiece: () => undefined };
    const outcome = await carryOut(gateway, ticket.data, caller).catch((error: unknown) =>
      refuseUnrecorded(gateway, ticket.data, error),
    );
    if (!outcome.ok) return { ...outcome, asked: true };
    return { ...accepted(shape.whole(outcome.data)), limits: ticket.data.limits };
  }
  return { kind: 'completion', run } as const;
}
