import type { ServiceSchema } from '@lettergate/database/migrate'
import { ProviderEvents } from './migrations/001-provider-events.ts'
import { EventReplays } from './migrations/002-event-replays.ts'
import { DeadLetterStates } from './migrations/005-dead-letter-states.ts'
import { ErasedMessages } from './migrations/006-erased-messages.ts'
import { OutboxWrittenOnce } from './migrations/007-outbox-written-once.ts'
import { OutboxHeadersAsText } from './migrations/008-outbox-headers-as-text.ts'
import { OutboxGroups } from './migrations/009-outbox-groups.ts'

export const schema: ServiceSchema = {
  service: 'webhook-intake',
  schema: 'webhooks',
  role: 'webhooks',
  migrations: [
    { name: '001-provider-events', class: ProviderEvents },
    { name: '002-event-replays', class: EventReplays },
    { name: '005-dead-letter-states', class: DeadLetterStates },
    { name: '006-erased-messages', class: ErasedMessages },
    { name: '007-outbox-written-once', class: OutboxWrittenOnce },
    { name: '008-outbox-headers-as-text', class: OutboxHeadersAsText },
    { name: '009-outbox-groups', class: OutboxGroups },
  ],
}
