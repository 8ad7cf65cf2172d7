import { randomUUID } from 'node:crypto'
import { campaignsServices } from './campaigns-services.ts'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { readySender } from '@lettergate/gateway/test/people-and-senders'

export interface ReadyStage {
  gateway: GatewayStage
  senderId: string
  templateId: string
  contentVersionId: string
}

/** A workspace that meets every condition of scheduling. */
export async function readyToSend(): Promise<ReadyStage> {
  const gateway = await gatewayStage({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' }, campaignsServices)
  await readySender(gateway, newsletter)
  await gateway.stage.query('update sending.sender_identities set is_enabled = true, enabled_at = now()')
  await gateway.stage.query(
    `update identity.workspaces set production_sending_enabled = true where slug = 'newsletter'`,
  )
  await gateway.stage.query(
    `update identity.platform_gates set stored = true where name = 'production_sending_enabled'`,
  )
  const [sender] = await gateway.stage.query<{ id: string }>('select id from sending.sender_identities')
  const made = async (path: string, body: object) =>
    (await gateway.call('POST', `${newsletter}${path}`, { as: 'editor', body })).json as Record<string, { id: string }>
  const { email_template: template } = await made('/email-templates', { name: 'L', slug: `l-${randomUUID()}` })
  const { content_version: version } = await made(`/email-templates/${template!.id}/versions`, {
    subject: 'Hi',
    html: '<p>Hi <a href="{{ unsubscribe_url }}">leave</a></p>',
  })
  return { gateway, senderId: sender!.id, templateId: template!.id, contentVersionId: version!.id }
}
