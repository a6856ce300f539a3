/**
 * An MCP server on its standard streams; its argument selects correct or faulty behaviour. It has no dependencies, so that the
 * hands can run it.
 */
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly text?: string } };
}

const mode = process.argv[2] ?? 'good';
const answer = (id: number, result: unknown): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
const fail = (id: number, code: number, message: string): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);

const input = {
  type: 'object',
  properties: { text: { type: 'string', minLength: 1, pattern: '^(a+)+$' } },
  required: ['text'],
};
const TOOLS = [
  { name: 'echo', description: 'Says it again', inputSchema: input },
  { name: 'die', description: 'Ends the server', inputSchema: { type: 'object' } },
  { name: 'hang', description: 'Never answers', inputSchema: { type: 'object' } },
  { name: 'fail', description: 'Fails', inputSchema: { type: 'object' } },
  { name: 'shape', description: 'Breaks its schema', inputSchema: { type: 'object' }, outputSchema: { ...input } },
  { name: 'broken', description: 'Breaks the protocol', inputSchema: { type: 'object' } },
  { name: 'long', description: 'Says much', inputSchema: { type: 'object' } },
  { name: 'huge', description: 'Says too much', inputSchema: { type: 'object' } },
  { name: 'bad name!', description: 'No provider allows it', inputSchema: { type: 'object' } },
];

function toolsNow(): readonly object[] {
  if (mode === 'many')
    return Array.from({ length: 150 }, (_, index) => ({ name: `t${index}`, inputSchema: { type: 'object' } }));
  return mode === 'shuffled' ? TOOLS.toReversed() : TOOLS;
}

const CALLS: Readonly<Record<string, (id: number, text: string) => void>> = {
  echo: (id, text) => answer(id, { content: [{ type: 'text', text: `${text} (${process.pid})` }] }),
  die: () => {
    process.stderr.write('the roof fell in\n');
    process.exit(7);
  },
  hang: () => {},
  fail: (id) => answer(id, { content: [{ type: 'text', text: 'no such file' }], isError: true }),
  shape: (id) => answer(id, { content: [], structuredContent: { text: 3 } }),
  broken: (id) => answer(id, { content: 3 }),
  long: (id) => answer(id, { content: [{ type: 'text', text: 'x'.repeat(400_000) }] }),
  huge: (id) => answer(id, { content: [{ type: 'text', text: 'x'.repeat(17 << 20) }] }),
};

function callTool(id: number, params: Message['params']): void {
  const call = CALLS[params?.name ?? ''];
  if (call === undefined) fail(id, -32_602, 'no such tool');
  else call(id, params?.arguments?.text ?? '');
}

const METHODS: Readonly<Record<string, (id: number, params: Message['params']) => void>> = {
  initialize: (id) =>
    answer(id, {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: mode, version: '1' },
    }),
  'tools/list': (id) => answer(id, { tools: mode === 'bad-list' ? 'none' : toolsNow() }),
  'tools/call': callTool,
};

let isGreeted = mode !== 'older';

function serve({ id, method = '', params }: Message): void {
  isGreeted ||= method === 'initialize';
  if (id === undefined || !isGreeted) return;
  const known = METHODS[method];
  if (known === undefined) fail(id, -32_601, 'Method not found');
  else known(id, params);
}

if (mode === 'dies-at-start') {
  process.stderr.write('no configuration\n');
  process.exit(3);
}
if (mode === 'noise') for (let line = 0; line < 50; line += 1) process.stdout.write(`Welcome ${line}\n`);
if (mode === 'greets') process.stdout.write('Welcome!\n');
if (mode !== 'mute') createInterface(process.stdin).on('line', (line) => serve(JSON.parse(line) as Message));
else process.stdin.resume();
