/**
 * Times calls of tools under the flags of the pod: `calls-process.ts SOCKET WORKSPACE PEERS CALLS`. The subjects take turns, call by
 * call. Sends the milliseconds of each subject to its parent.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openChangeLog } from '@hamlet/resident/change-log';
import { aHandsKit, useTool } from '@hamlet/resident/testing/a-hands-kit';

const [socket = '', workspace = '', peers = '', count = '0'] = process.argv.slice(2);
/** Files that are written in turn: most writes change a file. */
const FILES = 8;
const WARM_UP = 20;

type Call = (number: number) => Promise<unknown>;

async function mcpServer(file: string, ...args: string[]): Promise<(name: string, input: object) => Promise<unknown>> {
  const client = new Client({ name: 'bench', version: '1' });
  const command = { command: process.execPath, args: [join(peers, 'node_modules', file), ...args] };
  await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }));
  return async (name, input) => {
    const result = await client.callTool({ name, arguments: { ...input } });
    if (result.isError === true) throw new Error(`${file}: ${JSON.stringify(result.content)}`);
  };
}

async function bareShell(): Promise<void> {
  const child = spawn('bash', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] });
  await once(child, 'close');
}

const use = useTool(aHandsKit({ socket, workspace }, { changes: openChangeLog(join(workspace, '../changes')) }));

async function tool(name: string, input: object): Promise<void> {
  const outcome = await use(name, input);
  if (outcome.kind !== 'ok') throw new Error(`${name}: ${JSON.stringify(outcome)}`);
}

const pathOf = (subject: string, number: number): string => join(workspace, `${subject}-${String(number % FILES)}`);
const contentOf = (number: number): string => `${String(number)}\n`.padEnd(1_024, 'a line of a program\n');

async function subjects(): Promise<Readonly<Record<string, Call>>> {
  const commands = await mcpServer('mcp-server-commands/build/index.js');
  const files = await mcpServer('@modelcontextprotocol/server-filesystem/dist/index.js', workspace);
  return {
    bareShell,
    shell: () => tool('shell', { command: 'true' }),
    mcpCommands: () => commands('run_command', { command: 'true' }),
    bareWrite: (number) => writeFile(pathOf('bare', number), contentOf(number)),
    write: (number) => tool('write_file', { path: pathOf('ours', number), content: contentOf(number) }),
    mcpFilesystem: (number) => files('write_file', { path: pathOf('mcp', number), content: contentOf(number) }),
  };
}

const entries = Object.entries(await subjects());
const times: Record<string, number[]> = Object.fromEntries(entries.map(([name]) => [name, []]));
for (let number = 0; number < WARM_UP + Number(count); number += 1)
  for (const [name, call] of entries) {
    const begun = performance.now();
    await call(number);
    if (number >= WARM_UP) times[name]?.push(performance.now() - begun);
  }
process.send?.(times, () => process.exit());
