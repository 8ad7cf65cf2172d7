import type { ServiceSchema } from '@lettergate/database/migrate'
import { ProviderEvents } from './migrations/001-provider-events.ts'

export const schema: ServiceSchema = {
  service: 'webhook-intake',
  schema: 'webhooks',
  role: 'webhooks',
  migrations: [{ name: '001-provider-events', class: ProviderEvents }],
}
