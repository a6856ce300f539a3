import type { CheckedRules as CheckedExamples } from '@hamlet/core/rules';
import type { CheckableTools } from './cached-objects.ts';

/** The result of the examples of rules, and the names that are no tool and no class, each with the fix. */
export interface CheckedRules extends CheckedExamples {
  readonly unknown: readonly string[];
}

/**
 * Checks names of tools, and the examples of rules. Null until the parser of shell commands is loaded; undefined if there is nothing to say,
 * because the rules have no examples and each name is known, or not checked yet.
 */
export type CheckRules = (tools: CheckableTools) => CheckedRules | null | undefined;

/** A part that loads in the background once it is needed; null until it is there. */
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

export interface CheckerPorts {
  readonly onLoad: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * A checker of rules, by the functions with which the API checks them. The first rules begin to load the names of tools, and the first
 * examples the parser, which takes more than 10 MB. `onLoad` is called once they are there; a load that fails begins again with the next
 * question.
 */
export function createRuleChecker(ports: CheckerPorts): CheckRules {
  const core = new Loading(() => import('@hamlet/core/rules'), ports);
  const parser = new Loading(loadParser, ports);
  // The object is another one with each change of its spec.
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
