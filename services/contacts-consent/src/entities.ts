import { AudienceMemberCounts } from './audience-member-counts.ts'
import { Audiences } from './audiences.ts'
import { ConsentEvents } from './consent-events.ts'
import { ConsentEvidence } from './consent-evidence.ts'
import { ConsentRecordChecks } from './consent-record-checks.ts'
import { ConsentSeals, UnsealedConsentEvents } from './consent-seals.ts'
import { ContactProvenance } from './contact-provenance.ts'
import { ContactSources } from './contact-sources.ts'
import { ContactWords } from './contact-words.ts'
import { Contacts } from './contacts.ts'
import { ErasureHashKeys } from './erasure-hash-keys.ts'
import { ErasureParts, Erasures } from './erasures.ts'
import { EvidenceErasures } from './evidence-erasures.ts'
import { FieldDefinitions } from './field-definitions.ts'
import { Memberships } from './memberships.ts'
import { PlatformSuppressions } from './platform-suppressions.ts'
import { SourceCredentials } from './source-credentials.ts'
import { SourceReceipts } from './source-receipts.ts'
import { SubscriptionSources } from './subscription-sources.ts'
import { Suppressions } from './suppressions.ts'
import { TagChanges } from './tag-changes.ts'
import { TagCounts } from './tag-counts.ts'
import { Tags } from './tags.ts'
import { Workspaces } from './workspaces.ts'

/** One entity for each table of the schema. */
export const entities = [
  Workspaces,
  Contacts,
  ContactWords,
  ContactSources,
  ContactProvenance,
  FieldDefinitions,
  Tags,
  TagCounts,
  TagChanges,
  Audiences,
  AudienceMemberCounts,
  Memberships,
  ConsentEvents,
  ConsentEvidence,
  EvidenceErasures,
  UnsealedConsentEvents,
  ConsentSeals,
  ConsentRecordChecks,
  Suppressions,
  PlatformSuppressions,
  SubscriptionSources,
  SourceCredentials,
  SourceReceipts,
  Erasures,
  ErasureParts,
  ErasureHashKeys,
]
