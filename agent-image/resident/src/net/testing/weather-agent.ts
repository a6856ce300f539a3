import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { Role, TaskState, type Message, type Task } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
  type AgentExecutor,
} from '@a2a-js/sdk/server';

const textPart = (value: string) => ({
  content: { $case: 'text' as const, value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

const wordsOf = ({ parts }: Message): string =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('');

/** Asks for a town, and answers with its weather. */
const weather: AgentExecutor = {
  execute: async ({ taskId, contextId, userMessage, task }, bus) => {
    const town = wordsOf(userMessage);
    const isAsking = task === undefined && town === 'weather';
    const state = isAsking ? TaskState.TASK_STATE_INPUT_REQUIRED : TaskState.TASK_STATE_COMPLETED;
    const ids = { taskId, contextId, metadata: undefined, extensions: [], referenceTaskIds: [] };
    const question = { messageId: 'q-1', role: Role.ROLE_AGENT, parts: [textPart('Which town?')], ...ids };
    const sun = { artifactId: 'a-1', name: 'Weather', description: '', parts: [textPart(`Sun in ${town}.`)] };
    const made: Task = {
      id: taskId,
      contextId,
      status: { state, message: isAsking ? question : undefined, timestamp: undefined },
      artifacts: isAsking ? [] : [{ ...sun, metadata: undefined, extensions: [] }],
      history: [],
      metadata: undefined,
    };
    bus.publish(AgentEvent.task(made));
    bus.finished();
  },
  cancelTask: async () => undefined,
};

const interfaces = [
  { url: 'https://weather.test/a2a', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
];
const card = {
  name: 'weather',
  description: '',
  supportedInterfaces: interfaces,
  provider: undefined,
  version: '1',
  capabilities: { streaming: false, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  signatures: [],
};
const served = new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), weather));

/** An A2A server of the protocol's SDK: it asks for a town, and answers with its weather. */
export const weatherAgent: RequestListener = (request, response) => {
  void (async () => {
    const body = (await json(request)) as Record<string, unknown>;
    const context = new ServerCallContext({ requestedVersion: String(request.headers['a2a-version']) });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await served.handle(body, context)));
  })();
};
