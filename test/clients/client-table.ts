/** Programs and libraries that use models through their own clients, each at its newest version and at the previous one. */
import { MODEL } from './model-rig.ts';

export interface ClientPlace {
  /** Folder of the installed commands. */
  readonly bin: string;
  /** Origin of the gateway. */
  readonly url: string;
  readonly token: string;
  /** An empty folder for the client's settings. */
  readonly home: string;
  /** The words of a person. */
  readonly task: string;
}

export interface ClientRun {
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Files below its home. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface ClientRow {
  readonly name: string;
  readonly from: 'npm' | 'pypi';
  /** Packages with exact versions: the newest, then the version before. */
  readonly versions: readonly [readonly string[], readonly string[]];
  readonly run: (place: ClientPlace) => ClientRun;
}

const node =
  (script: string): ClientRow['run'] =>
  () => ({ argv: ['node', '--input-type=module', '--eval', script] });
const python =
  (script: string): ClientRow['run'] =>
  ({ bin }) => ({ argv: [`${bin}/python`, '-c', script] });

const OPENCODE = {
  provider: {
    hamlet: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: '{env:OPENAI_BASE_URL}', apiKey: '{env:OPENAI_API_KEY}' },
      models: { [MODEL]: {} },
    },
  },
  model: `hamlet/${MODEL}`,
  small_model: `hamlet/${MODEL}`,
  autoupdate: false,
};

const AIDER = ['--yes-always', '--no-git', '--no-check-update', '--analytics-disable', '--no-show-model-warnings'];

export const CLIENTS: readonly ClientRow[] = [
  {
    name: 'Claude Code',
    from: 'npm',
    versions: [['@anthropic-ai/claude-code@2.1.332'], ['@anthropic-ai/claude-code@2.1.331']],
    run: ({ bin, task }) => ({
      argv: [`${bin}/claude`, '--print', '--dangerously-skip-permissions', task],
      env: { ANTHROPIC_SMALL_FAST_MODEL: MODEL, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', IS_SANDBOX: '1' },
    }),
  },
  {
    name: 'Codex',
    from: 'npm',
    versions: [['@openai/codex@0.171.0'], ['@openai/codex@0.169.0']],
    run: ({ bin, task, url }) => {
      const provider = `model_providers.hamlet={name="hamlet",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`;
      const config = [`model="${MODEL}"`, 'model_provider="hamlet"', provider].flatMap((each) => ['-c', each]);
      const free = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
      return { argv: [`${bin}/codex`, 'exec', ...free, ...config, task] };
    },
  },
  {
    name: 'OpenCode',
    from: 'npm',
    versions: [['opencode-ai@1.18.33'], ['opencode-ai@1.18.32']],
    run: ({ bin, task }) => ({
      argv: [`${bin}/opencode`, 'run', '-m', `hamlet/${MODEL}`, task],
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(OPENCODE), OPENCODE_DISABLE_MODELS_FETCH: '1' },
    }),
  },
  {
    name: 'Pi',
    from: 'npm',
    versions: [['@earendil-works/pi-coding-agent@1.6.0'], ['@earendil-works/pi-coding-agent@1.5.2']],
    run: ({ bin, task, url }) => {
      const hamlet = {
        baseUrl: `${url}/v1`,
        api: 'openai-completions',
        apiKey: '$OPENAI_API_KEY',
        models: [{ id: MODEL }],
      };
      return {
        argv: [`${bin}/pi`, '--provider', 'hamlet', '--model', MODEL, '--print', task],
        env: { PI_OFFLINE: '1' },
        files: { '.pi/agent/models.json': JSON.stringify({ providers: { hamlet } }) },
      };
    },
  },
  {
    name: 'Qwen Code',
    from: 'npm',
    versions: [['@qwen-code/qwen-code@0.24.4'], ['@qwen-code/qwen-code@0.24.3']],
    run: ({ bin, task }) => ({
      argv: [`${bin}/qwen`, '--auth-type', 'openai', '--yolo', '--prompt', task],
      env: { OPENAI_MODEL: MODEL, QWEN_USAGE_STATISTICS_ENABLED: 'false' },
    }),
  },
  {
    name: 'Aider',
    from: 'pypi',
    versions: [['aider-chat==0.86.2'], ['aider-chat==0.86.1']],
    run: ({ bin, task, url }) => ({
      argv: [`${bin}/aider`, '--model', `openai/${MODEL}`, '--edit-format', 'whole', '--message', task, ...AIDER],
      env: { OPENAI_API_BASE: `${url}/v1` },
    }),
  },
  {
    name: "OpenAI's client for Node",
    from: 'npm',
    versions: [['openai@7.59.0'], ['openai@7.57.0']],
    run: node(`import OpenAI from 'openai';
const openai = new OpenAI();
const [model, input] = ['${MODEL}', process.env.TASK];
const chat = await openai.chat.completions.create({ model, messages: [{ role: 'user', content: input }] });
console.log(chat.choices[0].message.content, (await openai.responses.create({ model, input })).output_text);`),
  },
  {
    name: "OpenAI's client for Python",
    from: 'pypi',
    versions: [['openai==3.57.0'], ['openai==3.56.0']],
    run: python(`import os, openai
client, task = openai.OpenAI(), os.environ['TASK']
chat = client.chat.completions.create(model='${MODEL}', messages=[{'role': 'user', 'content': task}])
print(chat.choices[0].message.content, client.responses.create(model='${MODEL}', input=task).output_text)`),
  },
  {
    name: "Anthropic's client for Python",
    from: 'pypi',
    versions: [['anthropic==2.14.0'], ['anthropic==2.13.0']],
    run: python(`import os, anthropic
messages = [{'role': 'user', 'content': os.environ['TASK']}]
print(anthropic.Anthropic().messages.create(model='${MODEL}', max_tokens=100, messages=messages).content[0].text)`),
  },
  {
    name: 'AI SDK',
    from: 'npm',
    versions: [
      ['ai@7.0.173', '@ai-sdk/openai@4.0.118'],
      ['ai@7.0.172', '@ai-sdk/openai@4.0.117'],
    ],
    run: node(`import { streamText } from 'ai';
import { openai } from '@ai-sdk/openai';
for (const model of [openai('${MODEL}'), openai.chat('${MODEL}')])
  console.log(await streamText({ model, prompt: process.env.TASK }).text);`),
  },
  {
    name: 'LangGraph for Node',
    from: 'npm',
    versions: [
      ['@langchain/langgraph@1.7.3', '@langchain/openai@1.6.0', '@langchain/core@1.4.0'],
      ['@langchain/langgraph@1.7.1', '@langchain/openai@1.5.13', '@langchain/core@1.4.0'],
    ],
    run: node(`import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
const agent = createReactAgent({ llm: new ChatOpenAI({ model: '${MODEL}' }), tools: [] });
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: process.env.TASK }] });
console.log(messages.at(-1).content);`),
  },
  {
    name: 'LangChain for Python',
    from: 'pypi',
    versions: [['langchain-openai==1.7.4'], ['langchain-openai==1.7.3']],
    run: python(`import os
from langchain_openai import ChatOpenAI
print(ChatOpenAI(model='${MODEL}').invoke(os.environ['TASK']).content)`),
  },
  {
    name: 'LiteLLM',
    from: 'pypi',
    versions: [['litellm==1.110.2'], ['litellm==1.110.1']],
    run: python(`import os, litellm
messages = [{'role': 'user', 'content': os.environ['TASK']}]
print(litellm.completion(model='openai/${MODEL}', messages=messages, api_base=os.environ['OPENAI_BASE_URL']).choices[0].message.content)`),
  },
];
