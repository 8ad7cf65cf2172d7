import type { ServiceSchema } from '@lettergate/database/migrate'
import { ContactsAndConsent } from './migrations/001-contacts-and-consent.ts'
import { ConsentSeals } from './migrations/002-consent-seals.ts'
import { SubscriptionSources } from './migrations/003-subscription-sources.ts'
import { AudienceMemberCounts } from './migrations/004-audience-member-counts.ts'
import { ContactLists } from './migrations/005-contact-lists.ts'
import { WorkspaceLimits } from './migrations/006-workspace-limits.ts'
import { TenantAskedOnce } from './migrations/007-tenant-asked-once.ts'
import { ErasureOfEvidence } from './migrations/008-erasure-of-evidence.ts'
import { Erasures } from './migrations/009-erasures.ts'
import { DeadLetterStates } from './migrations/012-dead-letter-states.ts'
import { PlatformSuppressionsById } from './migrations/013-platform-suppressions-by-id.ts'
import { ReturnedPeopleAndHashKeys } from './migrations/014-returned-people-and-hash-keys.ts'
import { OutboxWrittenOnce } from './migrations/015-outbox-written-once.ts'
import { TagsById } from './migrations/016-tags-by-id.ts'

export const schema: ServiceSchema = {
  service: 'contacts-consent',
  schema: 'contacts',
  role: 'contacts',
  // Evidence is erased by erase_evidence; an appended erasure is its own; suppressions are resolved, never removed; who was
  // erased is never forgotten.
  withheld: {
    consent_evidence: ['update', 'delete'],
    evidence_erasures: ['insert'],
    suppressions: ['delete'],
    platform_suppressions: ['delete'],
    erasures: ['delete'],
    erasure_parts: ['delete'],
    erasure_hash_keys: ['update', 'delete'],
  },
  migrations: [
    { name: '001-contacts-and-consent', class: ContactsAndConsent },
    { name: '002-consent-seals', class: ConsentSeals },
    { name: '003-subscription-sources', class: SubscriptionSources },
    { name: '004-audience-member-counts', class: AudienceMemberCounts },
    { name: '005-contact-lists', class: ContactLists },
    { name: '006-workspace-limits', class: WorkspaceLimits },
    { name: '007-tenant-asked-once', class: TenantAskedOnce },
    { name: '008-erasure-of-evidence', class: ErasureOfEvidence },
    { name: '009-erasures', class: Erasures },
    { name: '012-dead-letter-states', class: DeadLetterStates },
    { name: '013-platform-suppressions-by-id', class: PlatformSuppressionsById },
    { name: '014-returned-people-and-hash-keys', class: ReturnedPeopleAndHashKeys },
    { name: '015-outbox-written-once', class: OutboxWrittenOnce },
    { name: '016-tags-by-id', class: TagsById },
  ],
}
