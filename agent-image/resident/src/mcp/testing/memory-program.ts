/** A small MCP memory server on its standard streams: it reads the file of MEMORY_FILE_PATH for each call, and replaces it. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Line {
  readonly type: 'entity' | 'relation';
  readonly name?: string;
  readonly observations?: readonly string[];
}
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly name?: string; readonly text?: string } };
}

const path = process.env['MEMORY_FILE_PATH'] ?? '';
const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function load(): readonly Line[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
  } catch {
    return [];
  }
}

function save(lines: readonly Line[]): void {
  writeFileSync(`${path}.tmp`, lines.map((line) => JSON.stringify(line)).join('\n'));
  renameSync(`${path}.tmp`, path);
}

function observe(name: string, text: string): string {
  const lines = load();
  const known = lines.find((line) => line.name === name);
  const entity = known ?? { type: 'entity' as const, name, entityType: 'thing', observations: [] };
  const changed = { ...entity, observations: [...(entity.observations ?? []), text] };
  save([...lines.filter((line) => line !== known), changed]);
  return `observed ${name}`;
}

const TOOLS: Readonly<Record<string, (name: string, text: string) => string>> = {
  observe,
  read: () => JSON.stringify(load()),
  remove: (name) => {
    save(load().filter((line) => line.name !== name));
    return `removed ${name}`;
  },
};
const inputSchema = { type: 'object', properties: { name: { type: 'string' }, text: { type: 'string' } } };

const METHODS: Readonly<Record<string, (params: Message['params']) => object>> = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'memory', version: '1' },
  }),
  'tools/list': () => ({ tools: Object.keys(TOOLS).map((name) => ({ name, description: name, inputSchema })) }),
  'tools/call': (params) => {
    const { name = '', text = '' } = params?.arguments ?? {};
    return { content: [{ type: 'text', text: TOOLS[params?.name ?? '']?.(name, text) ?? 'no such tool' }] };
  },
};

createInterface(process.stdin).on('line', (line) => {
  const { id, method = '', params } = JSON.parse(line) as Message;
  if (id === undefined) return;
  const known = METHODS[method];
  if (known === undefined) say({ id, error: { code: -32_601, message: 'Method not found' } });
  else say({ id, result: known(params) });
});
