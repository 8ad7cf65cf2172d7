import type { ServiceSchema } from '@lettergate/database/migrate'
import { ConnectionsDomainsSenders } from './migrations/001-connections-domains-senders.ts'
import { DomainHolders } from './migrations/002-domain-holders.ts'
import { Rechecks } from './migrations/003-rechecks.ts'
import { SeenVerified } from './migrations/004-seen-verified.ts'
import { OldChecks } from './migrations/005-old-checks.ts'
import { ReleasedNames } from './migrations/006-released-names.ts'
import { OwnSearchPath } from './migrations/007-own-search-path.ts'
import { DeadLetterStates } from './migrations/008-dead-letter-states.ts'
import { OutboxWrittenOnce } from './migrations/009-outbox-written-once.ts'
import { OutboxHeadersAsText } from './migrations/010-outbox-headers-as-text.ts'
import { OutboxGroups } from './migrations/011-outbox-groups.ts'

export const schema: ServiceSchema = {
  schema: 'sending',
  role: 'sending',
  migrations: [
    { name: '001-connections-domains-senders', class: ConnectionsDomainsSenders },
    { name: '002-domain-holders', class: DomainHolders },
    { name: '003-rechecks', class: Rechecks },
    { name: '004-seen-verified', class: SeenVerified },
    { name: '005-old-checks', class: OldChecks },
    { name: '006-released-names', class: ReleasedNames },
    { name: '007-own-search-path', class: OwnSearchPath },
    { name: '008-dead-letter-states', class: DeadLetterStates },
    { name: '009-outbox-written-once', class: OutboxWrittenOnce },
    { name: '010-outbox-headers-as-text', class: OutboxHeadersAsText },
    { name: '011-outbox-groups', class: OutboxGroups },
  ],
}
