import type { OutgoingHttpHeaders } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { Registry } from '@hamlet/contract';
import type { AnswerLinks } from '../proxy/exchange.ts';
import { authorityOf } from '../proxy/destination.ts';
import { LINKS } from './registries.ts';
import type { Upstream } from './reverse-target.ts';

/** Longest start of a link in characters: spaces in JSON, scheme and host. */
const MAX_LINK_BEGIN = 512;
/** Characters to hold back if the chunk has no start of a line or an object. */
const MAX_KEPT = 16_384;
/** Types of answers with links. Packages pass unchanged. */
const INDEX_TYPES = /^(text\/html|application\/(json|vnd\.(npm|pypi)\.[a-z0-9.+-]*))/i;

const originOf = ({ scheme, destination }: Upstream): string => `${scheme}/${authorityOf(destination, scheme)}`;

/** Rewrites links and redirects of a registry to reverse endpoints. */
export class Links implements AnswerLinks {
  readonly #registry: Registry;
  readonly #upstream: Upstream;
  /** Prefix of links to any host: `http://hamlet/pip/at`. */
  readonly #places: string;

  /** @param origin the address of the reverse endpoints, as the program uses it. */
  constructor(registry: Registry, upstream: Upstream, origin: string) {
    this.#registry = registry;
    this.#upstream = upstream;
    this.#places = `${origin}/${registry}/at`;
  }

  get #own(): string {
    return `${this.#places}/${originOf(this.#upstream)}`;
  }

  address(): string {
    return `${this.#own}${this.#upstream.target}`;
  }

  headers(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
    const { location } = headers;
    return typeof location === 'string' ? { ...headers, location: this.#location(location) } : headers;
  }

  /** A stream that rewrites the links of a body; null for a body without links. */
  stream(headers: OutgoingHttpHeaders): Transform | null {
    const begin = LINKS[this.#registry];
    const type = String(headers['content-type'] ?? '');
    // Cargo's index serves its config.json without a content type.
    const isIndex = INDEX_TYPES.test(type) || this.#upstream.target.endsWith('/config.json');
    if (begin === null || !isIndex || (headers['content-encoding'] ?? 'identity') !== 'identity') return null;
    const whole = new RegExp(`(${begin.source})(https?)://(?=[^/"\\s]+)`, 'gi');
    const absolute = new RegExp(`(${begin.source})(?=/[^/])`, 'gi');
    const own = `$1${this.#own}`;
    return new RewriteText((text) => text.replaceAll(whole, `$1${this.#places}/$2/`).replaceAll(absolute, own));
  }

  #location(location: string): string {
    const [, scheme, host = '', rest = ''] = /^(https?):\/\/([^/?#]+)(.*)$/is.exec(location) ?? [];
    if (scheme !== undefined)
      return `${this.#places}/${scheme.toLowerCase()}/${host}${rest.startsWith('/') ? rest : `/${rest}`}`;
    return /^\/(?!\/)/.test(location) ? `${this.#own}${location}` : location;
  }
}

/**
 * Rewrites a text that passes through. It holds back the end of each chunk, so that a link which spans two chunks is
 * rewritten as a whole.
 */
class RewriteText extends Transform {
  readonly #rewrite: (text: string) => string;
  #kept = '';

  constructor(rewrite: (text: string) => string) {
    super();
    this.#rewrite = rewrite;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.#kept + chunk.toString('latin1');
    const cut = Math.max(0, text.length - MAX_LINK_BEGIN);
    const at = this.#boundary(text, cut);
    this.#kept = text.slice(at);
    done(null, Buffer.from(this.#rewrite(text.slice(0, at)), 'latin1'));
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.#rewrite(this.#kept), 'latin1'));
  }

  /** The start of the last line or object before the cut; the cut itself if there is none. */
  #boundary(text: string, cut: number): number {
    const last = Math.max(text.lastIndexOf('{', cut), text.lastIndexOf(',', cut), text.lastIndexOf('<', cut));
    return last > cut - MAX_KEPT ? Math.max(0, last) : cut;
  }
}
