import type { IncomingHttpHeaders } from 'node:http';
import type { ChatCompletionBody } from '@hamlet/contract';
import type { AgentActor } from '../../http/actor.ts';
import type { CompletionChannel } from '../../http/completion-channel.ts';
import { accepted, type Outcome } from '../../http/outcome.ts';
import { refusalOfError } from '../../http/respond.ts';
import type { Allowance } from '../../limits/agent-limits.ts';
import { admitRequest, type GatewayPorts, type Ticket } from '../admit-request.ts';
import { carryOut, type AnswerShape } from '../carry-out.ts';
import { planContinuation, planRequest } from '../plan-request.ts';

export interface Conversation<Whole, Chunk> {
  readonly agent: AgentActor;
  readonly body: ChatCompletionBody;
  readonly headers: IncomingHttpHeaders;
  readonly traceparent: string;
  /** True if a base model continues the only message as it is. */
  readonly continues?: boolean;
  readonly shapeOf: (ticket: Ticket) => AnswerShape<Whole, Chunk>;
}

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
    gateway.log('error', 'the end of a streamed model answer could not be recorded', {
      request_id: ticket.requestId,
      error,
    });
    begin();
    channel.end(refusalOfError(error));
  } finally {
    clearImmediate(soon);
  }
  return null;
}

export async function converse<Whole, Chunk>(
  gateway: GatewayPorts,
  { agent, body, headers, traceparent, shapeOf, continues = false }: Conversation<Whole, Chunk>,
  channel: CompletionChannel,
): Promise<Outcome<Whole> | null> {
  const asking = { agentId: agent.agentId, catalog: gateway.catalog };
  const ticket = await admitRequest(gateway, {
    agent,
    model: body.model,
    metadata: body.metadata,
    headers,
    plan: (allowance: Allowance) => (continues ? planContinuation : planRequest)(body, allowance, asking),
    traceparent,
    gone: channel.gone,
  });
  if (!ticket.ok) return ticket;
  const shape = shapeOf(ticket.data);
  if (body.stream === true) return stream(gateway, ticket.data, { shape, channel });
  const outcome = await carryOut(gateway, ticket.data, { gone: channel.gone, onPiece: () => undefined });
  if (!outcome.ok) return outcome;
  return { ...accepted(shape.whole(outcome.data)), limits: ticket.data.limits };
}
