import { ownSearchPath } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Users write the reason of a control, and it may name a person. So it is removed with the contact; all else is never changed. */
export class ErasedReasons extends Migration {
  override up(): void {
    for (const statement of [...events, ...ownSearchPath()]) this.addSql(statement)
  }
}

const events = [
  `drop trigger enrollment_events_append_only on enrollment_events`,
  `create trigger enrollment_events_kept before delete or update of workspace_id, enrollment_id, id, event, actor, step_id, at
     on enrollment_events for each row execute function refuse_change()`,
  `create trigger enrollment_events_reason_erased before update of reason on enrollment_events for each row
     when (new.reason is not null) execute function refuse_change()`,
  `create index enrollment_events_with_text on enrollment_events (workspace_id, enrollment_id) where reason is not null and actor <> 'system'`,
]
