import type { ServiceSchema } from '@lettergate/database/migrate'
import { Events } from './migrations/001-events.ts'
import { DeadLetterStates } from './migrations/002-dead-letter-states.ts'
import { OutboxWrittenOnce } from './migrations/003-outbox-written-once.ts'
import { Imports } from './migrations/004-imports.ts'
import { MappingProfiles } from './migrations/005-mapping-profiles.ts'
import { ImportStarts } from './migrations/006-import-starts.ts'
import { AppliesOfImports } from './migrations/007-applies-of-imports.ts'
import { StopsOfImports } from './migrations/008-stops-of-imports.ts'
import { OutboxHeadersAsText } from './migrations/009-outbox-headers-as-text.ts'
import { OutboxGroups } from './migrations/010-outbox-groups.ts'

export const schema: ServiceSchema = {
  service: 'imports',
  schema: 'imports',
  role: 'imports',
  migrations: [
    { name: '001-events', class: Events },
    { name: '002-dead-letter-states', class: DeadLetterStates },
    { name: '003-outbox-written-once', class: OutboxWrittenOnce },
    { name: '004-imports', class: Imports },
    { name: '005-mapping-profiles', class: MappingProfiles },
    { name: '006-import-starts', class: ImportStarts },
    { name: '007-applies-of-imports', class: AppliesOfImports },
    { name: '008-stops-of-imports', class: StopsOfImports },
    { name: '009-outbox-headers-as-text', class: OutboxHeadersAsText },
    { name: '010-outbox-groups', class: OutboxGroups },
  ],
}
