/** The panel of an agent in the web, from the root of the village. */
export const agentPage = (agentId: string | null, tab: string): string => `/?agent=${agentId}&tab=${tab}`;

/** The page of a run in the web, from the root of the village. */
export const runPage = (runId: string): string => `/?view=runs&run=${runId}`;
