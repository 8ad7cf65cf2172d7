import { Automations } from '@lettergate/contracts/automations/v1/automations'
import { openContent } from '@lettergate/campaigns-delivery/test/content-stage'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { start } from '../src/service.ts'

const nobody = '127.0.0.1:9'

export type AutomationsStage = Awaited<ReturnType<typeof openAutomations>>

/** automations in its api role, with campaigns-delivery, contacts-consent and sending-infra. The gateway does not run. */
export async function openAutomations() {
  const content = await openContent([schema])
  const boot = (more: Record<string, string> = {}) =>
    content.stage.boot('automations', start, loadConfig, {
      CONTACTS_CONSENT_TARGET: `127.0.0.1:${content.contactsApp.rpcPort}`,
      CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${content.campaignsApp.rpcPort}`,
      CAMPAIGNS_WORKER_TARGET: nobody,
      IDENTITY_TARGET: nobody,
      ...more,
    })
  const app = await boot()
  return {
    ...content,
    app,
    automations: await content.stage.client(Automations, app.rpcPort!),
    /** A second replica. */
    replica: async (env: Record<string, string>) => content.stage.client(Automations, (await boot(env)).rpcPort!),
  }
}

/** An automation that does nothing: its only node is its end. */
export const emptyDefinition = {
  trigger: { type: 'manual', config: {} },
  start_node: 'end',
  nodes: [{ key: 'end', type: 'end', config: {} }],
  edges: [],
}
