import { Migration } from '@mikro-orm/migrations'

const names = ['first_name', 'last_name', 'company']

const words = [
  ...names.map(
    (name) =>
      `add column ${name}_lower text collate "C" generated always as (nullif(in_lower_case(${name}), '')) stored`,
  ),
  `add column email_domain text collate "C" not null generated always as (split_part(normalized_email, '@', 2)) stored`,
]

const statements = [
  ...['insert', 'update', 'delete'].map((event) => `drop trigger contacts_worded_${event} on contacts`),
  `drop function keep_contact_words()`,
  `drop function words_of(text, text, text, text)`,
  `drop table contact_words`,
  `alter table contacts ${words.join(', ')}`,
  // Without the id: equal names share an entry, so an index is a few bytes a contact and its pages stay in memory.
  ...names.map(
    (name) =>
      `create index contacts_by_${name} on contacts (workspace_id, ${name}_lower) where ${name}_lower is not null`,
  ),
  `create index contacts_by_email_domain on contacts (workspace_id, email_domain)`,
]

/** The words of a new contact cost an import more than the contact itself, when each was a row of a table. */
export class SearchWordsInColumns extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }
}
