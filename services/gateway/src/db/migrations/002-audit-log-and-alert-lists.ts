import { Migration } from '@mikro-orm/migrations'

export class AuditLogAndAlertLists extends Migration {
  override up(): void {
    const statements = [
      // Lists are read by id, newest first: each filter that names few entries has an index in that order.
      `alter table audit_log add column correlation_id text`,
      `create index audit_log_of_workspace on audit_log (workspace_id, id)`,
      `create index audit_log_action on audit_log (action, id)`,
      `create index audit_log_actor on audit_log (actor, id)`,
      `create index audit_log_subject on audit_log (subject_id, id)`,
      // open_key says which alerts are the same while nobody has acknowledged them; without one an alert stands alone.
      `alter table alerts
         add column open_key text,
         add column times integer not null default 1 check (times >= 1),
         add column last_raised_at timestamptz`,
      `create unique index alerts_open_key on alerts (open_key) where acknowledged_at is null`,
      `create index alerts_unacknowledged on alerts (id) where acknowledged_at is null`,
      `create index alerts_code on alerts (code, id)`,
      `create index alerts_of_workspace on alerts (workspace_id, id)`,
      `alter table alerts add constraint alerts_acknowledged check ((acknowledged_by is null) = (acknowledged_at is null))`,
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
