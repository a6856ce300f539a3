/** Share of the model's context from which the history is replaced by a summary. */
const DUE = 0.8;

/**
 * True if the last request had so many tokens that the history needs a summary. Only a count of the provider decides,
 * never an estimate.
 */
export const isCompactionDue = (promptTokens: number, contextTokens: number): boolean =>
  promptTokens >= contextTokens * DUE;
