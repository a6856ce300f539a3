import type { BoardHint, RunHint, Wake } from '@hamlet/contract';
import type { Stream } from '@hamlet/store';
import type { AgentActor } from '../http/actor.ts';
import type { EventSink } from '../http/event-sink.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import type { Log } from '../service/log.ts';
import type { AgentSource } from '../agents/agent-source.ts';
import { isBarred, type StandingCache } from '../standing/standing-cache.ts';
import type { PresenceCache } from '../agents/presence-cache.ts';

/** Wakes kept for a resident that reconnects: 64 for each of 1,000 agents take 8 MB. */
const KEPT_WAKES = 16;

interface OpenStream {
  readonly stream: Stream;
  readonly sink: EventSink;
}

interface HubPorts {
  readonly source: AgentSource;
  readonly presence: PresenceCache;
  readonly standing: StandingCache;
  readonly log: Log;
}

export class WakeHub {
  /** Open streams by agent. An agent has one, or two while a newer stream replaces the older. */
  readonly #open = new Map<string, Set<OpenStream>>();
  readonly #kept = new Map<string, Wake[]>();
  readonly #ports: HubPorts;

  constructor(ports: HubPorts) {
    this.#ports = ports;
    ports.source.onChange(() => this.#review());
    ports.presence.onChange(() => this.#review());
    ports.standing.onChange(() => this.#review());
  }

  wake(agentId: string, wake: Wake): void {
    const kept = this.#kept.get(agentId) ?? [];
    kept.push(wake);
    if (kept.length > KEPT_WAKES) kept.shift();
    this.#kept.set(agentId, kept);
    for (const { sink } of this.#open.get(agentId) ?? []) sink.send('wake', wake, String(wake.seq));
  }

  /** Notifies an agent of a run. The hub does not store the hint, because a resident asks for its next run whenever it connects. */
  hint(agentId: string, hint: RunHint): void {
    for (const { sink } of this.#open.get(agentId) ?? []) sink.send('run', hint);
  }

  hintBoard(agentId: string, hint: BoardHint): void {
    for (const { sink } of this.#open.get(agentId) ?? []) sink.send('board', hint);
  }

  streams(): readonly Stream[] {
    return this.#all().map(({ stream }) => stream);
  }

  forget(agentId: string): void {
    this.#kept.delete(agentId);
  }

  /** Opens the stream of an agent's life and cycle: the agent is connected from now on, and its older streams end. */
  async open(agent: AgentActor, after: number | undefined, sink: EventSink): Promise<Outcome<() => void>> {
    const { agentId, uid, cycle } = agent;
    const stream = await this.#ports.presence.connect({ agentId, uid, cycle });
    if (stream === null) return refused('stale_cycle');
    for (const other of this.#open.get(agentId) ?? []) this.#end(other, cycle > other.stream.cycle ? cycle : undefined);
    if (after !== undefined)
      for (const wake of this.#kept.get(agentId) ?? []) if (wake.seq > after) sink.send('wake', wake, String(wake.seq));
    const opened = { stream, sink };
    this.#open.set(agentId, (this.#open.get(agentId) ?? new Set<OpenStream>()).add(opened));
    this.#review();
    return accepted(() => {
      this.#remove(opened);
      this.#ports.presence
        .disconnect(stream)
        .catch((error: unknown) =>
          this.#ports.log('warn', 'a disconnect was not recorded', { agent_id: agentId, error }),
        );
    });
  }

  get size(): number {
    return this.#all().length;
  }

  closeAll(): void {
    for (const { sink } of this.#all()) sink.close();
  }

  /** Ends each stream whose cycle or life is over, whose agent is barred, or that a newer stream on another replica has replaced. */
  #review(): void {
    for (const open of this.#all()) {
      if (isBarred(this.#ports.standing.get(open.stream.agentId))) {
        this.#end(open, undefined);
        continue;
      }
      const cycle = this.#newestCycle(open.stream);
      const row = this.#ports.presence.get(open.stream.agentId);
      if (cycle === null || cycle > open.stream.cycle) this.#end(open, cycle ?? undefined);
      else if (row !== null && row.streamNo > open.stream.streamNo)
        this.#end(open, row.cycle > open.stream.cycle ? row.cycle : undefined);
    }
  }

  /** Null if the agent is gone. If another life has begun, a number above the stream's cycle. */
  #newestCycle({ agentId, uid, cycle }: Stream): number | null {
    const record = this.#ports.source.get(agentId);
    if (record === null) return this.#ports.source.ready ? null : cycle;
    return record.uid === uid ? (record.status.cycle ?? 0) : cycle + 1;
  }

  #all(): readonly OpenStream[] {
    return [...this.#open.values()].flatMap((streams) => [...streams]);
  }

  #remove(open: OpenStream): void {
    const streams = this.#open.get(open.stream.agentId);
    streams?.delete(open);
    if (streams?.size === 0) this.#open.delete(open.stream.agentId);
  }

  /** Ends a stream. A resident that receives a newer cycle ends its process; without one it may reconnect. */
  #end(open: OpenStream, cycle: number | undefined): void {
    if (cycle !== undefined) open.sink.send('cycle', { cycle });
    this.#remove(open);
    open.sink.close();
  }
}
