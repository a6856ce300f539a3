/** One OpenAI-compatible server for all models of a village. */
export interface OneServer {
  readonly baseUrl: string;
  readonly model: string;
  /** The server's name of the model for `large`; by default the same. */
  readonly large?: string | undefined;
  readonly credential?: string | undefined;
  /** True for a base model, which uses `/completions` and has no tools and schemas. */
  readonly isBaseModel?: boolean | undefined;
  readonly tools?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** Maximum tokens of a prompt and its answer together, if known. */
  readonly contextTokens?: number | undefined;
}

/** The configuration of a village that serves `small` and `large` from one server. Pure. */
export function oneServerConfig(server: OneServer): object {
  const {
    baseUrl,
    model,
    large = model,
    credential,
    contextTokens,
    isBaseModel = false,
    tools = true,
    json = true,
  } = server;
  const context = contextTokens === undefined ? {} : { contextTokens };
  return {
    providers: {
      model: {
        kind: isBaseModel ? 'completions' : 'compatible',
        baseUrl,
        ...(credential === undefined ? {} : { credential }),
      },
    },
    routes: [
      { match: 'small', provider: 'model', model, ...context },
      { match: 'large', provider: 'model', model: large, ...context },
    ],
    ...(tools && json ? {} : { capabilities: [{ provider: 'model', model: '*', tools, json }] }),
  };
}
