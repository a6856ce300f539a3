/** The folder of an attempt in the hands. */
import { mustRun, unpack, type Hands } from './hands.ts';
import { movedText, packedPart, packedStart } from './moved-files.ts';
import type { EvalTask } from './task.ts';

/** Lays out what the agent finds, in an empty folder. */
export async function layOut(hands: Hands, task: EvalTask, base: string): Promise<void> {
  await mustRun(hands, `rm -rf '${base}'`);
  await unpack(hands, packedStart(task, base), base);
  for (const command of task.build.runs)
    await mustRun(hands, `cd '${base}${task.build.workdir}' && ${movedText(task, base, command)}`);
}

/** The reward that the tests write (NaN if none), and the last line of their output. */
export async function judge(hands: Hands, task: EvalTask, base: string): Promise<{ reward: number; said: string }> {
  await unpack(hands, packedPart(task, base, 'tests'), base);
  const logs = `${base}/logs/verifier`;
  const script = `mkdir -p '${logs}' && cd '${base}${task.build.workdir}' && bash '${base}/tests/test.sh'`;
  const { output } = await hands.run(script, { limitS: task.verifierS });
  const { stdout } = await hands.run(`cat '${logs}/reward.txt' && tail -c 2000 '${logs}/output.txt'`);
  const [reward = '', ...said] = stdout.trim().split('\n');
  const last = said.at(-1) ?? output.trim().split('\n').at(-1) ?? '';
  return { reward: reward === '' ? Number.NaN : Number(reward), said: last };
}
