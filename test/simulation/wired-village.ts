/** A village with one agent that has a model: the API, a resident in a process of its own, and the model as a wire server. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseModelsConfig, SYSTEM_PORTS } from '@hamlet/models';
import { OPENAI_WIRE, startWireServer, type ScriptedAnswer } from '@hamlet/models/testing';
import { SessionPlay } from '../../api/server/src/testing/play/session-play.ts';
import { residentProcesses } from '../../api/server/src/testing/resident-process.ts';
import { startTestVillage } from '../../api/server/src/testing/test-village.ts';

export const NAME = 'bob';
/** Village time runs by this factor, so that a test waits for no walk. A decision needs 3 s then. */
const VILLAGE_SPEED = 10;

/** A request to the model. */
export interface Chat {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly response_format?: {
    readonly json_schema: {
      readonly schema: { readonly properties: { readonly option?: { readonly enum: string[] } } };
    };
  };
}

export interface WiredVillage {
  readonly play: SessionPlay;
  /** All requests to the model, oldest first. */
  chats(): readonly Chat[];
  remove(): Promise<void>;
}

/** The content of the newest message with this role; empty if there is none. */
export const textOf = ({ messages }: Chat, role: string): string =>
  messages.findLast((each) => each.role === role)?.content ?? '';

/** @param answer must depend on the request alone, since a request may be repeated */
export async function startWiredVillage(
  spec: string,
  answer: (chat: Chat) => ScriptedAnswer,
  environment: Readonly<Record<string, string>> = {},
): Promise<WiredVillage> {
  const wire = await startWireServer([], {
    otherwise: ({ path, body }) => {
      if (path !== '/v1/chat/completions') return null;
      const chat = body as Chat;
      return chat.stream === true ? OPENAI_WIRE.stream(answer(chat)) : OPENAI_WIRE.plain(answer(chat));
    },
  });
  const village = await startTestVillage({ villageSpeed: VILLAGE_SPEED });
  const manifest = `apiVersion: hamlet.village/v1alpha1\nkind: Agent\nmetadata: { name: ${NAME} }\nspec:\n${spec}\n`;
  await writeFile(join(village.environment['HAMLET_SAMPLES_DIR'] ?? '', `good-agent-${NAME}.yaml`), manifest);
  const limits = { contextTokens: 16_384, answerTokens: 1_000 };
  const parsed = parseModelsConfig({
    providers: { upstream: { kind: 'compatible', baseUrl: `${wire.url}/v1` } },
    routes: ['small', 'large'].map((name) => ({
      match: name,
      provider: 'upstream',
      model: `up-${name}`,
      ...limits,
    })),
  });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const models = { config: parsed.config, key: () => null, adapters: {}, ports: SYSTEM_PORTS };
  const play = new SessionPlay((await village.startReplica(environment, { models })).peopleUrl);
  await play.play.everybody();
  const residents = residentProcesses(() => play.play);
  await residents.start(NAME);
  return {
    play,
    chats: () => wire.requests.map(({ body }) => body as Chat),
    remove: async () => {
      await residents.remove();
      await village.remove();
      await wire.close();
    },
  };
}
