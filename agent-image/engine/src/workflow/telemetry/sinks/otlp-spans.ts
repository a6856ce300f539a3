/**
 * Events as spans of OTLP/JSON, with the GenAI semantic conventions (https://github.com/open-telemetry/semantic-conventions-genai, status
 * Development, as of September 2026). A task is one trace. Contents stay out of it, as the conventions leave them to a choice.
 */
import { hash } from 'node:crypto';
import type { TelemetryEvent, TelemetryOf, Usage } from '../event.ts';

const KIND_INTERNAL = 1;
const KIND_CLIENT = 3;
const STATUS_ERROR = 2;
const NANOS_PER_MS = 1_000_000n;
const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

type AttributeValue =
  | Readonly<{ stringValue: string }>
  | Readonly<{ intValue: string }>
  | Readonly<{ arrayValue: Readonly<{ values: readonly Readonly<{ stringValue: string }>[] }> }>;
type Attribute = Readonly<{ key: string; value: AttributeValue }>;

type SpanEvent = Readonly<{ timeUnixNano: string; name: string; attributes: readonly Attribute[] }>;

export type Span = Readonly<{
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: readonly Attribute[];
  events: readonly SpanEvent[];
  status: Readonly<{ code: number; message: string }> | Readonly<Record<never, never>>;
}>;

/** The name of a model's provider in the conventions. */
export type ProviderOf = (model: string) => string;

type Spanned = TelemetryOf<'task_finished' | 'stage_finished' | 'agent_called' | 'model_called' | 'tool_called'>;
type Instant = Exclude<TelemetryEvent, Spanned>;

type Attributes = Readonly<Record<string, string | number | readonly string[] | null>>;

const attributesOf = (values: Attributes): readonly Attribute[] =>
  Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value: valueOf(value) }]));

function valueOf(value: string | number | readonly string[]): AttributeValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { intValue: String(value) };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}

const nanos = (ms: number): string => String(BigInt(ms) * NANOS_PER_MS);

/** Ids are derived, so an event that is sent twice gives the same span twice. Zeros alone would be invalid. */
const idOf = (digits: number, ...parts: readonly (string | number | null)[]): string =>
  hash('sha256', JSON.stringify(parts), 'hex').slice(0, digits);

export const traceOf = (task: string): string => idOf(TRACE_DIGITS, task);
export const taskSpan = (task: string): string => idOf(SPAN_DIGITS, 'task', task);
export const stageSpan = ({ task, stage, attempt, round }: StagePlace): string =>
  idOf(SPAN_DIGITS, 'stage', task, stage, attempt, round);
export const agentSpan = (run: string): string => idOf(SPAN_DIGITS, 'agent', run);

type StagePlace = Readonly<{ task: string; stage: string | null; attempt: number; round: number }>;

/** Parents of the events of a task, as far as they are known. */
export type Parents = Readonly<{
  /** The open stage of this name; the task without one. */
  ofStage: (stage: string | null) => string;
  /** True for runs of agents, whose spans are parents of their calls. */
  isAgent: (run: string) => boolean;
}>;

type SpanParts = Readonly<{
  id: string;
  parent?: string;
  name: string;
  kind: number;
  attributes: Attributes;
  error: string | null;
  events: readonly SpanEvent[];
}>;

function spanWith(event: Spanned, { id, parent, name, kind, attributes, error, events }: SpanParts): Span {
  const { task, run, stage, agent, at } = event;
  const own = { 'hamlet.task': task, 'hamlet.run': run, 'hamlet.stage': stage, 'error.type': error };
  const start = event.started_at;
  return {
    traceId: traceOf(task),
    spanId: id,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name,
    kind,
    startTimeUnixNano: nanos(start),
    // The clock may be set back while an action runs.
    endTimeUnixNano: nanos(Math.max(start, at)),
    attributes: attributesOf({ ...attributes, 'gen_ai.agent.name': agent, ...own }),
    events,
    status: error === null ? {} : { code: STATUS_ERROR, message: error },
  };
}

const usageOf = (usage: Usage): Attributes => ({
  'gen_ai.usage.input_tokens': usage.prompt_tokens,
  'gen_ai.usage.output_tokens': usage.completion_tokens,
  'hamlet.cost_micros': usage.cost_micros,
  'hamlet.money_micros': usage.money_micros,
});

type Making = Readonly<{ parents: Parents; providerOf: ProviderOf; events: readonly SpanEvent[] }>;

/** The span of an action that has ended. `events`: the instants that happened in it. */
export function spanOf(event: Spanned, making: Making): Span {
  switch (event.type) {
    case 'task_finished':
      return spanOfTask(event, making);
    case 'stage_finished':
      return spanOfStage(event, making);
    case 'agent_called':
      return spanOfAgent(event, making);
    case 'model_called':
      return spanOfModel(event, making);
    case 'tool_called':
      return spanOfTool(event, making);
    default:
      return event satisfies never;
  }
}

