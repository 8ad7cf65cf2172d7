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
import { ImportRows } from './migrations/017-import-rows.ts'
import { WordsOfNewContacts } from './migrations/018-words-of-new-contacts.ts'
import { ContactsAfterErasure } from './migrations/019-contacts-after-erasure.ts'
import { CheaperRowsOfImports } from './migrations/020-cheaper-rows-of-imports.ts'
import { AutomationSteps } from './migrations/021-automation-steps.ts'
import { SearchWordsInColumns } from './migrations/022-search-words-in-columns.ts'
import { SharedDetailsOfRows } from './migrations/023-shared-details.ts'
import { MembershipsByContact } from './migrations/024-memberships-by-contact.ts'
import { RehearsedRecipients } from './migrations/025-rehearsed-recipients.ts'
import { AppliesOfImports } from './migrations/026-applies-of-imports.ts'
import { StoppedImports } from './migrations/027-stopped-imports.ts'
import { SignupConfirmations } from './migrations/028-signup-confirmations.ts'
import { EpochsOfStoppedImports } from './migrations/029-epochs-of-stopped-imports.ts'
import { PlansForUnknownWorkspaces } from './migrations/030-plans-for-unknown-workspaces.ts'
import { EventsToSealByStatement } from './migrations/031-events-to-seal-by-statement.ts'
import { AudienceMemberDays } from './migrations/032-audience-member-days.ts'
import { PlansWithoutStatistics } from './migrations/033-plans-without-statistics.ts'
import { ReferencesByKey } from './migrations/034-references-by-key.ts'
import { OutboxHeadersAsText } from './migrations/035-outbox-headers-as-text.ts'
import { OutboxGroups } from './migrations/036-outbox-groups.ts'

export const schema: ServiceSchema = {
  service: 'contacts-consent',
  schema: 'contacts',
  role: 'contacts',
  // Only erase_evidence erases evidence and records the erasure. Suppressions are resolved and never deleted. Erasures are never
  // deleted.
  withheld: {
    consent_evidence: ['update', 'delete'],
    evidence_erasures: ['insert'],
    shared_details: ['update', 'delete'],
    suppressions: ['delete'],
    platform_suppressions: ['delete'],
    erasures: ['delete'],
    erasure_parts: ['delete'],
    erasure_hash_keys: ['update', 'delete'],
    import_rows: ['update'],
    stopped_imports: ['delete'],
    automation_step_receipts: ['update'],
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
    { name: '017-import-rows', class: ImportRows },
    { name: '018-words-of-new-contacts', class: WordsOfNewContacts },
    { name: '019-contacts-after-erasure', class: ContactsAfterErasure },
    { name: '020-cheaper-rows-of-imports', class: CheaperRowsOfImports },
    { name: '021-automation-steps', class: AutomationSteps },
    { name: '022-search-words-in-columns', class: SearchWordsInColumns },
    { name: '023-shared-details', class: SharedDetailsOfRows },
    { name: '024-memberships-by-contact', class: MembershipsByContact },
    { name: '025-rehearsed-recipients', class: RehearsedRecipients },
    { name: '026-applies-of-imports', class: AppliesOfImports },
    { name: '027-stopped-imports', class: StoppedImports },
    { name: '028-signup-confirmations', class: SignupConfirmations },
    { name: '029-epochs-of-stopped-imports', class: EpochsOfStoppedImports },
    { name: '030-plans-for-unknown-workspaces', class: PlansForUnknownWorkspaces },
    { name: '031-events-to-seal-by-statement', class: EventsToSealByStatement },
    { name: '032-audience-member-days', class: AudienceMemberDays },
    { name: '033-plans-without-statistics', class: PlansWithoutStatistics },
    { name: '034-references-by-key', class: ReferencesByKey },
    { name: '035-outbox-headers-as-text', class: OutboxHeadersAsText },
    { name: '036-outbox-groups', class: OutboxGroups },
  ],
}
