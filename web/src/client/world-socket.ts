import { backoffMs } from './backoff.ts'

/** How the live connection is. `lagging`: open, but silent for too long. */
export type Connection = 'connecting' | 'live' | 'lagging' | 'reconnecting'

export interface SocketHandlers {
  /** A binary frame arrived. */
  frame(bytes: Uint8Array): void
  connection(state: Connection): void
  /** What to say first on a new connection. */
  greeting(): readonly object[]
}
export interface WorldSocket { send(message: object): void; close(): void }

/** The server sends at least its clock every half second. */
const LAG_MS = 4000
const DEAD_MS = 15_000
const WATCH_MS = 1000

/** Keeps a connection to `/ws/world` for as long as it is not closed, and resumes where it left off. */
export function openWorldSocket(url: string, handlers: SocketHandlers): WorldSocket {
  const line = new Line(url, handlers)
  line.connect()
  return line
}

/** Mutable because a connection is. */
class Line implements WorldSocket {
  readonly #url: string
  readonly #handlers: SocketHandlers
  #socket: WebSocket | null = null
  #attempt = 0
  #heardMs = 0
  #timers: ReturnType<typeof setTimeout>[] = []
  #closed = false

  constructor(url: string, handlers: SocketHandlers) {
    this.#url = url
    this.#handlers = handlers
  }

  connect(): void {
    const socket = new WebSocket(this.#url)
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      this.#heardMs = performance.now()
      for (const message of this.#handlers.greeting()) this.send(message)
      this.#watch()
    })
    socket.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (!(event.data instanceof ArrayBuffer)) return
      this.#heardMs = performance.now()
      this.#attempt = 0
      this.#handlers.connection('live')
      this.#handlers.frame(new Uint8Array(event.data))
    })
    socket.addEventListener('close', () => { if (this.#socket === socket) this.#again() })
  }

  send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  close(): void {
    this.#closed = true
    this.#clearTimers()
    this.#socket?.close()
  }

  #again(): void {
    this.#clearTimers()
    if (this.#closed) return
    this.#handlers.connection('reconnecting')
    this.#timers.push(setTimeout(() => this.connect(), backoffMs(this.#attempt, Math.random())))
    this.#attempt += 1
  }

  #watch(): void {
    this.#timers.push(setInterval(() => {
      const silentMs = performance.now() - this.#heardMs
      if (silentMs > LAG_MS) this.#handlers.connection('lagging')
      // A dead line may not say so for minutes: give it up and come back.
      if (silentMs > DEAD_MS) { const dead = this.#socket; this.#socket = null; dead?.close(); this.#again() }
    }, WATCH_MS))
  }

  #clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers = []
  }
}
