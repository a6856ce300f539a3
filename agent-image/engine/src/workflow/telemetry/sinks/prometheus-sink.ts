import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TelemetrySink } from '../bus.ts';
import type { TelemetryEvent, TelemetryOf } from '../event.ts';
import { Metrics, type MetricDefinition } from './metrics.ts';

const LINGER_MS = 1_000;
const MS_PER_SECOND = 1_000;

const DEFINITIONS: readonly MetricDefinition[] = [
  counter('tasks_total', 'Tasks that ended.', ['workflow', 'pipeline', 'status']),
  counter('stages_total', 'Stages that ended.', ['role', 'end']),
  counter('agent_calls_total', 'Calls of agents.', ['agent', 'outcome']),
  counter('tool_calls_total', 'Calls of tools that were not denied.', ['tool', 'outcome']),
  counter('model_calls_total', 'Requests to models.', ['model', 'outcome']),
  counter('tokens_total', 'Tokens that models used.', ['model', 'kind']),
  counter('cost_micros_total', 'Known cost of models, in millionths of the currency of the price table.', ['model']),
  counter('unpriced_model_calls_total', 'Requests to models that the price table lacks.', ['model']),
  counter('memories_retrieved_total', 'Memories with which requests began.', []),
  counter('routing_decisions_total', 'Choices of pipelines and edges.', ['kind']),
  counter('json_repairs_total', 'JSON of models that was repaired or refused.', ['where', 'result']),
  counter('permission_checks_total', 'Checks of calls that were not denied.', ['verdict', 'by']),
  counter('permission_denials_total', 'Calls that were denied.', ['tool', 'code']),
  counter('sensitive_calls_total', 'Calls of tools with a high risk, and calls that cannot be repeated.', ['tool']),
  counter('errors_total', 'Errors.', ['where', 'category', 'code']),
  histogram('stage_seconds', 'Working time of stages.', ['role']),
  histogram('model_seconds', 'Time of requests to models.', ['model']),
  histogram('tool_seconds', 'Time of calls of tools.', ['tool']),
];

function counter(name: string, help: string, labels: readonly string[]): MetricDefinition {
  return { name, type: 'counter', help, labels };
}

function histogram(name: string, help: string, labels: readonly string[]): MetricDefinition {
  return { name, type: 'histogram', help, labels };
}

export type PrometheusSink = TelemetrySink & Readonly<{ text: () => string }>;

/**
 * Counts events, and writes the counts to a file that the textfile collector of a node exporter reads. A reader sees either the file
 * before a write or the one after it. Without a path, only `text` shows the counts.
 */
export function prometheusSink(path: string | null): PrometheusSink {
  const metrics = new Metrics('hamlet_engine_', DEFINITIONS);
  const text = (): string => metrics.text();
  return {
    name: 'prometheus',
    lingerMs: LINGER_MS,
    write: async (events) => {
      for (const event of events) count(metrics, event);
      if (path !== null) await replace(path, text());
    },
    text,
  };
}

async function replace(path: string, text: string): Promise<void> {
  // The collector reads only names that end with `.prom`.
  const next = `${path}.${process.pid}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(next, text, { mode: 0o644 });
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

function count(metrics: Metrics, event: TelemetryEvent): void {
  if ('started_at' in event) countAction(metrics, event);
  else countInstant(metrics, event);
}

type Action = Extract<TelemetryEvent, { started_at: number }>;

function countAction(metrics: Metrics, event: Action): void {
  switch (event.type) {
    case 'task_finished':
      return countTask(metrics, event);
    case 'stage_finished':
      metrics.count('stages_total', { role: event.role, end: event.end });
      return metrics.observe('stage_seconds', { role: event.role }, event.duration_ms / MS_PER_SECOND);
    case 'agent_called':
      return metrics.count('agent_calls_total', { agent: event.agent, outcome: event.outcome });
    case 'tool_called':
      metrics.count('tool_calls_total', { tool: event.tool, outcome: event.outcome });
      return metrics.observe('tool_seconds', { tool: event.tool }, event.duration_ms / MS_PER_SECOND);
    case 'model_called':
      return countModel(metrics, event);
    default:
      return event satisfies never;
  }
}

function countInstant(metrics: Metrics, event: Exclude<TelemetryEvent, Action>): void {
  switch (event.type) {
    case 'memory_retrieved':
      return metrics.count('memories_retrieved_total', {}, event.parts);
    case 'routing_decision':
      return metrics.count('routing_decisions_total', { kind: event.kind });
    case 'json_repair':
      return metrics.count('json_repairs_total', { where: event.where, result: event.result });
    case 'permission_checked':
      return metrics.count('permission_checks_total', { verdict: event.verdict, by: event.by });
    case 'permission_denied':
      return metrics.count('permission_denials_total', { tool: event.tool, code: event.code });
    case 'sensitive_call':
      return metrics.count('sensitive_calls_total', { tool: event.tool });
    case 'error':
      return countError(metrics, event);
    default:
      // The beginnings of tasks and stages count with their ends.
      return undefined;
  }
}

function countTask(metrics: Metrics, { workflow, pipeline, status }: TelemetryOf<'task_finished'>): void {
  metrics.count('tasks_total', { workflow, pipeline, status });
}

function countError(metrics: Metrics, { where, failure: { category, code } }: TelemetryOf<'error'>): void {
  metrics.count('errors_total', { where, category, code });
}

function countModel(metrics: Metrics, { model, outcome, usage, duration_ms: ms }: TelemetryOf<'model_called'>): void {
  metrics.count('model_calls_total', { model, outcome });
  metrics.count('tokens_total', { model, kind: 'prompt' }, usage.prompt_tokens);
  metrics.count('tokens_total', { model, kind: 'completion' }, usage.completion_tokens);
  if (usage.cost_micros === null) metrics.count('unpriced_model_calls_total', { model });
  else metrics.count('cost_micros_total', { model }, usage.cost_micros);
  metrics.observe('model_seconds', { model }, ms / MS_PER_SECOND);
}
