/**
 * An MCP server on its standard streams that behaves as servers of strangers do: its argument names the quirk. It has no
 * dependencies, so that the hands can run it.
 */
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly cursor?: string; readonly name?: string; readonly arguments?: object };
}

interface Quirk {
  readonly tools?: () => readonly object[];
  /** A page of the list, instead of all tools. */
  readonly page?: (cursor: string | undefined) => object;
  readonly call?: (args: object) => object;
  readonly begin?: () => void;
  /** Ends the program at a request before the handshake. */
  readonly isStrict?: boolean;
}

const [quirk = ''] = process.argv.slice(2);
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(600 << 10, 1)]).toString('base64');
let calls = 0;
let isGrown = false;
let lists = 0;
let isGreeted = false;
/** The last request as it came. */
let sent = '';

const send = (message: object | string): void =>
  void process.stdout.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
const text = (value: string): object => ({ type: 'text', text: value });
const tool = (name: string, schema: unknown = { type: 'object' }, more: object = {}): object => ({
  name,
  description: `The tool ${name}`,
  inputSchema: schema,
  ...more,
});
const withArgument = (name: string, schema: object, more: object = {}): object =>
  tool('t', { type: 'object', properties: { [name]: schema }, ...more });
const echo = (args: object): object => ({ content: [text(JSON.stringify(args))] });
const schema = (name: string, argument: object, more: object = {}): Quirk => ({
  tools: () => [tool('good'), withArgument(name, argument, more)],
  call: echo,
});

