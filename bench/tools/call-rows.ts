import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { peerPackages } from '../peer-packages.ts';
import { POD_FLAGS } from '../pod-flags.ts';
import { medianOf, row, type Row } from '../report.ts';

const Times = z.strictObject({
  bareShell: z.array(z.number()),
  shell: z.array(z.number()),
  mcpCommands: z.array(z.number()),
  bareWrite: z.array(z.number()),
  write: z.array(z.number()),
  mcpFilesystem: z.array(z.number()),
});

/**
 * Calls of `shell` and `write_file` through the supervisor of the hands, less a bare process and a bare write of the same resident,
 * compared with two MCP servers. It excludes the API's record of a call.
 */
export async function callRows(calls: number): Promise<readonly Row[]> {
  const peers = await peerPackages('tools', 30);
  const hands = await startHands();
  try {
    const child = fork(
      join(import.meta.dirname, 'calls-process.ts'),
      [hands.socket, hands.workspace, peers, String(calls)],
      { execArgv: [...POD_FLAGS] },
    );
    process.once('exit', () => child.kill('SIGKILL'));
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`calls-process.ts ended with code ${String(code)}`);
    });
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return rowsOf(Times.parse(message));
  } finally {
    await hands.remove();
  }
}

function rowsOf(times: z.infer<typeof Times>): readonly Row[] {
  const over = (times: readonly number[], bare: readonly number[]): number => medianOf(times) - medianOf(bare);
  return [
    row('shellCallOverheadMs', 'ms', {
      ours: over(times.shell, times.bareShell),
      peers: {
        mcpServerCommands: over(times.mcpCommands, times.bareShell),
        bareProcessItself: medianOf(times.bareShell),
      },
      target: 2,
    }),
    row('fsWriteOverheadMs', 'ms', {
      ours: over(times.write, times.bareWrite),
      peers: { mcpFilesystem: over(times.mcpFilesystem, times.bareWrite), bareWriteItself: medianOf(times.bareWrite) },
      target: 2,
    }),
  ];
}
