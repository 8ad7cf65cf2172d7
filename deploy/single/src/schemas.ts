import { schema as automations } from '@lettergate/automations/migrations'
import { schema as campaigns } from '@lettergate/campaigns-delivery/migrations'
import { schema as contacts } from '@lettergate/contacts-consent/migrations'
import type { ServiceSchema } from '@lettergate/database/migrate'
import { schema as identity } from '@lettergate/gateway/migrations'
import { schema as imports } from '@lettergate/imports/migrations'
import { schema as sending } from '@lettergate/sending-infra/migrations'
import { schema as webhooks } from '@lettergate/webhook-intake/migrations'

/** The schema of every service, by the name of the service. */
export const schemas: Readonly<Record<string, ServiceSchema>> = {
  gateway: identity,
  'contacts-consent': contacts,
  'sending-infra': sending,
  'campaigns-delivery': campaigns,
  'webhook-intake': webhooks,
  imports,
  automations,
}
