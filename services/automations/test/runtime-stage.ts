import { Automations } from '@lettergate/contracts/automations/v1/automations'
import type { CallScope } from '@lettergate/service'
import { openContent } from '@lettergate/campaigns-delivery/test/content-stage'
import { loadConfig as loadGatewayConfig } from '@lettergate/gateway/config'
import { schema as identitySchema } from '@lettergate/gateway/migrations'
import { start as startGateway } from '@lettergate/gateway/service'
import { startWallet } from '@lettergate/local/wallet/wallet'
import { until } from '@lettergate/stage'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { start } from '../src/service.ts'

const nobody = '127.0.0.1:9'

export type RuntimeStage = Awaited<ReturnType<typeof openRuntime>>

/** automations with both roles and the services that they ask. Without `hasWorker`, a test starts workers itself. */
export async function openRuntime({ hasWorker = true } = {}) {
  const content = await openContent([schema, identitySchema])
  const { stage } = content
  const wallet = await startWallet({ clientId: 'lettergate', clientSecret: 'test-wallet-secret' })
  const gateway = await stage.boot('gateway', startGateway, loadGatewayConfig, {
    BASE_URL: 'http://lettergate.test',
    WALLET_BASE_URL: wallet.url,
    WALLET_CLIENT_ID: 'lettergate',
    WALLET_CLIENT_SECRET: 'test-wallet-secret',
    CONTACTS_CONSENT_TARGET: `127.0.0.1:${content.contactsApp.rpcPort}`,
    SENDING_INFRA_TARGET: nobody,
    CAMPAIGNS_DELIVERY_TARGET: nobody,
    IMPORTS_TARGET: nobody,
    AUTOMATIONS_TARGET: nobody,
    WEBHOOK_INTAKE_TARGET: nobody,
  })
  const env = {
    CONTACTS_CONSENT_TARGET: `127.0.0.1:${content.contactsApp.rpcPort}`,
    CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${content.campaignsApp.rpcPort}`,
    CAMPAIGNS_WORKER_TARGET: nobody,
    IDENTITY_TARGET: `127.0.0.1:${gateway.rpcPort}`,
  }
  const app = await stage.boot('automations', start, loadConfig, env)
  const worker = (more: Record<string, string> = {}) =>
    stage.boot('automations', start, loadConfig, { ...env, ...more, ROLE: 'worker' })
  if (hasWorker) await worker()
  const automations = await stage.client(Automations, app.rpcPort!)
  let counter = 0

  return {
    ...content,
    app,
    env,
    worker,
    automations,
    async contact(caller: CallScope = content.us, more: object = {}) {
      counter += 1
      const email = `person${counter}@example.test`
      const { contact } = await content.contacts.upsertContact(caller, { email, source: 'test', ...more })
      return contact!.id
    },
    /** Creates, reviews and publishes an automation. */
    async published(definition: object, caller: CallScope = content.us) {
      const { id } = await this.reviewed(definition, caller)
      await automations.publishAutomation(caller, { automationId: id })
      return id
    },
    async reviewed(definition: object, caller: CallScope = content.us) {
      counter += 1
      const made = { name: 'A', slug: `r-${counter}`, definition: definition as never }
      const { automation } = await automations.createAutomation(caller, made)
      await this.review(automation!, caller)
      return automation!
    },
    review(
      { id, selectedVersion: version }: { id: string; selectedVersion?: { id: string; definitionChecksum: string } },
      caller: CallScope = content.us,
    ) {
      return automations.markAutomationReadyForReview(caller, {
        automationId: id,
        versionId: version!.id,
        definitionChecksum: version!.definitionChecksum,
      })
    },
    async subscribe(contactId: string, audienceId: string, caller: CallScope = content.us) {
      await content.contacts.subscribeContact(caller, {
        contactId,
        audienceId,
        source: 'test',
        wordingVersion: '1',
        evidence: { form: 'test' },
      })
    },
    /** The steps of the only enrollment of an automation, in order. */
    steps: (automationId: string) =>
      stage.query<StepShown>(
        `select s.number, s.node_key, s.node_type, s.outcome, s.reasons, s.branch, s.finished_at
           from automations.enrollment_steps s join automations.enrollments e on e.id = s.enrollment_id
          where e.automation_id = $1 order by s.enrollment_id, s.number`,
        [automationId],
      ),
    /** Resolves when the only enrollment of an automation is in this state. */
    inState: (automationId: string, state: string) =>
      until(
        async () => {
          const [found] = await stage.query<{ state: string }>(
            `select coalesce(e.end_state, p.state) as state
               from automations.enrollments e left join automations.enrollment_positions p on p.enrollment_id = e.id
              where e.automation_id = $1`,
            [automationId],
          )
          return found?.state === state
        },
        { what: `an enrollment that is ${state}` },
      ),
    /** Resolves when this many enrollments of an automation are completed. */
    completed: (automationId: string, count: number) =>
      until(async () => {
        const [row] = await stage.query<{ count: number }>(
          `select count(*)::int as count from automations.enrollments where automation_id = $1 and end_state = 'completed'`,
          [automationId],
        )
        return row!.count >= count
      }),
    /** Resolves when this many contacts of an automation are set aside. */
    held: (automationId: string, count: number) =>
      until(async () => {
        const rows = await stage.query('select from automations.held_enrollments where automation_id = $1', [
          automationId,
        ])
        return rows.length >= count
      }),
    /** The enrollments of an automation, oldest first, each with its state. */
    enrollments: (automationId: string) =>
      stage.query<EnrollmentShown>(
        `select e.id, e.contact_id, e.version_id, e.audience_id, e.trace, coalesce(e.end_state, p.state) as state, p.node_key
           from automations.enrollments e left join automations.enrollment_positions p on p.enrollment_id = e.id
          where e.automation_id = $1 order by e.id`,
        [automationId],
      ),
    async setGate(isOpen: boolean) {
      await stage.query(`update identity.platform_gates set stored = $1 where name = 'automation_enabled'`, [isOpen])
    },
    /** Resolves when a consumer of this worker has handled this many events. */
    handled: ({ healthPort }: { healthPort: number }, consumer: string, count: number) =>
      until(async () => {
        const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()
        const line = text.split('\n').find((one) => one.includes(`consumer="${consumer}"`) && one.includes('"handled"'))
        return Number(line?.split(' ').at(-1)) >= count
      }),
    async close() {
      await stage.close()
      await wallet.stop()
    },
  }
}

interface StepShown {
  number: number
  node_key: string
  node_type: string
  outcome: string
  reasons: string[]
  branch: string | null
  finished_at: Date
}

interface EnrollmentShown {
  id: string
  contact_id: string
  version_id: string
  audience_id: string | null
  trace: Record<string, string>
  state: string
  node_key: string | null
}
