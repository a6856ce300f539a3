import { join } from 'node:path';
import type { ContextItem } from '../../context/agent-prompt.ts';
import type { StageAt } from '../../flow/flow-ports.ts';
import type { Memory } from '../../memory/memory.ts';
import { openMemory } from '../../memory/open-memory.ts';
import type { Manifests } from '../manifest/manifests.ts';
import type { AgentSpec } from '../manifest/schemas.ts';

const MAX_QUERY_CHARS = 2_000;
const MAX_REMEMBERED_CHARS = 8_000;
const MAX_HITS = 20;

/** The memory from which tasks recall, and which keeps texts for later ones. */
export type MemoryOfTasks = Pick<TaskMemory, 'recall' | 'keep' | 'close'>;

type Setting = Readonly<{ manifests: Manifests; data: string }>;

/**
 * The memory of the agents whose context profile has the source `memory`: what they were asked and answered in earlier tasks. It is opened
 * at the first use, in the folder `stores.root` of the data.
 */
export class TaskMemory {
  readonly #setting: Setting;
  #memory: Memory | null = null;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** The memories of earlier tasks about the text, best first; none for an agent without memory. */
  async recall(agent: AgentSpec, text: string, task: string): Promise<readonly ContextItem[]> {
    if (!this.#hasMemory(agent)) return [];
    const options = { audience: 'public', k: MAX_HITS, besides: task } as const;
    const hits = await this.#open().search(text.slice(0, MAX_QUERY_CHARS), options);
    return hits.map(({ memory, score }) => ({
      id: memory.id,
      source: 'memory',
      text: memory.text,
      importance: Math.min(1, score),
    }));
  }

  /** Keeps what an agent was asked and answered. The same stage is kept once, however often it ends. */
  async keep(
    agent: AgentSpec,
    { run, stage, attempt, round }: StageAt,
    said: Readonly<{ input: string; output: string }>,
  ): Promise<void> {
    if (!this.#hasMemory(agent)) return;
    const place = `${run}/${stage.id}.${round}.${attempt}`;
    const texts = [
      { id: `${place}/asked`, speaker: 'task', text: said.input },
      { id: `${place}/said`, speaker: agent.id, text: said.output },
    ];
    await this.#open().remember(
      texts.map(({ id, speaker, text }, index) => ({
        kind: 'evidence',
        id,
        session: run,
        turn: index,
        speaker,
        text: text.slice(0, MAX_REMEMBERED_CHARS),
        audience: 'public',
      })),
    );
  }

  close(): void {
    this.#memory?.close();
    this.#memory = null;
  }

  #hasMemory({ context }: AgentSpec): boolean {
    const profile = this.#setting.manifests.context_profiles.find(({ id }) => id === context);
    return profile?.sources.includes('memory') ?? false;
  }

  #open(): Memory {
    const { data, manifests } = this.#setting;
    this.#memory ??= openMemory({ dir: join(data, manifests.stores.root) });
    return this.#memory;
  }
}
