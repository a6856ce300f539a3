/** The first Postgres with all functions that the migrations use, such as uuidv7(), as in `server_version_num`. */
const FIRST = 180_000;
const PER_MAJOR = 10_000;

/** Throws an Error with the fix if Postgres is too old for the migrations. */
export function requireServerVersion(serverVersionNum: number): void {
  if (serverVersionNum >= FIRST) return;
  const [found, needed] = [serverVersionNum, FIRST].map((version) => Math.floor(version / PER_MAJOR));
  throw new Error(
    `the database server is Postgres ${found}, and a village needs ${needed} or newer. Fix: upgrade it, or leave postgres.external.host empty, so that the village brings its own`,
  );
}
