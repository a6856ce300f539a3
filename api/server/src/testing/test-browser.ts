/** A browser without pages: it follows redirects up to the first page, and sends the cookies of an origin only to that origin. */
export class TestBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Visited addresses, in order. */
  readonly visited: string[] = [];
  readonly #accept: string;

  constructor(options: { readonly accept?: string } = {}) {
    this.#accept = options.accept ?? 'text/html';
  }

  /** Opens an address and follows redirects until `stopAt` returns true for the next address. Returns the last answer. */
  async open(url: string, stopAt: (next: URL) => boolean = () => false): Promise<Response> {
    let at = new URL(url);
    for (let hops = 0; hops < REDIRECTS_MAX; hops += 1) {
      this.visited.push(at.href);
      const response = await fetch(at, {
        redirect: 'manual',
        headers: { accept: this.#accept, cookie: this.cookieAt(at.origin) },
      });
      this.#keep(at.origin, response);
      const location = response.headers.get('location');
      if (location === null) return response;
      const next = new URL(location, at);
      if (stopAt(next)) return response;
      await response.body?.cancel();
      at = next;
    }
    throw new Error(`redirected more than ${REDIRECTS_MAX} times: ${this.visited.join(' ')}`);
  }

  /** The last visited address. */
  get address(): string {
    return this.visited.at(-1) ?? '';
  }

  /** The Cookie header for an origin. */
  cookieAt(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(origin: string, response: Response): void {
    const kept = this.#cookies.get(origin) ?? new Map<string, string>();
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      if (value.join('=') === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) kept.delete(name);
      else kept.set(name, value.join('='));
    }
    this.#cookies.set(origin, kept);
  }
}

const REDIRECTS_MAX = 20;
