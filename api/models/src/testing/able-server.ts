import type { WireAnswer, WireRequest } from './wire-server.ts';
import { OPENAI_WIRE } from './wires/chat-wire.ts';
import { json } from './wires/wire.ts';

/** An ability that the fake server lacks. `ignored-json`: it accepts a schema but answers in prose. */
export type Lack = 'stream' | 'tools' | 'json' | 'ignored-json' | 'embeddings' | 'words';

const refused = (what: string): WireAnswer =>
  json({ error: { message: `${what} is not supported`, type: 'invalid_request_error', param: null, code: null } }, 400);

interface AskedBody {
  readonly stream?: boolean;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly response_format?: { readonly json_schema?: { readonly schema: SchemaOfTexts } };
}
export interface SchemaOfTexts {
  readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

/** An object for a schema of texts, with the first allowed value of each property. */
export function valueBy({ properties = {} }: SchemaOfTexts): string {
  const entries = Object.entries(properties).map(([name, { enum: values }]) => [name, values?.[0] ?? 'a text']);
  return JSON.stringify(Object.fromEntries(entries));
}

/** The first ability that a request needs and the server lacks; null if none. */
function lackOf({ stream, tools, response_format }: AskedBody, lacks: ReadonlySet<Lack>): string | null {
  const needs: readonly (readonly [boolean, Lack, string])[] = [
    [true, 'words', 'chat'],
    [stream === true, 'stream', 'stream'],
    [tools !== undefined, 'tools', 'tools'],
    [response_format !== undefined, 'json', 'response_format'],
  ];
  return needs.find(([isNeeded, lack]) => isNeeded && lacks.has(lack))?.[2] ?? null;
}

function chatAnswer(asked: AskedBody, lacks: ReadonlySet<Lack>, words: string): WireAnswer {
  const lack = lackOf(asked, lacks);
  if (lack !== null) return refused(lack);
  const wire = asked.stream === true ? OPENAI_WIRE.stream : OPENAI_WIRE.plain;
  const [tool] = asked.tools ?? [];
  if (tool !== undefined)
    return wire({ calls: [{ id: 'call_1', name: tool.function.name, pieces: ['{"word":', '"heron"}'] }] });
  const schema = lacks.has('ignored-json') ? undefined : asked.response_format?.json_schema?.schema;
  return wire({ text: [schema === undefined ? words : valueBy(schema)] });
}

/** A fake model server without some abilities, which answers any request; for `otherwise` of a wire server. */
export function ableServer(
  lacks: readonly Lack[] = [],
  words = 'Good day.',
): (request: WireRequest) => WireAnswer | null {
  const lacking = new Set(lacks);
  return ({ path, body }) => {
    if (path === '/v1/chat/completions') return chatAnswer(body as AskedBody, lacking, words);
    if (path !== '/v1/embeddings') return null;
    return lacking.has('embeddings') ? refused('embeddings') : json({ data: [{ index: 0, embedding: [0.5, 0.5] }] });
  };
}
