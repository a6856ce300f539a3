/**
 * One thing that can be true of a person. Texts have slots: {S} the person as a subject, {P} the person's, {O} the person
 * as an object, {v} the value of the fact, {x} another value of the same topic. A person fits each slot as a name, a
 * relation or a pronoun.
 */
export interface Topic {
  readonly name: string;
  readonly values: readonly string[];
  /** Statements of the fact. */
  readonly says: readonly string[];
  /** Statements of a change; absent if a person can have several values at once. */
  readonly changes?: readonly string[];
  /** Questions in the words of the statements. */
  readonly asks: readonly string[];
  /** Questions in other words. */
  readonly rephrases: readonly string[];
  /** Questions for all facts of the topic about one person. */
  readonly gathers?: readonly string[];
  /** Questions for the time of the fact. */
  readonly whens?: readonly string[];
  /** The person, described by the fact, as a question about another fact names it. */
  readonly describes?: readonly string[];
  /** Questions for all people with the same value. */
  readonly shares?: readonly string[];
  /** Talk in the same words that says nothing to keep. */
  readonly chatter: readonly string[];
}
