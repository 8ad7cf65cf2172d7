import type { ServiceSchema } from '@lettergate/database/migrate'
import { Events } from './migrations/001-events.ts'
import { DeadLetterStates } from './migrations/002-dead-letter-states.ts'
import { OutboxWrittenOnce } from './migrations/003-outbox-written-once.ts'

export const schema: ServiceSchema = {
  service: 'automations',
  schema: 'automations',
  role: 'automations',
  migrations: [
    { name: '001-events', class: Events },
    { name: '002-dead-letter-states', class: DeadLetterStates },
    { name: '003-outbox-written-once', class: OutboxWrittenOnce },
  ],
}