const QUIRKS: Readonly<Record<string, Quirk>> = {
  'a resource': {
    call: () => ({ content: [{ type: 'resource', resource: { uri: 'repo://mill', text: 'It grinds.' } }] }),
  },
  'a link': {
    call: () => ({
      content: [{ type: 'resource_link', uri: 'https://a.test/m.csv', name: 'm', description: 'Flour' }],
    }),
  },
  'data beside a text': { call: () => ({ content: [text('One order.')], structuredContent: { id: 17 } }) },
  'data also as a text': { call: () => ({ content: [text('{ "b": 1, "a": 2 }')], structuredContent: { a: 2, b: 1 } }) },
  'an image': { call: () => ({ content: [text('Open.'), { type: 'image', mimeType: 'image/jpeg', data: PNG }] }) },
  'a broken image': { call: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] }) },
  'an unknown content': { call: () => ({ content: [{ type: 'poem', lines: 2 }, null, text('end')] }) },
  'half a pair': { call: () => ({ content: [text(`half \uD83D`)] }) },
  'content as a text': { call: () => ({ content: 'plain' }) },
  'no type': { tools: () => [tool('good'), tool('t', { properties: {} })] },
  'an empty schema': { tools: () => [tool('good'), tool('t', {})] },
  'a list as schema': { tools: () => [tool('good'), tool('t', [])] },
  'no schema': { tools: () => [tool('good'), { name: 't' }] },
  nulls: { tools: () => [tool('good'), { ...tool('t'), description: null, title: null, annotations: null }] },
  'no name': { tools: () => [tool('good'), { inputSchema: {} }, tool('t')] },
  'a wrong result schema': {
    tools: () => [
      tool('good'),
      tool('t', {}, { outputSchema: { type: 'object', properties: { a: { type: 'strings' } } } }),
    ],
    call: () => ({ content: [], structuredContent: { a: 1 } }),
  },
  'exclusiveMinimum as a word': schema('a', { type: 'integer', minimum: 0, exclusiveMinimum: true }),
  'nullable without a type': schema('a', { anyOf: [{ type: 'string' }, { type: 'number' }], nullable: true }),
  'nullable with a type': schema('a', { type: 'string', nullable: true, enum: ['x'] }),
  'required in a property': schema('a', { type: 'string', required: true }),
  'types of Python': schema('a', { type: 'int' }, { required: 'a' }),
  'properties as a list': { tools: () => [tool('good'), tool('t', { type: 'object', properties: [] })], call: echo },
  'a reference to nothing': schema('a', { $ref: '#/$defs/none' }),
  'a remote reference': schema('a', { $ref: 'https://a.test/schema.json' }),
  'items as a list': schema('a', { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] }),
  'a recursive reference': schema('a', { $ref: '#' }),
  'a choice at the root': {
    tools: () => [tool('good'), tool('t', { anyOf: [{ properties: { a: { type: 'integer' } }, required: ['a'] }] })],
    call: echo,
  },
  'unusual names': { tools: () => [tool('files.read'), tool('files_read'), tool(`n${'o'.repeat(80)}`)], call: echo },
  'an empty cursor': { page: () => ({ tools: [tool('good'), tool('t')], nextCursor: '' }) },
  'a null cursor': { page: () => ({ tools: [tool('good'), tool('t')], nextCursor: null }) },
  'the same cursor': { page: () => ({ tools: [tool('good'), tool('t')], nextCursor: 'more' }) },
  'sixty tools in pages': {
    page: (cursor = '0') => ({
      tools: [0, 1, 2, 3, 4].map((n) => tool(`t${Number(cursor) * 5 + n}`)),
      ...(Number(cursor) < 11 && { nextCursor: `${Number(cursor) + 1}` }),
    }),
  },
  'a long greeting': { begin: () => Array.from({ length: 50 }, (_, n) => send(`  :: boot :: ${n}`)) },
  'a log in JSON': {
    call: () => {
      for (let n = 0; n < 30; n += 1) send({ level: 30, msg: 'called' });
      return { content: [text('ok')] };
    },
  },
  'ends at an early question': { isStrict: true },
  'a list that grows': {
    tools: () => (isGrown ? [tool('good'), tool('grown')] : [tool('good')]),
    call: () => {
      isGrown = true;
      send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      return { content: [text('grown')] };
    },
  },
  'a list that always changes': {
    tools: () => {
      send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      lists += 1;
      return [tool(`list-${lists}`)];
    },
  },
  hints: {
    tools: () => [
      tool('good', {}, { annotations: { readOnlyHint: true } }),
      tool('set', {}, { annotations: { idempotentHint: true } }),
      tool('t'),
    ],
  },
  'asks and tells in between': {
    call: () => {
      send({ jsonrpc: '2.0', id: 'p1', method: 'ping' });
      send({ jsonrpc: '2.0', id: 'r1', method: 'roots/list' });
      send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
      return { content: [text('done')] };
    },
  },
  echo: {
    tools: () => [
      tool('good', {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          tags: { type: 'array', items: { type: 'string' } },
          deep: {
            type: 'object',
            properties: { on: { type: 'boolean' }, n: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
          },
          word: { type: ['string', 'number'] },
        },
      }),
    ],
    call: () => ({ content: [text(/"arguments":(\{.*\})\},"jsonrpc"/.exec(sent)?.[1] ?? sent)] }),
  },
};

const own = QUIRKS[quirk] ?? {};
const result = (id: number, value: object): void => send({ jsonrpc: '2.0', id, result: value });

const METHODS: Readonly<Record<string, (id: number, params: Message['params']) => void>> = {
  initialize: (id) => {
    const capabilities = { tools: { listChanged: true } };
    result(id, { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'quirks', version: '1' } });
  },
  'tools/list': (id, params) => result(id, own.page?.(params?.cursor) ?? { tools: own.tools?.() ?? [tool('good')] }),
  'tools/call': (id, params) => {
    calls += 1;
    const large = '{"content":[],"structuredContent":{"id":2512292042121000001,"n":1}}';
    if (quirk === 'a large integer') return send(`{"jsonrpc":"2.0","id":${id},"result":${large}}`);
    return result(id, own.call?.(params?.arguments ?? {}) ?? { content: [text(`ok ${calls}`)] });
  },
};

function serve({ id, method = '', params }: Message): void {
  isGreeted ||= method === 'initialize';
  if (own.isStrict === true && !isGreeted) process.exit(9);
  if (id === undefined || method === '') return;
  const known = quirk === 'no tools' && method !== 'initialize' ? undefined : METHODS[method];
  if (known === undefined) send({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } });
  else known(id, params);
}

own.begin?.();
createInterface(process.stdin).on('line', (line) => {
  sent = line;
  serve(JSON.parse(line) as Message);
});
