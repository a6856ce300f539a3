import type { CheckedRules as CheckedExamples } from '@hamlet/core/rules';
import type { CheckableTools } from './cached-objects.ts';

/** The result of the examples of rules, and the names that are neither a tool nor a class, each with the fix. */
export interface CheckedRules extends CheckedExamples {
  readonly unknown: readonly string[];
}

/**
 * Checks names of tools, and the examples of rules. Null until the parser of shell commands is loaded; undefined if there is
 * nothing to report, because the rules have no examples and each name is known, or not checked yet.
 */
export type CheckRules = (tools: CheckableTools) => CheckedRules | null | undefined;

/** A part that loads in the background when it is first needed; null until then. */
class Loading<Part> {
  #part: Part | null = null;
  #isLoading = false;
  readonly #load: () => Promise<Part>;
  readonly #ports: CheckerPorts;

  constructor(load: () => Promise<Part>, ports: CheckerPorts) {
    this.#load = load;
    this.#ports = ports;
  }

  get(): Part | null {
    if (this.#part !== null || this.#isLoading) return this.#part;
    this.#isLoading = true;
    void this.#begin();
    return null;
  }

  async #begin(): Promise<void> {
    try {
      this.#part = await this.#load();
    } catch (error) {
      this.#ports.onError(error);
      return;
    } finally {
      this.#isLoading = false;
    }
    this.#ports.onLoad();
  }
}

async function loadParser(): Promise<(command: string) => readonly string[]> {
  const { openShell, readCommandOf } = await import('@hamlet/shell');
  const parse = await openShell();
  return (command) => readCommandOf(parse, command).classes;
}

interface CheckerPorts {
  readonly onLoad: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * A checker of rules, with the API's own functions. The first rules start loading the names of tools, and the first examples
 * start loading the parser, which takes more than 10 MB. `onLoad` is called after that; a failed load is retried at the next
 * check.
 */
export function createRuleChecker(ports: CheckerPorts): CheckRules {
  const core = new Loading(() => import('@hamlet/core/rules'), ports);
  const parser = new Loading(loadParser, ports);
  // Each change of the spec creates a new object.
  const known = new WeakMap<CheckableTools, CheckedRules>();
  return (tools) => {
    const found = known.get(tools);
    if (found !== undefined) return found;
    const { rules, allow } = tools;
    const hasExamples = rules.some(({ examples }) => examples !== undefined);
    const [names, classesOf] = [core.get(), hasExamples ? parser.get() : () => null];
    if (names === null || classesOf === null) return hasExamples ? null : undefined;
    const checked = { ...names.checkExamples(rules, classesOf), unknown: names.unknownNames(rules, allow) };
    if (!hasExamples && checked.unknown.length === 0) return undefined;
    known.set(tools, checked);
    return checked;
  };
}
