import type { ServiceSchema } from '@lettergate/database/migrate'
import { Events } from './migrations/001-events.ts'
import { DeadLetterStates } from './migrations/002-dead-letter-states.ts'

export const schema: ServiceSchema = {
  service: 'automations',
  schema: 'automations',
  role: 'automations',
  migrations: [
    { name: '001-events', class: Events },
    { name: '002-dead-letter-states', class: DeadLetterStates },
  ],
}
