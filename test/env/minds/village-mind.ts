/** The model of a whole village for tests: one server with OpenAI's wire, which `make up MODEL=` connects. */
import { startWireServer, type WireRequest, type WireServer } from '@hamlet/models/testing';
import { run } from '../../../local/village/command.ts';
import type { Village } from '../village.ts';
import { answerChat, type Chat } from './chat-server.ts';
import { decisionAnswer } from './decision-mind.ts';
import { journeyAnswer } from './journey-mind.ts';

/** The names of the server for the village's models `small` and `large`. */
export const SMALL = 'village-small';
export const LARGE = 'village-large';
const KEY = 'sk-key-of-a-test-village';

const isOf = (agent: string, { messages }: Chat): boolean =>
  messages.some(({ role, content }) => role === 'system' && content?.includes(`(agent_id ${agent})`));

/** `decision-mind.ts` answers for the agent `decider`, `journey-mind.ts` for all others. */
export function startVillageMind(decider: string): Promise<WireServer> {
  return startWireServer([], {
    otherwise: (request) => {
      if (request.headers['authorization'] !== `Bearer ${KEY}`) return { status: 401, chunks: ['{}'] };
      return answerChat(request, (chat) => (isOf(decider, chat) ? decisionAnswer(chat) : journeyAnswer(chat)));
    },
  });
}

/** The requests of an agent to a model, oldest first. */
export const chatsOf = (requests: readonly WireRequest[], agent: string): readonly Chat[] =>
  requests
    .filter(({ path }) => path === '/v1/chat/completions')
    .map(({ body }) => body as Chat)
    .filter((chat) => isOf(agent, chat));

/** Connects the running village to the model, with the key in the environment. */
export const connectMind = (place: Village, { url }: WireServer): Promise<void> =>
  makeUp(place, [`MODEL=${url}`, `MODEL_NAME=${SMALL}`, `MODEL_LARGE=${LARGE}`], { MODEL_KEY: KEY });

/** Switches the village back to the scripted mind. */
export const disconnectMind = (place: Village): Promise<void> => makeUp(place, ['MODEL=scripted']);

async function makeUp(
  { url }: Village,
  model: readonly string[],
  key: Readonly<Record<string, string>> = {},
): Promise<void> {
  // This `make` must not inherit the variables of the `make` that runs the tests.
  const env = { MAKEFLAGS: '', MAKEOVERRIDES: '', MAKELEVEL: '', ...key };
  await run('make', ['up', `PORT=${new URL(url).port}`, ...model], { env });
}
