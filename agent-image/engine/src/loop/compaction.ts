/** Share of the model's context from which the history is replaced by a summary. */
const DUE = 0.8;

/** True if the provider counted so many tokens in the last request that the history needs a summary. An estimate does not decide. */
export const isCompactionDue = (promptTokens: number, contextTokens: number): boolean =>
  promptTokens >= contextTokens * DUE;
