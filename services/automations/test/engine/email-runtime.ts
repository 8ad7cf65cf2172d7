import { openAutomationEmails } from '@lettergate/campaigns-delivery/test/automation-stage'
import { until } from '@lettergate/stage'
import { schema } from '../../src/db/migrations.ts'
import type { sequence } from './definitions.ts'

export type EmailRuntime = Awaited<ReturnType<typeof openEmailRuntime>>

/** A workspace that may send with a real delivery worker, and the tables of automations. A test starts workers of automations itself. */
export async function openEmailRuntime() {
  const rig = await openAutomationEmails({ schemas: [schema] })
  let counter = 0

  return {
    ...rig,
    /** The targets of a worker of automations. */
    targets: {
      CONTACTS_CONSENT_TARGET: rig.env.CONTACTS_CONSENT_TARGET,
      CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${rig.workerApp.rpcPort}`,
      CAMPAIGNS_WORKER_TARGET: `127.0.0.1:${rig.workerApp.rpcPort}`,
      IDENTITY_TARGET: rig.env.IDENTITY_TARGET,
    },
    emailNode: (more: object = {}) => ({
      type: 'send_email',
      config: { content_version_id: rig.contentVersionId, sender_identity_id: rig.senderId, ...more },
    }),
    /** Stores a published automation. Its content and sender are known to exist, so no other service is asked. */
    async published(definition: ReturnType<typeof sequence>, subjectId: string) {
      counter += 1
      const { type } = definition.trigger as { type: string }
      const [{ id }] = (await rig.stage.query<{ id: string }>(
        `with made as (
           insert into automations.automations (workspace_id, id, name, slug, status, current_version, published_version_id, published_by_wallet_id,
                                                published_at, trigger_type, trigger_subject_id)
           select $1, gen_random_uuid(), 'A', 'e-' || $2::int, 'published', 1, gen_random_uuid(), 'u', now(), $5, $3 returning *)
         insert into automations.automation_versions (workspace_id, id, automation_id, version, trigger_type, definition, definition_checksum,
                                                      validation, preview, created_by_wallet_id)
         select workspace_id, published_version_id, id, 1, $5, $4, repeat('0', 64), '{}', '{}', 'u' from made
         returning automation_id as id`,
        [rig.workspaceId, counter, subjectId, JSON.stringify(definition), type],
      )) as [{ id: string }]
      return id
    },
    /** Resolves when this many enrollments of an automation have ended, with how. */
    ended: (automationId: string, count: number) =>
      until(
        async () => {
          const rows = await rig.stage.query<{ end_state: string }>(
            'select end_state from automations.enrollments where automation_id = $1 and end_state is not null',
            [automationId],
          )
          return rows.length >= count && rows.map((row) => row.end_state)
        },
        { what: `${count} ended enrollments` },
      ),
    /** Makes every contact of an automation due who is due later. */
    retryNow: (automationId: string) =>
      rig.stage.query(
        `with moved as (
           update automations.enrollment_positions set due_at = now()
            where automation_id = $1 and due_at > now() returning workspace_id, due_at, enrollment_id)
         insert into automations.due_enrollments (workspace_id, due_at, enrollment_id) select * from moved`,
        [automationId],
      ),
    /** Resolves when the step of the only contact of an automation was tried and is due again later. */
    postponed: (automationId: string) =>
      until(
        async () =>
          (
            await rig.stage.query(
              `select from automations.due_enrollments d join automations.enrollment_positions p using (workspace_id, enrollment_id)
                where p.automation_id = $1 and d.due_at > p.arrived_at`,
              [automationId],
            )
          ).length === 1,
        { what: 'a step that is due again' },
      ),
    /** Why the step of the only contact of an automation waits, and the state of the contact. */
    waitingOf: (automationId: string) =>
      rig.stage.query<{ waiting_reason: string | null; state: string }>(
        'select waiting_reason, state from automations.enrollment_positions where automation_id = $1',
        [automationId],
      ),
    stepsOf: (automationId: string) =>
      rig.stage.query<{
        node_key: string
        outcome: string
        reasons: string[]
        message_id: string | null
        audience_id: string | null
      }>(
        `select s.node_key, s.outcome, s.reasons, s.message_id, s.audience_id from automations.enrollment_steps s
           join automations.enrollments e on e.id = s.enrollment_id where e.automation_id = $1 order by s.enrollment_id, s.number`,
        [automationId],
      ),
    /** Resolves when a contact waits in an automation, and ends the wait. */
    endWait: (automationId: string) =>
      until(
        async () =>
          (
            await rig.stage.query(
              `with ended as (
                 update automations.enrollment_positions set due_at = now(), wait_until = now()
                  where automation_id = $1 and state = 'waiting' and wait_until > now() returning workspace_id, due_at, enrollment_id)
               insert into automations.due_enrollments (workspace_id, due_at, enrollment_id) select * from ended returning 1`,
              [automationId],
            )
          ).length > 0,
        { what: 'a contact who waits' },
      ),
    scoreOf: async (contactId: string) =>
      (await rig.stage.query<{ score: number }>('select score from contacts.contacts where id = $1', [contactId]))[0]!
        .score,
  }
}
