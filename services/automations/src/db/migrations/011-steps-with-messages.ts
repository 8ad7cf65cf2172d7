import { ownSearchPath } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Finds the messages and the joined audiences of an enrollment without reading its other steps, of which it has up to 10,000. */
export class StepsWithMessages extends Migration {
  override up(): void {
    for (const statement of [...indexes, ...ownSearchPath()]) this.addSql(statement)
  }
}

const indexes = [
  `create index enrollment_steps_with_messages on enrollment_steps (workspace_id, enrollment_id, number) where message_id is not null`,
  `create index enrollment_steps_joined on enrollment_steps (workspace_id, enrollment_id, node_key, number) where node_type = 'add_audience'`,
]
