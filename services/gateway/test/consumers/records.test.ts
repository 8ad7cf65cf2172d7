import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AlertRaisedSchema, AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { gatewayStage, type GatewayStage } from '../gateway-stage.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

const workspaceId = '0190a3a0-0000-7000-8000-000000000001'
const audit = {
  action: 'contact_suppressed',
  subjectType: 'contact',
  subjectId: 'c1',
  actor: 'admin',
  detail: { scope: 'workspace' },
}

describe('on-audit-recorded', () => {
  test('stores an audit event of any service once, with its workspace', async () => {
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
    const id = await gateway.stage.publish('contacts-consent', AuditRecordedSchema, audit, { workspaceId, trace })
    await gateway.stage.publish('contacts-consent', AuditRecordedSchema, audit, { workspaceId, id })
    const other = await gateway.stage.publish('imports', AuditRecordedSchema, { ...audit, action: 'import_applied' })
    await until(
      async () => (await gateway.stage.query('select 1 from identity.audit_log where id = $1', [other])).length === 1,
    )
    const found = await gateway.stage.query(
      'select action, subject_type, subject_id, actor, actor_kind, trace_id, detail, workspace_id from identity.audit_log where id = $1',
      [id],
    )
    expect(found).toEqual([
      {
        action: audit.action,
        subject_type: 'contact',
        subject_id: 'c1',
        actor: 'admin',
        actor_kind: 'system',
        trace_id: 'a'.repeat(32),
        detail: { scope: 'workspace' },
        workspace_id: workspaceId,
      },
    ])
  })

  test('stores a batch with any content, and a second delivery changes nothing', async () => {
    const burst = Array.from({ length: 150 }, (_, n) => ({
      ...audit,
      action: 'burst_recorded',
      subjectId: `'"${n}\\,{}`,
    }))
    const ids: string[] = []
    for (const one of burst) {
      const id = await gateway.stage.publish('imports', AuditRecordedSchema, one, { workspaceId })
      ids.push(id)
    }
    for (const [n, id] of ids.entries())
      await gateway.stage.publish('imports', AuditRecordedSchema, burst[n]!, { workspaceId, id })
    const last = await gateway.stage.publish('imports', AuditRecordedSchema, { ...audit, detail: {} }, { workspaceId })
    await until(
      async () => (await gateway.stage.query('select 1 from identity.audit_log where id = $1', [last])).length === 1,
    )
    const found = await gateway.stage.query<{ id: string; subject_id: string }>(
      `select id, subject_id from identity.audit_log where action = 'burst_recorded' order by id`,
    )
    expect(found).toEqual(
      ids.map((id, n) => ({ id, subject_id: burst[n]!.subjectId })).sort((a, b) => (a.id < b.id ? -1 : 1)),
    )
  })

  test('no database role can change or delete rows of the audit log', async () => {
    for (const statement of [
      `update identity.audit_log set actor = 'x'`,
      'delete from identity.audit_log',
      'truncate identity.audit_log cascade',
    ]) {
      await expect(gateway.stage.query(statement)).rejects.toThrow(/never changed or removed/)
    }
  })
})

describe('on-alert-raised', () => {
  test('stores an alert until it is acknowledged', async () => {
    const id = await gateway.stage.publish(
      'campaigns-delivery',
      AlertRaisedSchema,
      { code: 'hand_offs_unknown', severity: 'critical', summary: 'Look.', detail: { runs: 1 } },
      { workspaceId },
    )
    const [alert] = await until(async () => {
      const found = await gateway.stage.query(
        'select code, severity, summary, detail, acknowledged_at from identity.alerts where id = $1',
        [id],
      )
      return found.length > 0 ? found : undefined
    })
    expect(alert).toEqual({
      code: 'hand_offs_unknown',
      severity: 'critical',
      summary: 'Look.',
      detail: { runs: 1 },
      acknowledged_at: null,
    })
  })
})
