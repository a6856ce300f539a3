import { type RawBuilder, sql } from 'kysely';

/** A person who reads about runs. */
export interface TextReader {
  readonly role: string;
  readonly id: string;
}

/** True if the person reads the texts of the row `run`, as `seesTexts` of the API decides. */
export const seesTexts = ({ role, id }: TextReader): RawBuilder<boolean> => sql<boolean>`(case
  when run.session_id is not null then exists (select from session_person p where p.session_id = run.session_id and p.person_id = ${id})
  else ${role}::text = 'admin' or (run.created_by_role = ${role} and run.created_by_id = ${id}) end)`;
