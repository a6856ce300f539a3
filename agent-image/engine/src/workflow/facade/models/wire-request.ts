import type { ChatMessage, ChatRequest, ToolDefinition } from '@hamlet/models';
import { z } from 'zod';
import { firstChars } from '../../../first-chars.ts';
import { isJsonObject } from '../../../json/canonical-json.ts';
import type { Message, ModelRequest } from '../../../loop/ports.ts';

/** A request as the adapters want it, and the names of its tools by their names on the wire. */
type WireRequest = Readonly<{ request: ChatRequest; nameOf: (wireName: string) => string }>;

type JsonSchema = Readonly<Record<string, unknown>>;

/** Names that every provider accepts. Ids of tools may have dots, which most providers refuse. */
const UNWIRED = /[^a-zA-Z0-9_-]/g;
const INVALID_MAX_CHARS = 2_000;

/** The request of the engine for the adapters of `@hamlet/models`. Pure. */
export function wireRequest({ system, messages, tools }: ModelRequest, provider: string): WireRequest {
  const wireNames = namesOnWire(tools.map(({ name }) => name));
  const wired = (name: string): string => wireNames.get(name) ?? name.replaceAll(UNWIRED, '_');
  const names = new Map([...wireNames].map(([name, wire]) => [wire, name]));
  const definitions = tools.map(({ name, description, input }): ToolDefinition => ({
    name: wired(name),
    description,
    parameters: schemaOf(input),
  }));
  return {
    request: {
      messages: [...systemMessages(system, provider), ...messages.map((message) => wireMessage(message, wired))],
      ...(definitions.length === 0 ? {} : { tools: definitions }),
    },
    nameOf: (wireName) => names.get(wireName) ?? wireName,
  };
}

/** Each tool by a name of its own: `a.b` and `a_b` become `a_b_2` and `a_b`. */
function namesOnWire(names: readonly string[]): ReadonlyMap<string, string> {
  const wired = new Map(names.filter((name) => name.search(UNWIRED) < 0).map((name) => [name, name]));
  const taken = new Set(wired.values());
  for (const name of names) {
    if (wired.has(name)) continue;
    const plain = name.replaceAll(UNWIRED, '_');
    let wire = plain;
    for (let count = 2; taken.has(wire); count += 1) wire = `${plain}_${count}`;
    wired.set(name, wire);
    taken.add(wire);
  }
  return wired;
}

/** Anthropic caches the half that stays the same. Chat templates of other servers may accept one system message alone. */
function systemMessages({ stable, situation }: ModelRequest['system'], provider: string): readonly ChatMessage[] {
  const halves = [stable, situation].filter((half) => half !== '');
  const parts = provider === 'anthropic' ? halves : [halves.join('\n\n')];
  return parts
    .filter((content) => content !== '')
    .map((content) => ({ role: 'system', content, cacheable: content === stable }));
}

function wireMessage(message: Message, wired: (name: string) => string): ChatMessage {
  if (message.role === 'user') return message;
  if (message.role === 'tool') {
    const { callId: toolCallId, content, images } = message;
    return { role: 'tool', toolCallId, content, images };
  }
  const toolCalls = message.toolCalls.map(({ id, name, arguments: text }) => ({
    id,
    name: wired(name),
    arguments: replayable(text),
  }));
  return { ...message, toolCalls };
}

/**
 * The arguments of an earlier call. Several servers parse them, and refuse a conversation unless they are a JSON
 * object.
 */
function replayable(text: string): string {
  try {
    if (isJsonObject(JSON.parse(text))) return text;
  } catch {
    // Replaced below.
  }
  return JSON.stringify({ invalid_arguments: firstChars(text.toWellFormed(), INVALID_MAX_CHARS) });
}

const schemas = new WeakMap<z.ZodType, JsonSchema>();

/** The schema of a tool's arguments, made once. */
function schemaOf(input: z.ZodType): JsonSchema {
  const known = schemas.get(input);
  if (known !== undefined) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  schemas.set(input, schema);
  return schema;
}
