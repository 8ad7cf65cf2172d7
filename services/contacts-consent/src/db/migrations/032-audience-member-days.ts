import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

const statements = [
  // The active members of an audience at the end of a day of UTC; of today, when they were last counted.
  `create table audience_member_days (
     workspace_id uuid not null,
     audience_id uuid not null,
     day date not null,
     members integer not null check (members >= 0),
     primary key (workspace_id, audience_id, day),
     foreign key (workspace_id, audience_id) references audiences (workspace_id, id) on delete cascade)`,
  `create index audience_member_days_by_day on audience_member_days (day)`,
  ...tenantTable('audience_member_days'),
]

/** The members of audiences over time. */
export class AudienceMemberDays extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }
}
