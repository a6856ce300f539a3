const USUAL_S = 5;

/** How long a connection is waited for: as the address of the database says in seconds (`?connect_timeout=`, as libpq has it), else five seconds. Pure. */
export function connectLimitMs(url: string): number {
  const seconds = Number(URL.parse(url)?.searchParams.get('connect_timeout') ?? USUAL_S);
  return (seconds > 0 ? seconds : USUAL_S) * 1_000;
}
