import { Migration } from '@mikro-orm/migrations'

/**
 * Statistics of workspaces say that a workspace without rows at the last `analyze` has one row, so any index that begins with the
 * workspace looks as good as the one with the contact. Without these statistics the planner expects a share of the table.
 */
export class PlansForUnknownWorkspaces extends Migration {
  override up() {
    this.addSql(`alter table suppressions alter column workspace_id set statistics 0`)
  }
}
