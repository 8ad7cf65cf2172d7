import { Migration } from '@mikro-orm/migrations'

/**
 * In a database that was never analysed, the planner expects one unresolved suppression in a workspace, and looked up a contact in
 * the index of the list, which does not name the contact. The predicate with num_nulls serves only a query that has the same words.
 */
export class PlansWithoutStatistics extends Migration {
  override up() {
    this.addSql(`drop index suppressions_standing`)
    this.addSql(
      `create index suppressions_standing on suppressions (workspace_id, id) where num_nulls(resolved_at) = 1`,
    )
  }
}
