/** The order of two texts by their code units: the same on each machine, and without the tables of localeCompare, which take 3 MB. Pure. */
export const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
