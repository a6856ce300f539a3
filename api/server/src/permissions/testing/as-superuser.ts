import { openSuperuser } from '@hamlet/test/env/superuser';
import type { TestVillage } from '../../testing/test-village.ts';

/** Lets a permission expire, which no database role of the village can do. */
export async function outlast({ postgres }: TestVillage, permissionId: string): Promise<void> {
  const superuser = openSuperuser(postgres);
  await superuser.run('alter table permission disable trigger goes_forward');
  await superuser.run(
    `update permission set asked_at = asked_at - interval '2 days', expires_at = clock_timestamp() where permission_id = '${permissionId}'`,
  );
  await superuser.run('alter table permission enable always trigger goes_forward');
  await superuser.close();
}

/** The number of posts with a title, hidden ones included. */
export async function countPosts({ postgres }: TestVillage, title: string): Promise<number> {
  const superuser = openSuperuser(postgres);
  const [row] = await superuser.run(`select count(*)::integer as posts from board.post where title = '${title}'`);
  await superuser.close();
  return Number(row?.['posts']);
}
