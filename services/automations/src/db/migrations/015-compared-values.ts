import { ownSearchPath } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** What the conditions of a decision looked at. Values of a contact are removed with it; all else of a step is never changed. */
export class ComparedValues extends Migration {
  override up(): void {
    for (const statement of [...steps, ...ownSearchPath()]) this.addSql(statement)
  }
}

const kept = `workspace_id, enrollment_id, number, step_id, node_key, node_type, outcome, reasons, branch, message_id, audience_id, started_at, finished_at`

const steps = [
  `alter table enrollment_steps add column compared jsonb`,
  `drop trigger enrollment_steps_append_only on enrollment_steps`,
  `create trigger enrollment_steps_kept before delete or update of ${kept} on enrollment_steps for each row execute function refuse_change()`,
  `create trigger enrollment_steps_compared_erased before update of compared on enrollment_steps for each row
     when (new.compared is not null) execute function refuse_change()`,
  `create index enrollment_steps_with_values on enrollment_steps (workspace_id, enrollment_id) where compared is not null`,
]
