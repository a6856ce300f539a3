import { parseArgs } from 'node:util';
import { Failure, printFailure } from '../village/failure.ts';
import { runSteps } from '../village/steps.ts';
import { serveCompletions, type CompletionsServer } from './completions-server.ts';
import { fetchRuntime, fetchWeights, MODEL_NAME } from './fetch-model.ts';
import { openTextModel } from './text-model.ts';

const USAGE = `usage: make model [PORT=8090] [HOST=127.0.0.1] [FETCH=1]

Fetches ${MODEL_NAME} (253 MB) and llama.cpp (100 MB) into the cache, and serves the model at /v1/completions until
Ctrl-C. It is a base model: it continues a text. It does not follow instructions, chat or call tools, so it can write
lines for a village, and cannot decide for an agent. It takes 800 MB of memory and one processor while it writes.
Its weights are under the Gemma Terms of Use, which lie beside them.

  PORT   port of the server
  HOST   address of the server; 0.0.0.0 lets everyone on the network ask the model, also the pods of a cluster
  FETCH  1 fetches everything, and serves nothing
  HAMLET_CACHE=folder  folder of the cache (default: ~/.cache/hamlet)
`;

function portOf(text: string | undefined): number {
  const port = Number(text || 8_090);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new Failure(`PORT=${text} is not a port`, 'set PORT to a number from 1 to 65535');
}

async function open(host: string, port: number, onlyFetch: boolean): Promise<CompletionsServer | null> {
  let [runtime, weights, terms] = ['', '', ''];
  let server: CompletionsServer | null = null;
  const fetching = [
    { name: 'llama.cpp', work: async (context) => void (runtime = await fetchRuntime(context)) },
    {
      name: 'weights',
      work: async (context) => {
        ({ file: weights, terms } = await fetchWeights(context));
        return `terms of use: ${terms}`;
      },
    },
  ] satisfies Parameters<typeof runSteps>[1];
  const serving = {
    name: 'server',
    work: async () => {
      const model = await openTextModel(runtime, weights);
      server = await serveCompletions(model, MODEL_NAME, { host, port }).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'EADDRINUSE' ? new Failure(`port ${port} is taken`, 'set PORT to another one') : error;
      });
    },
  };
  await runSteps('Hamlet: model', onlyFetch ? fetching : [...fetching, serving]);
  return server;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } });
  if (values.help === true) return void process.stdout.write(USAGE);
  const { PORT, HOST, FETCH } = process.env;
  const server = await open(HOST || '127.0.0.1', portOf(PORT), Boolean(FETCH) && FETCH !== '0');
  if (server === null) return;
  console.log(`\n${MODEL_NAME} writes at ${server.url}; Ctrl-C ends it. Another terminal:`);
  console.log(`  curl ${server.url}/completions -H 'content-type: application/json' \\`);
  console.log(`    -d '{"prompt": "Question: Where can I buy honey?\\nAnswer:", "max_tokens": 40, "stop": "\\n"}'`);
  console.log(`  make dev MODEL=${server.url}`);
  process.once('SIGINT', () => process.exit());
  process.once('SIGTERM', () => process.exit());
}

try {
  await main();
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}
