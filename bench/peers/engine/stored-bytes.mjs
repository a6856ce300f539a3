import pg from 'pg';

/** Bytes of all tables outside of Postgres' own schemas, after a vacuum. */
export async function storedBytes(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('vacuum full');
  const { rows } = await client.query(
    `select coalesce(sum(pg_total_relation_size(oid)), 0) as bytes from pg_class
     where relkind = 'r' and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema', 'pg_toast')`,
  );
  await client.end();
  return Number(rows[0].bytes);
}
