/** A client of the Agent Client Protocol for a program in real hands. It answers every permission as the test says. */
import { setTimeout as delay } from 'node:timers/promises';
import { client, methods, ndJsonStream, PROTOCOL_VERSION, type ClientConnection } from '@agentclientprotocol/sdk';
import type { AcpLaunch } from '../../agent-image/resident/src/acp/preset.ts';
import { mcpProgram, startHandsProcess, type HandsProcess } from '../../agent-image/resident/src/mcp/hands-process.ts';
import { untilEnd } from '../env/at-end.ts';

export interface Place {
  readonly socket: string;
  readonly cwd: string;
  readonly variables: () => Readonly<Record<string, string>>;
}

export interface Turn {
  readonly stopReason: string;
  /** Kinds of the calls for which the program asked a permission. */
  readonly asked: readonly string[];
  readonly words: string;
}

interface Seen {
  answer: 'allow_once' | 'reject_once';
  asked: string[];
  words: string;
  updates: number;
}

function streamOf(process: HandsProcess) {
  const writable = new WritableStream<Uint8Array>({ write: (data) => process.write(Buffer.from(data)) });
  const readable = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const data = await process.read();
      if (data === null) controller.close();
      else controller.enqueue(data);
    },
  });
  return ndJsonStream(writable, readable);
}

function connected(process: HandsProcess, seen: Seen): ClientConnection {
  return client({ name: 'hamlet' })
    .onRequest(methods.client.session.requestPermission, ({ params: { options, toolCall } }) => {
      seen.asked.push(toolCall.kind ?? 'other');
      const option = options.find(({ kind }) => kind === seen.answer);
      return {
        outcome: option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId },
      };
    })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      seen.updates += 1;
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
        seen.words += update.content.text;
    })
    .connect(streamOf(process));
}

interface Driven {
  readonly connection: ClientConnection;
  readonly seen: Seen;
  readonly cwd: string;
  readonly mode: string | null;
}

/** A program that has been started and initialized. It ends with the tests of the calling file. */
export class DrivenProgram {
  readonly #parts: Driven;

  private constructor(parts: Driven) {
    this.#parts = parts;
  }

  static async start(launch: AcpLaunch, place: Place): Promise<DrivenProgram> {
    const environmentOf = () => ({ ...place.variables(), ...launch.env });
    const process = await startHandsProcess({ ...place, environmentOf }, mcpProgram('mind', launch.argv));
    untilEnd({ close: () => process.end() });
    const seen: Seen = { answer: 'reject_once', asked: [], words: '', updates: 0 };
    const connection = connected(process, seen);
    const capabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
    const initialized = connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: capabilities,
    });
    const died = connection.closed.then(async () => {
      throw new Error(`the program ended: ${await process.cause()}`);
    });
    died.catch(() => undefined);
    await Promise.race([initialized, died]);
    return new DrivenProgram({ connection, seen, cwd: place.cwd, mode: launch.mode });
  }

  async newSession(): Promise<string> {
    const { sessionId } = await this.#parts.connection.agent.request(methods.agent.session.new, {
      cwd: this.#parts.cwd,
      mcpServers: [],
    });
    await this.#setMode(sessionId);
    return sessionId;
  }

  async loadSession(sessionId: string): Promise<void> {
    await this.#parts.connection.agent.request(methods.agent.session.load, {
      sessionId,
      cwd: this.#parts.cwd,
      mcpServers: [],
    });
    await this.#setMode(sessionId);
  }

  async #setMode(sessionId: string): Promise<void> {
    if (this.#parts.mode === null) return;
    await this.#parts.connection.agent.request(methods.agent.session.setMode, { sessionId, modeId: this.#parts.mode });
  }

  async prompt(sessionId: string, text: string, answer: Seen['answer'] = 'allow_once'): Promise<Turn> {
    Object.assign(this.#parts.seen, { answer, asked: [], words: '', updates: 0 });
    const prompt = [{ type: 'text' as const, text }];
    const turn = await this.#parts.connection.agent.request<{ readonly stopReason: string }>('session/prompt', {
      sessionId,
      prompt,
    });
    return { stopReason: turn.stopReason, asked: this.#parts.seen.asked, words: this.#parts.seen.words };
  }

  /** A prompt that is cancelled as soon as the program has begun its answer. */
  async cancelled(sessionId: string, text: string): Promise<Turn> {
    const turn = this.prompt(sessionId, text);
    while (!this.#parts.seen.words.includes('one')) await delay(50);
    await this.#parts.connection.agent.notify(methods.agent.session.cancel, { sessionId });
    return turn;
  }
}
