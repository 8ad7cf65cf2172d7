import { Migration } from '@mikro-orm/migrations'
import { ownSearchPath } from '@lettergate/database/ddl'

const wordsOf = (rows: string) => `
  select c.workspace_id, w.word, c.id
    from ${rows} c, words_of(c.first_name, c.last_name, c.company, c.normalized_email) as w (word)`

/** As in 016, but the words of new contacts are inserted without a lookup: a new contact has none yet. */
const keepWords = `create or replace function keep_contact_words() returns trigger language plpgsql security definer set search_path from current as $$
   declare
     workspaces uuid[];
     gone text[];
     ids uuid[];
   begin
     if tg_op = 'INSERT' then
       -- in the order of the index, so that neighbours go to the same page
       insert into contact_words (workspace_id, word, contact_id)
       select distinct * from (${wordsOf('now_rows')}) added order by 1, 2, 3;
       return null;
     elsif tg_op = 'UPDATE' then
       if not exists (
         select 1 from was_rows w join now_rows n using (workspace_id, id)
          where (w.first_name, w.last_name, w.company, w.normalized_email)
                is distinct from (n.first_name, n.last_name, n.company, n.normalized_email)) then
         return null;
       end if;
       select array_agg(g.workspace_id), array_agg(g.word), array_agg(g.id) into workspaces, gone, ids
         from (${wordsOf('was_rows')} except ${wordsOf('now_rows')}) g;
       insert into contact_words (workspace_id, word, contact_id)
       ${wordsOf('now_rows')} except ${wordsOf('was_rows')} on conflict do nothing;
     else
       select array_agg(c.workspace_id), array_agg(c.word), array_agg(c.id) into workspaces, gone, ids
         from (${wordsOf('was_rows')}) c;
     end if;
     -- by arrays, because their length is known to the planner: what it takes for many it would look for in the whole table
     delete from contact_words d using unnest(workspaces, gone, ids) as g (workspace_id, word, id)
      where d.workspace_id = g.workspace_id and d.word = g.word and d.contact_id = g.id;
     return null;
   end $$`

/** Imports add a thousand contacts in a statement. */
export class WordsOfNewContacts extends Migration {
  override up(): void {
    for (const statement of [keepWords, ...ownSearchPath()]) this.addSql(statement)
  }
}