const spanOfTask = (event: TelemetryOf<'task_finished'>, { events }: Making): Span =>
  spanWith(event, {
    id: taskSpan(event.task),
    name: event.workflow === null ? 'invoke_workflow' : `invoke_workflow ${event.workflow}`,
    kind: KIND_INTERNAL,
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': event.workflow,
      'hamlet.pipeline': event.pipeline,
      'hamlet.status': event.status,
      ...usageOf(event.usage),
    },
    error: event.failure?.code ?? null,
    events,
  });

const spanOfStage = (event: TelemetryOf<'stage_finished'>, { events }: Making): Span =>
  spanWith(event, {
    id: stageSpan(event),
    parent: taskSpan(event.task),
    name: `stage ${event.stage ?? ''}`.trimEnd(),
    kind: KIND_INTERNAL,
    attributes: {
      'hamlet.role': event.role,
      'hamlet.end': event.end,
      'hamlet.attempt': event.attempt,
      'hamlet.round': event.round,
      ...usageOf(event.usage),
    },
    error: event.failure?.code ?? null,
    events,
  });

const spanOfAgent = (event: TelemetryOf<'agent_called'>, { parents, providerOf, events }: Making): Span =>
  spanWith(event, {
    id: agentSpan(event.run),
    parent: parents.ofStage(event.stage),
    name: event.agent === null ? 'invoke_agent' : `invoke_agent ${event.agent}`,
    kind: KIND_INTERNAL,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': providerOf(event.model),
      'gen_ai.request.model': event.model,
      'gen_ai.conversation.id': event.conversation,
      ...usageOf(event.usage),
    },
    error: event.outcome === 'failed' ? event.code : null,
    events,
  });

const spanOfModel = (event: TelemetryOf<'model_called'>, { parents, providerOf, events }: Making): Span =>
  spanWith(event, {
    id: idOf(SPAN_DIGITS, 'model', event.run, event.ask, event.attempt),
    parent: parentOf(event, parents),
    name: `chat ${event.model}`,
    kind: KIND_CLIENT,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerOf(event.model),
      'gen_ai.request.model': event.model,
      'gen_ai.conversation.id': event.conversation,
      'gen_ai.response.finish_reasons': event.finish === null ? null : [event.finish],
      ...usageOf(event.usage),
    },
    error: event.outcome === 'failed' ? event.code : null,
    events,
  });

const spanOfTool = (event: TelemetryOf<'tool_called'>, { parents, events }: Making): Span =>
  spanWith(event, {
    id: idOf(SPAN_DIGITS, 'tool', event.run, event.call),
    parent: parentOf(event, parents),
    name: `execute_tool ${event.tool}`,
    kind: KIND_INTERNAL,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': event.tool,
      'gen_ai.tool.call.id': event.call,
      'gen_ai.tool.type': 'function',
      'hamlet.attempts': event.attempts,
    },
    error: event.code,
    events,
  });

const parentOf = ({ run, stage }: Spanned, { isAgent, ofStage }: Parents): string =>
  isAgent(run) ? agentSpan(run) : ofStage(stage);

export const isSpanned = (event: TelemetryEvent): event is Spanned => 'started_at' in event;

/** An event without a duration, as the event of a span. */
export const spanEventOf = (event: Instant): SpanEvent => ({
  timeUnixNano: nanos(event.at),
  name: `hamlet.${event.type}`,
  attributes: attributesOf({ 'hamlet.run': event.run, ...detailsOf(event) }),
});

function detailsOf(event: Instant): Attributes {
  switch (event.type) {
    case 'memory_retrieved':
      return { 'hamlet.parts': event.parts, 'hamlet.tokens': event.tokens };
    case 'routing_decision':
      return { 'hamlet.kind': event.kind };
    case 'json_repair':
      return { 'hamlet.result': event.result, 'hamlet.code': event.code, 'hamlet.actions': event.actions };
    case 'permission_checked':
      return { 'gen_ai.tool.name': event.tool, 'hamlet.verdict': event.verdict, 'hamlet.by': event.by };
    case 'permission_denied':
      return { 'gen_ai.tool.name': event.tool, 'hamlet.code': event.code };
    case 'sensitive_call':
      return { 'gen_ai.tool.name': event.tool, 'hamlet.effect': event.effect };
    case 'error':
      return {
        'hamlet.where': event.where,
        'hamlet.category': event.failure.category,
        'error.type': event.failure.code,
      };
    default:
      return {};
  }
}
