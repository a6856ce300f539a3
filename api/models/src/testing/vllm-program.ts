#!/usr/bin/env node
/**
 * A fake `vllm serve` for an image: vLLM's wire, refusals and metrics without a model. It takes the arguments of the chart, and
 * `--load-seconds`, for which its port stays closed like that of a server that loads its weights.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { vllmServer } from './vllm-server.ts';
import { startWireServer } from './wire-server.ts';

const { values } = parseArgs({ strict: false, allowPositionals: true });
const textOf = (name: string, fallback: string): string => {
  const value = values[name];
  return typeof value === 'string' ? value : fallback;
};

await sleep(Number(textOf('load-seconds', '0')) * 1_000);
const vllm = vllmServer({
  model: textOf('served-model-name', 'fake'),
  maxModelLen: Number(textOf('max-model-len', '32768')),
  hasToolParser: 'enable-auto-tool-choice' in values,
});
const listen = { host: textOf('host', '127.0.0.1'), port: Number(textOf('port', '8000')) };
const server = await startWireServer([], { otherwise: vllm.answer, listen });
process.once('SIGTERM', () => void server.close());
